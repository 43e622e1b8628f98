import type { SampleRequest } from "#core/policy.ts";
import { createRng } from "#core/rng.ts";
import type { EnginePolicy } from "#engine/policy-backend.ts";

const [CONTEXTS, ACTION, OBSERVATION, PROMPT] = [64, 6, 10, 16] as const;

/**
 * Turns of 64 agents at once, as the harness drives them: an action of six tokens is sampled, ten observed ones follow, until the
 * context of 128 is full. @returns tokens appended to contexts, sampled or read
 */
export async function rollOnce(policy: EnginePolicy, seed: number): Promise<number> {
  const { vocabulary, context } = policy.layout.config;
  const rng = createRng(seed);
  const drawn = (count: number): number[] => Array.from({ length: count }, () => Math.floor(rng.next() * vocabulary));
  const contexts = Array.from({ length: CONTEXTS }, () => drawn(PROMPT));
  let appended = CONTEXTS * PROMPT;
  while ((contexts[0] as number[]).length + ACTION + OBSERVATION <= context) {
    const requests = contexts.map((tokens, slot): SampleRequest => ({ tokens: Uint32Array.from(tokens), slot, rng: rng.fork(`${slot}/${tokens.length}`), automatonState: 0 }));
    const actions = await policy.sample(requests, { greedy: false, maxTokens: ACTION });
    for (const [index, { tokens }] of actions.entries()) contexts[index]?.push(...tokens, ...drawn(OBSERVATION));
    appended += CONTEXTS * (ACTION + OBSERVATION);
  }
  return appended;
}
