import type { ToolSchema } from "#core/environment.ts";
import type { Harness, Rendered, Wording } from "#core/harness.ts";
import { drawIndex } from "#core/rng.ts";
import type { Observation, SeenStep } from "#core/trajectory.ts";
import { createParser, malformedObservation, type ActionParser } from "./action-parser.ts";
import { createRenderer, Transcript, type RenderedObservation, type Renderer } from "./context.ts";
import { callSyntax, compileGrammar, longestCall } from "./grammar.ts";
import { buildVocabulary, WORDINGS } from "./vocabulary.ts";

/** A harness of tool calls. With the whole history its contexts can be written piece by piece: each extends the one before it. */
export interface LoopHarness extends Harness, ActionParser, Renderer {
  /** Tokens of the longest legal action, its end token included. */
  readonly longestAction: number;
}

/**
 * The plain loop of tool calls, the whole history in one sequence:
 * `<begin> <system> observation… <assistant> tool value… <end> <tool> observation… <assistant> …`
 * @param withheld names of tools that have their words, so that one policy serves any choice of tools, and cannot be called.
 */
export function createToolLoop(tools: readonly ToolSchema[], words: readonly string[], withheld: readonly string[] = []): LoopHarness {
  const vocabulary = buildVocabulary(tools, words);
  const offered = tools.filter(({ name }) => !withheld.includes(name));
  const calls = callSyntax(offered, vocabulary);
  const parser = createParser(calls, vocabulary);
  const renderer = createRenderer(vocabulary, words);
  const harness: LoopHarness = {
    id: "tool-loop",
    vocabulary,
    automaton: compileGrammar(calls, vocabulary),
    tools: offered,
    wholeHistory: true,
    longestAction: longestCall(calls),
    wording: (rng, vary) => ({ variant: vary ? drawIndex(rng, WORDINGS) : 0 }),
    context: (first, seen, wording) => writeContext(harness, first, seen, wording),
    ...parser,
    ...renderer,
    malformed: malformedObservation,
  };
  return harness;
}

function writeContext(harness: LoopHarness, first: Observation, seen: readonly SeenStep[], wording: Wording): Rendered {
  const transcript = new Transcript();
  appendObservation(transcript, harness.observation(first, wording, true), harness.ask(wording));
  for (const { action, observation } of seen) {
    const tokens = harness.encode(action);
    const unknown = new Uint16Array(tokens.length);
    transcript.appendSampled(tokens, unknown, unknown);
    appendObservation(transcript, harness.observation(observation, wording, false), harness.ask(wording));
  }
  return { tokens: transcript.view(), spans: transcript.spans };
}

/** What was observed, then the token that asks for an action. */
export function appendObservation(transcript: Transcript, { tokens, role }: RenderedObservation, ask: number): void {
  transcript.append(tokens, role);
  transcript.append([ask], "assistant");
}
