import type { Services, Task } from "#core/environment.ts";
import { withArena as open, type Arena } from "#trainer/arena.ts";
import type { RunConfig } from "#run/run-config.ts";
import { codeRunner } from "./code-runner.ts";

/** What environments may use of this machine; the engine is loaded with the first run. */
const SERVICES: Services = { codeRunner: codeRunner() };

/** `withArena` of the trainer, with this machine's services. */
export const withArena = <R>(config: RunConfig, within: <T extends Task, S>(arena: Arena<T, S>) => R): R => open(config, within, SERVICES);
