import type { RunConfig } from "#run/run-config.ts";
import type { EvaluationRequest } from "#trainer/evaluate.ts";
import type { Examination, LoadedPolicy, PlayedEpisode, PolicySource, Progress } from "#trainer/player/examiner.ts";
import type { Provider } from "#trainer/player/messages.ts";
import type { Reply } from "./trainer.api.ts";

/** Commands of the worker in which policies of onnxruntime-web act beside the native engine. */
export interface ExaminerApi {
  /** A policy that is refused leaves the one before it in place. */
  load(source: PolicySource, config: RunConfig, provider: Provider): Promise<Reply<LoadedPolicy>>;
  begin(task: number, seed: number): Promise<Reply<PlayedEpisode>>;
  step(): Promise<Reply<PlayedEpisode>>;
  evaluate(request: EvaluationRequest, onProgress: (progress: Progress) => void): Promise<Reply<Examination>>;
  stop(): Promise<Reply<null>>;
  /** The model as it is run. */
  onnx(): Promise<Reply<Uint8Array<ArrayBuffer>>>;
}
