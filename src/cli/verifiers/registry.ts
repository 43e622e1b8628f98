/** Checks files of real cases; what stands behind `turnwise verify NAME FILE…`. */
export interface Verifier {
  /** @returns the exit code: 0, or 1 when a case falls short; @throws UsageError (exit code 2) when options or files make no sense. */
  run(argv: readonly string[]): Promise<number>;
}

interface VerifierEntry {
  /** What follows `turnwise verify`, options in the order they are read. */
  readonly usage: string;
  /** One line for `turnwise verify --help`. */
  readonly summary: string;
  readonly load: () => Promise<Verifier>;
}

/** Real cases of the field: one file here and one entry each. */
export const VERIFIERS: Readonly<Record<string, VerifierEntry>> = {
  tau: {
    usage: "tau --db DIR --tasks FILE --expected FILE [--json]",
    summary: "replay τ-bench retail tasks: every observation and every final record must come out",
    load: async () => (await import("./tau.ts")).tau,
  },
  sokoban: {
    usage: "sokoban FILE… [--states 50000] [--json]",
    summary: "replay published solutions of JSON lines, .sok with .sol, or Boxoban text; fewest pushes where the search ends",
    load: async () => (await import("./sokoban.ts")).sokoban,
  },
  js: {
    usage: "js FILE [--json]",
    summary: "HumanEvalPack-style JSON lines: the canonical solution passes the test, the buggy one fails it",
    load: async () => (await import("./js.ts")).js,
  },
};

export const verifierOf = (name: string): VerifierEntry | undefined => (Object.hasOwn(VERIFIERS, name) ? VERIFIERS[name] : undefined);
