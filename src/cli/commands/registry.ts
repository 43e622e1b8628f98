import type { Command } from "../command.ts";

/** Loaded when asked for, so that `help` does not load the trainer. */
export const COMMANDS = {
  pretrain: async () => (await import("./pretrain.ts")).pretrain,
  train: async () => (await import("./train.ts")).train,
  sweep: async () => (await import("./sweep.ts")).sweep,
  check: async () => (await import("./check.ts")).check,
  evaluate: async () => (await import("./evaluate.ts")).evaluate,
  record: async () => (await import("./record.ts")).record,
  exhibit: async () => (await import("./exhibit.ts")).exhibit,
  credit: async () => (await import("./credit.ts")).credit,
  export: async () => (await import("./export.ts")).exportPolicy,
  baselines: async () => (await import("./baselines.ts")).baselines,
  golden: async () => (await import("./golden.ts")).golden,
  help: async () => (await import("./help.ts")).help,
  verify: async () => (await import("./verify.ts")).verify,
} as const satisfies Record<string, () => Promise<Command>>;

export type CommandName = keyof typeof COMMANDS;

export const COMMAND_NAMES = Object.keys(COMMANDS) as readonly CommandName[];

export const isCommandName = (name: string): name is CommandName => Object.hasOwn(COMMANDS, name);
