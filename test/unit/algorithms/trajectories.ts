import type { Rng } from "#core/chance.ts";
import type { Judged, Scored, ScoredGroup } from "#core/credit.ts";
import { createRng } from "#core/rng.ts";
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

/** One turn of a trajectory that schemes have to tell from others. */
export interface TurnSketch {
  readonly sampled: number;
  readonly reward: number;
  readonly anchor: string;
  readonly kind: "tool" | "reply" | "malformed";
  readonly reachesGoal: boolean;
}
export interface MemberSketch {
  readonly turns: readonly TurnSketch[];
  readonly terminal: number;
  readonly ending: Ending;
  /** Whether every turn has a sequence of its own, or all share one. */
  readonly split: boolean;
  /** What second networks and expansion gave follows from it. */
  readonly seed: number;
}

const ACTIONS = {
  tool: { kind: "tool", name: "look", args: {} }, reply: { kind: "reply", text: "" }, malformed: { kind: "malformed", raw: "", reason: "" },
} as const;

/** Everything a scheme may need, drawn from the member's seed by turn and token; `unread` stands wherever nothing was sampled. */
function complete(member: Scored, rng: Rng, unread: number): Scored {
  const { sequences, turns } = member.trajectory;
  const perTurn = (label: string): Float32Array => Float32Array.from(turns, (_, turn) => 2 * rng.fork(`${label}/${turn}`).next() - 1);
  const perToken = (label: string): Float32Array[] => {
    const arrays = sequences.map(({ tokens }) => new Float32Array(tokens.length).fill(unread));
    for (const [turn, { sequence, start, end }] of turns.entries()) {
      const draws = rng.fork(`${label}/${turn}`);
      for (let index = start; index < end; index += 1) (arrays[sequence] as Float32Array)[index] = -2 * draws.next();
    }
    return arrays;
  };
  const behavior = perToken("behavior");
  return {
    ...member,
    trajectory: { ...member.trajectory, sequences: sequences.map((sequence, index) => ({ ...sequence, behaviorLogprobs: behavior[index] as Float32Array })) },
    values: Float32Array.of(...perTurn("value"), 0.5), tokenValues: perToken("value"),
    tokenScores: perToken("score"), tokenReferences: perToken("reference"),
    branchReturns: turns.map((_, turn) => Float32Array.of(rng.fork(`branch/${turn}`).next(), 1)),
    truth: { start: 0.5, skill: perTurn("skill"), luck: perTurn("luck"), halfWidth: new Float32Array(turns.length) },
  };
}

/** @param read tokens read before every turn, of ids that tell nothing. @param unread what stands for them in arrays per token. */
export function memberOf({ turns, terminal, ending, split, seed }: MemberSketch, id = 0, read = 1, unread = NaN): Scored {
  const parts = turns.map(({ sampled }) => ({ read, sampled }));
  const made = judged({ sequences: split ? parts.map((part) => [part]) : [parts], ending }, id);
  const trajectory = {
    ...made.trajectory,
    turns: made.trajectory.turns.map((turn, index) => {
      const { anchor, kind, reachesGoal } = turns[index] as TurnSketch;
      return { ...turn, anchorKey: anchor, action: ACTIONS[kind], events: reachesGoal ? [{ id: "goal", weight: 1 }] : [{ id: "slip", weight: -1 }] };
    }),
  };
  return complete({ ...made, trajectory, rewards: { perTurn: Float32Array.from(turns, ({ reward }) => reward), terminal } }, createRng(seed), unread);
}
