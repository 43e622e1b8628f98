import { evaluateObjective, objectiveOnDevice } from "#algorithms/objectives/implementations.ts";
import type { TrainBatch } from "#core/objective.ts";
import type { EnginePolicy } from "#engine/policy-backend.ts";
import type { StepMetrics } from "./metrics.ts";

type Algorithm = Parameters<typeof evaluateObjective>[0];
/** What a number that is not finite is answered with. */
type NotFinite = (what: "loss" | "gradient norm", value: number) => Error;

/**
 * Optimiser steps one after the other. Where the policy's executor works by itself as many are under way as it likes: an objective with a
 * form on the device takes one submit and no wait a step, another one waits for the statistics it is computed from. Elsewhere each step is
 * done before the next begins, with the objective as it is defined. Numbers come in the order of the steps.
 */
export class Steps {
  readonly #policy: EnginePolicy;
  readonly #algorithm: Algorithm;
  readonly #notFinite: NotFinite;
  #underWay: Promise<StepMetrics>[] = [];
  #done: StepMetrics[] = [];

  constructor(policy: EnginePolicy, algorithm: Algorithm, notFinite: NotFinite) {
    this.#policy = policy;
    this.#algorithm = algorithm;
    this.#notFinite = notFinite;
  }

  /**
   * @throws what `notFinite` makes of this step or of one before it. With the form on the device that is `queueDepth` steps late at most, and
   * the step was taken: whoever goes on does so from weights that were kept when `measured` had last resolved.
   */
  async take(batch: TrainBatch, learningRate: number): Promise<void> {
    const { learn, queueDepth } = this.#policy;
    const form = learn && objectiveOnDevice(this.#algorithm, batch);
    if (learn && form) {
      const report = learn(batch, form.loss, learningRate);
      this.#add(report.then(({ sums, gradNorm }) => this.#checked({ loss: sums.loss, gradNorm, metrics: form.metrics(sums) })));
    } else {
      const pass = await this.#policy.forward(batch);
      try {
        const grads = evaluateObjective(this.#algorithm, batch, pass.stats);
        const { loss, metrics } = grads;
        if (!Number.isFinite(loss)) throw this.#notFinite("loss", loss);
        await pass.backward(grads);
        this.#add(this.#policy.applyUpdate(learningRate).then(({ gradNorm }) => this.#checked({ loss, gradNorm, metrics })));
      } finally {
        pass.dispose();
      }
    }
    while (this.#underWay.length > queueDepth) await this.#settleFirst();
  }

  /** Numbers of the steps taken since this was last asked, all of them finite. @throws as `take` does */
  async measured(): Promise<readonly StepMetrics[]> {
    while (this.#underWay.length > 0) await this.#settleFirst();
    const done = this.#done;
    this.#done = [];
    return done;
  }

  #add(step: Promise<StepMetrics>): void {
    // Looked at in its turn; until then a rejection is no accident.
    step.catch(() => undefined);
    this.#underWay.push(step);
  }

  async #settleFirst(): Promise<void> {
    const first = this.#underWay.shift();
    if (first) this.#done.push(await first);
  }

  #checked(step: StepMetrics): StepMetrics {
    if (!Number.isFinite(step.loss)) throw this.#notFinite("loss", step.loss);
    if (!Number.isFinite(step.gradNorm)) throw this.#notFinite("gradient norm", step.gradNorm);
    return step;
  }
}
