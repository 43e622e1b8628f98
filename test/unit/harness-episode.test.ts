import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HarnessError } from "#core/errors.ts";
import { createRng } from "#core/rng.ts";
import { FREE_STATE, type TokenSequence } from "#core/tokens.ts";
import type { Action } from "#core/trajectory.ts";
import { demonstrate, scriptedCompletion } from "#harness/demonstrate.ts";
import { Episode, type EpisodeSpec, type Rollout } from "#harness/episode.ts";
import { rollouts } from "#harness/scheduler.ts";
import { createToolLoop } from "#harness/tool-loop.ts";
import { BOXES_TOOLS, BOXES_WORDS, boxesTask, createBoxes, type BoxesState, type BoxesTask } from "./fixtures/boxes.ts";
import { DrawingPolicy } from "./fixtures/drawing-policy.ts";

const harness = createToolLoop(BOXES_TOOLS, BOXES_WORDS);
type Spec = EpisodeSpec<BoxesTask, BoxesState>;
const spec = (changes: Partial<Spec> = {}): Spec => ({
  environment: createBoxes(), harness, task: boxesTask("green"), groupId: "g", budget: { turns: 8, tokens: 128, retries: 3 },
  rng: createRng(7), policyVersion: 3, constrained: true, varyWording: false, ...changes,
});
const peek: Action = { kind: "tool", name: "peek", args: { box: "red" } };
const ask: Action = { kind: "tool", name: "ask", args: {} };
const open: Action = { kind: "tool", name: "open", args: { manner: "gently", box: "green" } };
const bad = (raw: string): Action => harness.parse(Uint32Array.from(raw.split(" "), (word) => harness.vocabulary.id(word)));
const play = (changes: Partial<Spec>, actions: readonly Action[]): Rollout<BoxesState> => {
  const episode = new Episode(spec(changes));
  for (const action of actions) void episode.advance(scriptedCompletion(harness, action, false));
  return episode.result();
};
const sequenceOf = ({ trajectory }: Rollout<BoxesState>): TokenSequence => {
  const [sequence] = trajectory.sequences;
  if (sequence === undefined) throw new Error("the trajectory has no sequence");
  return sequence;
};
const text = (rollout: Rollout<BoxesState>): string => [...sequenceOf(rollout).tokens].map((token) => harness.vocabulary.words[token]).join(" ");
const many = (count: number, changes: Partial<Spec> = {}): Spec[] =>
  Array.from({ length: count }, (_, index) => spec({ rng: createRng(100 + index), task: boxesTask(["red", "green", "blue"][index % 3] as string), ...changes }));

function expectTiling({ tokens, spans, behaviorLogprobs, automatonStates }: TokenSequence): void {
  expect([behaviorLogprobs.length, automatonStates.length]).toEqual([tokens.length, tokens.length]);
  expect(spans.map(({ start }) => start)).toEqual([0, ...spans.slice(0, -1).map(({ end }) => end)]);
  expect(spans.at(-1)?.end).toBe(tokens.length);
  for (const { start, end, role, sampled } of spans) {
    expect(end).toBeGreaterThan(start);
    if (sampled) expect(role).toBe("assistant");
    else expect([...behaviorLogprobs.subarray(start, end), ...automatonStates.subarray(start, end)].every((value) => value === 0)).toBe(true);
  }
}

