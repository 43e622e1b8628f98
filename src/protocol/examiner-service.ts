import { transfer } from "comlink";
import type { Examiner } from "#trainer/player/examiner.ts";
import type { ExaminerApi } from "./examiner.api.ts";
import { reply } from "./reply.ts";

/** The worker's side: an examiner behind the typed API. */
export const createExaminerService = (examiner: Examiner): ExaminerApi => ({
  load: (source, config, provider) => reply(() => examiner.load(source, config, provider)),
  begin: (task, seed) => reply(() => examiner.begin(task, seed)),
  step: () => reply(() => examiner.step()),
  evaluate: (request, onProgress) => reply(() => examiner.evaluate(request, onProgress)),
  stop: () => reply(() => {
    examiner.stop();
    return null;
  }),
  async onnx() {
    const answer = await reply(() => examiner.onnx());
    return answer.ok ? transfer(answer, [answer.value.buffer]) : answer;
  },
});
