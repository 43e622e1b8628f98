import { transfer } from "comlink";
import { fingerprint } from "#core/json.ts";
import type { TrainRuntime } from "#trainer/runtime.ts";
import type { RunArchive } from "#trainer/run-archive.ts";
import { createPolicyShelf, type PolicyShelf } from "#trainer/library/policy-shelf.ts";
import type { RunBatch } from "#trainer/run-batch.ts";
import { TrainerSession, type Clock } from "#trainer/session.ts";
import { reply } from "./reply.ts";
import type { TrainerApi } from "./trainer.api.ts";

/** A task of its own for each breath: messages that wait are handled first, and timers' clamping does not apply. */
function createClock(): Clock {
  const channel = new MessageChannel();
  const waiting: (() => void)[] = [];
  channel.port1.onmessage = () => waiting.shift()?.();
  return {
    now: () => performance.now(),
    breathe: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
        channel.port2.postMessage(null);
      }),
    after: (milliseconds, action) => {
      const timer = setTimeout(action, milliseconds);
      return () => clearTimeout(timer);
    },
  };
}

/** The worker's side: a session behind the typed API. */
export function createTrainerService(runtime: TrainRuntime, archive: RunArchive, policies: PolicyShelf = createPolicyShelf()): TrainerApi {
  let events: MessagePort | null = null;
  const publish = (batch: RunBatch): void => events?.postMessage(batch);
  const session = new TrainerSession(runtime, archive, publish, createClock());
  const done = (work: () => void | Promise<void>) =>
    reply(async () => {
      await work();
      return null;
    });
  return {
    connect: (port) => done(() => void (events = port)),
    prepare: (config, backend) => reply(() => session.prepare(config, backend)),
    start: (request) => reply(() => session.start(request)),
    pause: () => done(() => session.pause()),
    resume: () => done(() => session.resume()),
    step: () => done(() => session.step()),
    stop: () => done(() => session.stop()),
    assess: (request) => reply(() => session.questions.assess(request)),
    forkOptions: (place) => reply(() => session.questions.forkOptions(place)),
    fork: (request) => reply(() => session.questions.fork(request)),
    replay: (request) => reply(() => runtime.replay(request)),
    playTask: (request) => reply(() => runtime.playTask(request)),
    setPace: (milliseconds) => done(() => session.setPace(milliseconds)),
    setHidden: (isHidden) => done(() => session.setHidden(isHidden)),
    kept: () => reply(() => session.kept()),
    forget: (name) => done(() => session.forget(name)),
    addPolicy: (bytes) => reply(() => policies.add(bytes)),
    retryStorage: () => done(() => session.retryStorage()),
    ping: () => done(() => undefined),
    checkpoint: async (update) => {
      const answer = await reply(() => session.checkpoint(update));
      return answer.ok ? transfer(answer, [answer.value.bytes.buffer]) : answer;
    },
    snapshot: async () => {
      const answer = await reply(async () => {
        const weights = await session.snapshot();
        return { weights, fingerprint: fingerprint(weights) };
      });
      return answer.ok ? transfer(answer, [answer.value.weights.buffer]) : answer;
    },
  };
}
