import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Reply } from "#protocol/trainer.api.ts";
import { createRng } from "#core/rng.ts";
import type { Assessed, AssessRequest } from "#run/assessment.ts";
import { PRESETS } from "#run/run-config.ts";
import { createAssessor } from "#store/assessor.ts";
import { createBoardStore } from "#store/board-store.ts";
import { createRunStore } from "#store/run-store.ts";
import { createViewStore } from "#store/view-store.ts";
import { fakeAssessment } from "../../fixtures/fake-laboratory.ts";
import { fakeGroup, fakeUpdate, started } from "../../fixtures/fake-run.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const config = PRESETS["refund-desk"];
const METERS = { wrongSign: { share: null, count: 0 }, goodQuestionsPunished: { share: null, count: 0 }, gradientCosine: null, groups: 0 };

function bench(answer: (request: AssessRequest) => Reply<Assessed | null>) {
  const run = createRunStore();
  const [view, board] = [createViewStore(), createBoardStore()];
  const asked: AssessRequest[] = [];
  const controller = {
    assess: async (request: AssessRequest): Promise<Reply<Assessed | null>> => {
      asked.push(request);
      const reply = answer(request);
      if (reply.ok && reply.value !== null) run.apply([{ type: "session-assessed", ...reply.value }]);
      return reply;
    },
  };
  const assessor = createAssessor({ run, view, board, controller, recorded: null });
  const group = fakeGroup(1, 4, 0.5, createRng(5));
  run.apply([{ type: "session-starting", run: 1, config }, started(config), { type: "group", update: 1, group }, fakeUpdate(1, createRng(1))]);
  const pause = () => run.apply([{ type: "session-paused" }]);
  const wait = () => vi.advanceTimersByTimeAsync(1_000);
  return { run, view, board, asked, assessor, group, pause, wait };
}
type Bench = ReturnType<typeof bench>;

const answering = (of: () => Bench) => ({ given, schemes }: AssessRequest): Reply<Assessed> =>
  ({ ok: true, value: { assessment: fakeAssessment(1, of().group, given, schemes), meters: METERS } });

test("nothing is asked while the run goes on; at a pause truth and the schemes of the board are, once", async () => {
  const it: Bench = bench(answering(() => it));
  await it.wait();
  expect(it.asked).toEqual([]);
  it.pause();
  await it.wait();
  expect(it.asked).toEqual([{ source: { kind: "run" }, groupId: it.group.groupId, given: "history", schemes: ["truth", "flat", "process", "gigpo", "critic", "istar"] }]);
  expect(it.assessor.getState()).toEqual({ asking: null, fault: null });
  it.view.show("why");
  await it.wait();
  expect(it.asked).toHaveLength(1);
});

test("another view of truth is asked without the schemes that are known; one more scheme with all of them", async () => {
  const it: Bench = bench(answering(() => it));
  it.pause();
  await it.wait();
  it.board.give("state");
  await it.wait();
  expect(it.asked[1]).toMatchObject({ given: "state", schemes: ["truth"] });
  it.board.give("history");
  it.board.add("hgpo");
  await it.wait();
  expect(it.asked[2]?.schemes).toContain("hgpo");
  expect(it.asked[2]?.schemes).toContain("critic");
});

test("a scheme that gets no row is not asked for again and again", async () => {
  const it: Bench = bench(({ given }) => ({ ok: true, value: { assessment: fakeAssessment(1, it.group, given, ["truth"]), meters: METERS } }));
  it.pause();
  await it.wait();
  it.view.show("why");
  await it.wait();
  expect(it.asked).toHaveLength(1);
});

test("what was cut short is asked again at the next pause; a fault is told and not repeated", async () => {
  let cut = true;
  const it: Bench = bench(() => (cut ? { ok: true, value: null } : { ok: false, error: { code: "policy", message: "group 1/0 is not held any more", detail: {} } }));
  it.pause();
  await it.wait();
  cut = false;
  it.run.apply([{ type: "session-running" }]);
  it.pause();
  await it.wait();
  expect(it.asked).toHaveLength(2);
  expect(it.assessor.getState().fault?.error.message).toContain("not held any more");
  it.view.show("why");
  await it.wait();
  expect(it.asked).toHaveLength(2);
});
