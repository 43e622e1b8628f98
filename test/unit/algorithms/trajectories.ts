import type { Judged, Scored, ScoredGroup } from "#core/credit.ts";
import type { TokenSequence, TokenSpan } from "#core/tokens.ts";
import type { Ending, Trajectory, Turn } from "#core/trajectory.ts";

export interface Sketch {
  /** Per sequence, per turn: tokens read before it and tokens sampled in it. */
  readonly sequences: readonly (readonly { readonly read: number; readonly sampled: number }[])[];
  readonly ending?: Ending;
  readonly success?: boolean;
}

/** Token ids count up through all sequences; log-probabilities are -(id + 1)/16 where sampled. */
function trajectoryOf({ sequences, ending = "terminated" }: Sketch, id = 0): Trajectory {
  let next = id * 1000;
  const turns: Turn[] = [];
  const built = sequences.map((parts, sequence): TokenSequence => {
    const spans: TokenSpan[] = [];
    let end = 0;
    for (const { read, sampled } of parts) {
      spans.push({ start: end, end: end + read, role: "tool", sampled: false }, { start: end + read, end: end + read + sampled, role: "assistant", sampled: true });
      turns.push({
        sequence, start: end + read, end: end + read + sampled, anchorKey: `${turns.length}`,
        action: { kind: "reply", text: "" }, observation: { kind: "user", content: null }, events: [],
      });
      end += read + sampled;
    }
    const tokens = Uint32Array.from({ length: end }, () => next++);
    const isSampled = (index: number): boolean => spans.some((span) => span.sampled && span.start <= index && index < span.end);
    return {
      tokens, spans,
      behaviorLogprobs: Float32Array.from(tokens, (token, index) => (isSampled(index) ? -(token + 1) / 16 : 0)),
      automatonStates: Uint16Array.from(tokens, (token, index) => (isSampled(index) ? (token % 7) + 1 : 0)),
    };
  });
  return { taskId: `task-${id}`, groupId: "group", policyVersion: 0, sequences: built, first: { kind: "user", content: null }, turns, ending };
}

export const judged = (sketch: Sketch, id = 0): Judged => ({
  trajectory: trajectoryOf(sketch, id),
  verdict: { success: sketch.success ?? false, checks: [{ name: "polite", passed: true, weight: 1 }, { name: "naive", passed: false, weight: 1 }], monitors: [] },
});

/** One whole-history sequence of the given turns, each reading one token and sampling two. */
export function scored(terminal: number, turns = 2, ending: Ending = "terminated", perTurn?: readonly number[], id = 0): Scored {
  const parts = Array.from({ length: turns }, () => ({ read: 1, sampled: 2 }));
  return { ...judged({ sequences: [parts], ending }, id), rewards: { perTurn: Float32Array.from(perTurn ?? parts.map(() => 0)), terminal } };
}

export const groupOf = (members: readonly Scored[], groupId = "group"): ScoredGroup => ({ groupId, members });