describe("episode", () => {
  it("lays a transcript out as documented and ends where the environment says", () => {
    const rollout = play({}, [peek, ask, open]);
    const [peeked] = rollout.seen;
    const answer = peeked?.observation.kind === "error" ? "<error> jammed" : "peeked red empty 1";
    expect(text(rollout)).toBe(
      `<begin> <system> find prize 3 <assistant> peek red <end> ${answer} <assistant> ask <end> <user> it is green <assistant> open gently green <end>`);
    expect(rollout.trajectory).toMatchObject({ taskId: "boxes-green", groupId: "g", policyVersion: 3, ending: "terminated" });
    expect(rollout.finalState).toEqual({ prize: "green", opened: "green", calls: 3 });
    expect(rollout.trajectory.turns.map(({ action }) => action)).toEqual([peek, ask, open]);
    expect(rollout.trajectory.turns.map(({ anchorKey }) => anchorKey)).toEqual(["0 request", `1 ${peeked?.observation.kind}`, "2 user"]);
    expect(rollout.trajectory.turns.at(-1)?.events).toEqual([{ id: "opened", weight: 1 }]);
    expect(sequenceOf(rollout).spans.map(({ role }) => role)).toEqual(
      ["system", "assistant", "assistant", "tool", "assistant", "assistant", "user", "assistant", "assistant"]);
    expectTiling(sequenceOf(rollout));
  });

  it("shows the policy exactly what the trajectory holds, constrained or free, in any wording", async () => {
    for (const constrained of [true, false]) {
      const policy = new DrawingPolicy(harness.automaton);
      const results = await rollouts(many(24, { constrained, varyWording: true }), policy, { greedy: false, concurrency: 1 });
      let asked = 0;
      for (const rollout of results) {
        const sequence = sequenceOf(rollout);
        expectTiling(sequence);
        for (const [index, turn] of rollout.trajectory.turns.entries()) {
          const request = policy.asked[asked];
          asked += 1;
          expect(request?.tokens).toEqual(sequence.tokens.slice(0, turn.start));
          expect(request?.automatonState).toBe(constrained ? 1 : FREE_STATE);
          const context = harness.context(rollout.trajectory.first, rollout.seen.slice(0, index), rollout.wording);
          expect(context.tokens).toEqual(request?.tokens);
          expect(context.spans).toEqual(sequence.spans.filter(({ end }) => end <= turn.start));
          expect(harness.parse(sequence.tokens.slice(turn.start, turn.end))).toEqual(turn.action);
          expect(sequence.behaviorLogprobs.subarray(turn.start, turn.end).every((logprob) => logprob <= 0)).toBe(true);
          expect(sequence.spans.some(({ start, end, sampled }) => sampled && start === turn.start && end === turn.end)).toBe(true);
        }
        expect(sequence.tokens.length).toBe(rollout.trajectory.turns.at(-1)?.end);
      }
      expect(asked).toBe(policy.asked.length);
      expect(results.some(({ trajectory }) => trajectory.turns.some(({ action }) => action.kind === "malformed"))).toBe(!constrained);
      expect(new Set(results.map(({ wording }) => wording.variant)).size).toBe(4);
    }
  });

  it("stores logprobs and automaton states at the sampled positions", async () => {
    const [rollout] = await rollouts([spec()], new DrawingPolicy(harness.automaton), { greedy: false });
    const { tokens, behaviorLogprobs, automatonStates } = sequenceOf(rollout as Rollout<BoxesState>);
    for (const { start, end } of (rollout as Rollout<BoxesState>).trajectory.turns) {
      expect(automatonStates[start]).toBe(harness.automaton.startState);
      expect(behaviorLogprobs[start]).toBeCloseTo(-1.0986, 4);
      expect(automatonStates.subarray(start, end).every((state) => state > 0)).toBe(true);
      expect(tokens[end - 1]).toBe(harness.automaton.endToken);
    }
  });

  it("answers a malformed action itself, at the cost of a turn and a retry", () => {
    const rollout = play({ constrained: false }, [bad("red red <end>"), bad("peek gently"), open]);
    expect(text(rollout)).toBe("<begin> <system> find prize 3 <assistant> red red <end> <error> unknown-tool <assistant> peek gently "
      + "<error> wrong-argument <assistant> open gently green <end>");
    expect(rollout.finalState?.calls).toBe(1);
    expect(rollout.trajectory.turns.map(({ anchorKey }) => anchorKey)).toEqual(["0 request", "0 malformed", "0 malformed"]);
    const nonsense = bad("red <end>");
    expect(play({ budget: { turns: 8, tokens: 128, retries: 0 } }, [nonsense]).trajectory.ending).toBe("truncated");
    expect(play({ budget: { turns: 8, tokens: 128, retries: 2 } }, [nonsense, peek, nonsense, nonsense]).trajectory.ending).toBe("truncated");
    expect(() => play({ budget: { turns: 8, tokens: 128, retries: 2 } }, [nonsense, peek, nonsense])).toThrow(/goes on/);
  });

  it("is truncated when turns are used up, but terminated when its last turn ends it", () => {
    const budget = { turns: 2, tokens: 128, retries: 3 };
    const cut = play({ budget }, [ask, ask]);
    expect(cut.trajectory.ending).toBe("truncated");
    expect(cut.seen.length).toBe(2);
    expect(text(cut)).toMatch(/<user> it is green <assistant> ask <end>$/);
    expect(play({ budget }, [ask, open]).trajectory.ending).toBe("terminated");
  });

  it("starts a turn only where the longest action fits, to the token", () => {
    // 6 tokens to begin with; `ask <end> <user> it is green <assistant>` is 7 more; an action has 4 at most.
    const ending = (tokens: number, actions: readonly Action[]) => play({ budget: { turns: 8, tokens, retries: 3 } }, actions).trajectory;
    expect(ending(9, [])).toMatchObject({ ending: "truncated", turns: [], sequences: [] });
    expect(ending(16, [ask]).ending).toBe("truncated");
    expect(() => ending(17, [ask])).toThrow(/goes on/);
    expect(ending(17, [ask, open]).sequences[0]?.tokens.length).toBe(17);
    fc.assert(fc.property(fc.integer({ min: 0, max: 60 }), fc.nat(), (tokens, seed) => {
      const episode = new Episode(spec({ rng: createRng(seed), budget: { turns: 8, tokens, retries: 3 }, constrained: false }), 4);
      for (let request = episode.request(); request !== undefined; request = episode.request()) {
        expect(request.tokens.length + 4).toBeLessThanOrEqual(tokens);
        void episode.advance(scriptedCompletion(harness, request.rng.next() < 0.5 ? bad("red red red red") : peek, false));
      }
      expect(episode.result().trajectory.ending).toBe("truncated");
      expect(episode.result().trajectory.sequences.every((sequence) => sequence.tokens.length <= tokens)).toBe(true);
    }));
  });

  it("records what the environment throws as a failure, without harm to its siblings", async () => {
    for (const asynchronous of [false, true]) {
      const broken = createBoxes({ breaksAt: 1, asynchronous });
      const specs = many(6).map((sound, index) => (index === 2 ? { ...sound, environment: broken } : sound));
      const policy = { sample: scripted([ask, ask, open]) };
      const results = await rollouts(specs, policy, { greedy: false });
      expect(results.map(({ trajectory }) => trajectory.ending)).toEqual(
        ["terminated", "terminated", "failed", "terminated", "terminated", "terminated"]);
      const failed = results[2] as Rollout<BoxesState>;
      expect(failed.error?.message).toBe("the shelf fell over");
      expect(failed.seen.length).toBe(1);
      expect(failed.trajectory.turns.map(({ observation }) => observation.kind)).toEqual(["user", "failed"]);
      expect(failed.finalState?.calls).toBe(1);
      expectTiling(sequenceOf(failed));
    }
    const unset = { ...createBoxes(), reset: () => { throw new Error("no such task"); } };
    expect(play({ environment: unset }, [])).toMatchObject({ trajectory: { ending: "failed", turns: [], sequences: [] }, finalState: undefined });
    const mute = { ...createBoxes(), outcomes: () => [] };
    expect(play({ environment: mute }, [ask]).error?.message).toMatch(/at least one outcome/);
    const rude = { ...createBoxes(), words: [], reset: (task: BoxesTask) => ({ ...createBoxes().reset(task), observation: { kind: "x", content: "unheard" } }) };
    expect(play({ environment: rude }, []).error?.message).toMatch(/"unheard" is not one of/);
    const odd = { ...createBoxes(), outcomes: (state: BoxesState) => [{ probability: 1, state, observation: { kind: "x", content: "unheard" }, terminated: false, events: [] }] };
    const unshown = play({ environment: odd }, [ask]);
    expect(unshown.trajectory.turns.map(({ observation }) => observation.content)).toEqual(["unheard"]);
    expect([unshown.trajectory.ending, unshown.seen.length]).toEqual(["failed", 1]);
  });

  it("goes on from a history as if it had never stopped", () => {
    const whole = play({ varyWording: true }, [ask, bad("red <end>"), ask, open]);
    const first = whole.trajectory.first;
    const from = { first, seen: whole.seen.slice(0, 2), state: { prize: "green", opened: "", calls: 1 } };
    const rest = play({ from, wording: whole.wording, varyWording: true }, [ask, open]);
    expect(sequenceOf(rest).tokens).toEqual(sequenceOf(whole).tokens);
    expect(rest.trajectory.turns).toEqual(whole.trajectory.turns.slice(2));
    expect(rest.seen).toEqual(whole.seen);
    expect(sequenceOf(rest).spans.filter(({ sampled }) => sampled).length).toBe(2);
    const spent = play({ from, wording: whole.wording, budget: { turns: 3, tokens: 128, retries: 3 } }, [ask]);
    expect(spent.trajectory.ending).toBe("truncated");
    expect(play({ from, budget: { turns: 8, tokens: 128, retries: 0 } }, []).trajectory.ending).toBe("truncated");
  });

  it("names the streams of a turn, so that another rollout can share them", () => {
    const episode = new Episode(spec());
    for (const turn of [0, 1, 2]) {
      expect(episode.request()?.rng.next()).toBe(createRng(7).fork(`turn/${turn}/sample`).next());
      expect(episode.request()?.rng.next()).toBe(createRng(7).fork(`turn/${turn}/sample`).next());
      void episode.advance(scriptedCompletion(harness, peek, true));
      expect(episode.now?.last.kind).toBe(createRng(7).fork(`turn/${turn}/outcome`).next() < 0.7 ? "peeked" : "error");
    }
  });

  it("draws an outcome by its probability", () => {
    const jams = Array.from({ length: 2000 }, (_, seed) => {
      const episode = new Episode(spec({ rng: createRng(seed) }));
      void episode.advance(scriptedCompletion(harness, peek, true));
      return episode.now?.last.kind === "error" ? 1 : 0;
    });
    const share = jams.reduce<number>((sum, jam) => sum + jam, 0) / jams.length;
    expect(Math.abs(share - 0.3)).toBeLessThan(0.03);
  });

  it("holds callers to the contract", () => {
    const episode = new Episode(spec());
    const completion = scriptedCompletion(harness, open, true);
    expect(() => episode.result()).toThrow(/waits for an action/);
    expect(() => episode.advance({ ...completion, tokens: new Uint32Array(5) })).toThrow(/1 to 4 tokens, got 5/);
    expect(() => episode.advance({ ...completion, logprobs: new Float32Array(1) })).toThrow(HarnessError);
    void episode.advance(completion);
    expect(episode.request()).toBeUndefined();
    expect(() => episode.advance(completion)).toThrow(/over: terminated/);
  });
});

