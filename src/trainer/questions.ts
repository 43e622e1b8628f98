import { DeviceLostError, PolicyError } from "#core/errors.ts";
import type { Assessed, AssessRequest, ForkOptions, ForkRequest, ForkResult, GroupSource, TurnPlace } from "#run/assessment.ts";
import { isPaused, type ActiveRun } from "./active-run.ts";
import { Inquiries } from "./inquiries.ts";
import type { Laboratory } from "./laboratory.ts";
import type { SessionNote } from "./run-batch.ts";
import { RunStopped, type Gate, type OpenRun, type TrainRuntime } from "./runtime.ts";

export interface QuestionParts {
  readonly runtime: Pick<TrainRuntime, "study">;
  active(): ActiveRun | null;
  note(run: ActiveRun, note: SessionNote): void;
  /** Milliseconds. */
  now(): number;
  /** Lets commands in, and work that only waits for the weights to be at rest. */
  breathe(): Promise<void>;
}

/** Share of a run's time that looking at its newest groups may take. */
const GLANCE_SHARE = 0.1;
/** What the first look is taken to cost, in milliseconds. */
const FIRST_GLANCE = 200;

/** What the page may ask a session about groups: in full while a run is paused, has ended or was not started; at a glance while it goes on. */
export class Questions {
  readonly #parts: QuestionParts;
  readonly #inquiries: Inquiries;
  #study: { readonly key: string; readonly laboratory: Promise<Laboratory> } | null = null;
  #glanced = 0;
  #cost = FIRST_GLANCE;

  constructor(parts: QuestionParts) {
    this.#parts = parts;
    this.#inquiries = new Inquiries(() => parts.breathe());
  }

  assess(request: AssessRequest): Promise<Assessed | null> {
    const run = this.#parts.active();
    const part = (assessed: Assessed): void => {
      if (request.source.kind === "run" && run !== null) this.#parts.note(run, { type: "assessment", ...assessed });
    };
    return this.#ask(request.source, (laboratory, gate) => laboratory.assess(request, gate, part));
  }

  forkOptions(place: TurnPlace): Promise<ForkOptions | null> {
    return this.#ask(place.source, (laboratory, gate) => laboratory.forkOptions(place, gate));
  }

  fork(request: ForkRequest): Promise<ForkResult | null> {
    return this.#ask(request.source, (laboratory, gate) => laboratory.fork(request, gate));
  }

  /** Resolves when nothing of a question computes any more. */
  cancel(): Promise<void> {
    return this.#inquiries.cancel();
  }

  /** Works on the questions there are, the run being paused. @returns whether there was one */
  work(): Promise<boolean> {
    return this.#inquiries.work();
  }

  /** A run begins: what was held for questions before it goes. */
  async leave(): Promise<void> {
    await this.cancel();
    const study = this.#study;
    this.#study = null;
    [this.#glanced, this.#cost] = [this.#parts.now(), FIRST_GLANCE];
    await study?.laboratory.then((laboratory) => laboratory.dispose(), () => undefined);
  }

  /** Looks at the group shown of the update that has just ended, if there is time for it. Any command cuts it short. */
  async glance(run: ActiveRun, { laboratory }: OpenRun): Promise<void> {
    const { now, breathe, note } = this.#parts;
    const since = now();
    if (run.mode !== "running" || (since - this.#glanced) * GLANCE_SHARE < this.#cost) return;
    try {
      const assessed = await laboratory.glance(async () => {
        await breathe();
        if (run.mode !== "running") throw new RunStopped();
      });
      if (assessed !== null) note(run, { type: "assessment", ...assessed });
    } catch (error) {
      // The run does not depend on what is found out about it; who asks while it is paused is told what went wrong.
      if (error instanceof DeviceLostError) throw error;
    } finally {
      this.#glanced = now();
      this.#cost = this.#glanced - since;
    }
  }

  /** @throws PolicyError when there is no run to ask about */
  async #ask<A>(source: GroupSource, question: (laboratory: Laboratory, gate: Gate) => Promise<A>): Promise<A | null> {
    const run = this.#parts.active();
    const isUnderWay = run !== null && run.ending === null;
    if (isUnderWay && (!isPaused(run) || run.isRecovering)) return null;
    const own = run?.open?.laboratory;
    if (source.kind === "run" && own === undefined) throw new PolicyError("there is no run to ask about");
    const answer = this.#inquiries.ask(async (gate) => question(source.kind === "run" && own ? own : await this.#studied(source), gate));
    if (isUnderWay) run.wake();
    else void this.#inquiries.work();
    return answer;
  }

  async #studied(source: GroupSource): Promise<Laboratory> {
    if (source.kind === "run") throw new PolicyError("there is no run to ask about");
    const { recording } = source;
    const key = JSON.stringify(recording);
    if (this.#study?.key === key) return this.#study.laboratory;
    const laboratory = this.#parts.runtime.study(recording);
    void this.#study?.laboratory.then((old) => old.dispose(), () => undefined);
    this.#study = { key, laboratory };
    laboratory.catch(() => {
      if (this.#study?.laboratory === laboratory) this.#study = null;
    });
    return laboratory;
  }
}
