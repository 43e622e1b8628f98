import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createRng } from "#core/rng.ts";
import type { OpenSession, PlayerPort } from "#trainer/player/messages.ts";
import { createPlayerPolicy, refuseUnlessCausal } from "#trainer/player/player-policy.ts";
import { PlayerQueue } from "#trainer/player/queue.ts";
import { AUTOMATON } from "../engine/tiny.ts";
import { after, inProcess } from "./player-support.ts";

/** Stub sessions stand in for models that hang, throw or lie; the clock is the test's. */

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const COLUMNS = 4;
const bytes = new Uint8Array([1, 2, 3]);
const TOKENS = BigInt64Array.of(1n, 2n);
const CALL = [TOKENS, 1, 2, Uint32Array.of(1)] as const;

/** Logits that say which call they are of. @param misbehave by call, counted from 0 over all workers; the one that opens a worker counts too */
function stub(misbehave: (call: number) => "hang" | "throw" | null) {
  let [calls, under] = [0, 0];
  const seen = { opened: 0, most: 0 };
  const ports: (PlayerPort & { readonly isEnded: () => boolean })[] = [];
  const open: OpenSession = (given) => {
    expect([...given]).toEqual([1, 2, 3]);
    seen.opened += 1;
    return Promise.resolve({
      async run(_, rows, time) {
        const call = calls++;
        under += 1;
        seen.most = Math.max(seen.most, under);
        const how = misbehave(call);
        if (how === "hang") {
          under = 0;
          await new Promise(() => undefined);
        }
        await new Promise((resolve) => void setTimeout(resolve, 100));
        under -= 1;
        if (how === "throw") throw new Error("a node of the graph failed");
        return new Float32Array(rows * time * COLUMNS).fill(call);
      },
    });
  };
  const spawn = (): PlayerPort => {
    const port = inProcess(open);
    ports.push(port);
    return port;
  };
  return { queue: new PlayerQueue({ spawn, after }, { bytes, provider: "wasm", warm: [[1, 2]] }), ports, seen };
}

const outcome = (work: Promise<Float32Array>): Promise<string> => work.then((logits) => `logits ${logits[0]}`, (error: unknown) => (error instanceof Error ? `${error.name}: ${error.message}` : "?"));

test("a model that hangs is ended after two seconds, who asked is told, and the next call finds another worker", async () => {
  const { queue, ports, seen } = stub((call) => (call === 2 ? "hang" : null));
  const answers = [outcome(queue.run(...CALL)), outcome(queue.run(...CALL)), outcome(queue.run(...CALL))];
  // Opening runs once (call 0), the first call is 1, the second hangs.
  await vi.advanceTimersByTimeAsync(210);
  expect(await answers[0]).toBe("logits 1");
  await vi.advanceTimersByTimeAsync(1_990);
  expect(ports.map((port) => port.isEnded())).toEqual([false]);
  await vi.advanceTimersByTimeAsync(20);
  expect(ports[0]?.isEnded()).toBe(true);
  expect(await answers[1]).toBe("PolicyError: the model did not answer within 2 seconds: it was ended, and the next call loads it anew");
  await vi.advanceTimersByTimeAsync(300);
  expect(await answers[2]).toBe("logits 4");
  expect(ports.map((port) => port.isEnded())).toEqual([true, false]);
  expect(seen.opened).toBe(2);
  expect(queue.replaced).toBe(1);
});

test("a model that throws is ended too, with its reason", async () => {
  const { queue, ports } = stub((call) => (call === 1 ? "throw" : null));
  const answers = [outcome(queue.run(...CALL)), outcome(queue.run(...CALL))];
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await Promise.all(answers)).toEqual(["PolicyError: the model failed: a node of the graph failed", "logits 3"]);
  expect(ports.map((port) => port.isEnded())).toEqual([true, false]);
});

test("one call at a time, in the order asked", async () => {
  const { queue, seen } = stub(() => null);
  const answers = Array.from({ length: 5 }, () => outcome(queue.run(...CALL)));
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await Promise.all(answers)).toEqual([1, 2, 3, 4, 5].map((call) => `logits ${call}`));
  expect(seen.most).toBe(1);
});

test("a model that never loads, and a worker that breaks down or is closed, leave nobody waiting", async () => {
  const hanging = stub(() => "hang");
  const opening = outcome(hanging.queue.open().then(() => new Float32Array()));
  await vi.advanceTimersByTimeAsync(120_010);
  expect(await opening).toBe("PolicyError: the model was not loaded within 120 seconds");

  let fail: (reason: string) => void = () => undefined;
  const queue = new PlayerQueue({ spawn: () => ({ post: () => undefined, listen: (_, onFailure) => void (fail = onFailure), terminate: () => undefined }), after }, { bytes, provider: "wasm", warm: [[1, 2]] });
  const broken = outcome(queue.run(...CALL));
  await vi.advanceTimersByTimeAsync(1);
  fail("out of memory");
  expect(await broken).toBe("PolicyError: the model cannot be loaded: out of memory");

  const closed = stub(() => "hang");
  const asked = outcome(closed.queue.run(...CALL));
  await vi.advanceTimersByTimeAsync(1);
  closed.queue.dispose();
  expect(await asked).toMatch(/it was closed/);
  expect(await outcome(closed.queue.run(...CALL))).toBe("PolicyError: the policy was closed");
});

const answering = (logits: (place: number) => number) => ({
  run: (_tokens: BigInt64Array, _rows: number, _time: number, places: Uint32Array) =>
    Promise.resolve(Float32Array.from({ length: places.length * 16 }, (_, index) => logits(index))),
});
const REQUEST = { tokens: Uint32Array.of(2), automatonState: 1, slot: 0, rng: createRng(1) };

test("logits that are no numbers stop the policy where they count, and nowhere else", async () => {
  const shape = { columns: 16, rowsAtOnce: 4 };
  const sample = (logits: (place: number) => number) => createPlayerPolicy(answering(logits), shape, AUTOMATON, 32).sample([REQUEST], { greedy: true, maxTokens: 3 });
  await expect(sample((place) => (place % 16 === 4 ? Number.NaN : 0))).rejects.toThrow("the model's logit of token 4 is NaN, allowed are finite numbers");
  // Token 12 is legal only as an argument; what stands past the vocabulary is never read.
  const [completion] = await sample((place) => (place % 16 > 12 ? Number.NaN : place % 16 === 3 ? 5 : 0));
  expect(completion).toMatchObject({ tokens: Uint32Array.of(3, 1), stop: "end-of-action" });
});

test("a model that looks ahead is refused", async () => {
  const shape = { columns: 16, rowsAtOnce: 4 };
  await expect(refuseUnlessCausal(answering((index) => (index === 16 ? 1 : 0)), shape, 13, 32)).rejects.toThrow("the model is not causal");
  await refuseUnlessCausal(answering((index) => index % 16), shape, 13, 32);
});