/** A policy that plays the same actions in every episode, by the number of actions in the context. */
function scripted(actions: readonly Action[]) {
  const turns = (tokens: Uint32Array) => tokens.filter((token) => token === harness.vocabulary.id("<assistant>")).length;
  return (requests: readonly { readonly tokens: Uint32Array }[]) =>
    Promise.resolve(requests.map(({ tokens }) => scriptedCompletion(harness, actions[turns(tokens) - 1] as Action, true)));
}

describe("demonstrate", () => {
  it("gives the trajectory a policy would have, with the states of the grammar and no logprobs", async () => {
    for (const asynchronous of [false, true]) {
      const environment = createBoxes({ asynchronous });
      const rollout = await demonstrate(spec({ environment }), (_state, last) => (last.kind === "user" ? open : ask));
      expect(text(rollout)).toBe("<begin> <system> find prize 3 <assistant> ask <end> <user> it is green <assistant> open gently green <end>");
      expect(rollout.trajectory.ending).toBe("terminated");
      expect([...sequenceOf(rollout).automatonStates].filter((state) => state > 0).length).toBe(6);
      const sampled = await rollouts([spec()], { sample: scripted([ask, open]) }, { greedy: true });
      expect(sampled[0]).toEqual(rollout);
    }
  });
  it("refuses a malformed action within the grammar", async () => {
    await expect(demonstrate(spec(), () => bad("red <end>"))).rejects.toThrow(/not legal/);
    expect((await demonstrate(spec({ constrained: false }), () => bad("red <end>"))).trajectory.ending).toBe("truncated");
  });
});
