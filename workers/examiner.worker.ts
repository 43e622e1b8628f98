import { expose } from "comlink";
import { createExaminerService } from "#protocol/examiner-service.ts";
import { createBrowserExaminer } from "#trainer/player/browser-examiner.ts";

const examiner = createBrowserExaminer({
  player: () => new Worker(new URL("./player.worker.ts", import.meta.url), { type: "module", name: "player" }),
  sandbox: () => new Worker(new URL("./sandbox.worker.ts", import.meta.url), { type: "module", name: "sandbox" }),
});
expose(createExaminerService(examiner));
