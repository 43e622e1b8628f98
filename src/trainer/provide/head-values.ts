import { packRows } from "#algorithms/batch.ts";
import type { EnginePolicy } from "#engine/policy-backend.ts";
import type { LoopHarness } from "#harness/tool-loop.ts";
import type { CriticScores, Played } from "../scorer.ts";
import { valueReading } from "../scorer/critic.ts";

/** Rollouts of one forward pass: the scratch memory stays small. */
const PASS = 64;

/** [groups][G] values of the policy's own value head, as it is now. */
export async function headValues(policy: Pick<EnginePolicy, "forward" | "layout">, harness: LoopHarness, rollouts: readonly (readonly Played[])[]): Promise<readonly (readonly CriticScores[])[]> {
  const { read, scores } = valueReading({ harness, model: policy.layout.config });
  const all = rollouts.flat();
  const known: CriticScores[] = [];
  for (let first = 0; first < all.length; first += PASS) {
    const some = all.slice(first, first + PASS);
    const sequences = some.map((played) => read(played));
    const batch = packRows(sequences.flatMap((list, trajectory) => list.map((sequence) => ({ sequence, trajectory }))));
    const pass = await policy.forward(batch);
    const values = pass.stats.values ?? new Float32Array(batch.tokens.length);
    pass.dispose();
    let row = 0;
    for (const [index, played] of some.entries()) {
      const own = (sequences[index] ?? []).map(({ tokens }) => values.slice(batch.length * row, batch.length * row++ + tokens.length));
      known.push(scores(played, { logprobs: [], references: [], values: own }));
    }
  }
  const rest = known.values();
  return rollouts.map((members) => members.map(() => rest.next().value ?? { values: new Float32Array(), tokenValues: [] }));
}
