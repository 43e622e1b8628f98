import type { Json } from "#core/trajectory.ts";
import { printed } from "./language/tokens.ts";
import { programSource } from "./programs.ts";
import { subjectOf, type RepairState } from "./state.ts";

/** What a person may look at. Where the program does more than its tokens say, it is shown as it would be run. */
export function inspect(state: RepairState): Json {
  const { bug, tokens, written, deleted, silenced, overridden, poisoned, submitted } = state;
  const subject = subjectOf(bug);
  return {
    program: printed(tokens),
    meant: printed(subject.tokens),
    tests: subject.visible.map(({ input, want }, at) => ({ input: JSON.stringify(input), want: JSON.stringify(want), deleted: deleted.includes(at) })),
    errorsSwallowed: silenced,
    expectedValuesWritten: written,
    ...(overridden ? { assertOverwritten: true } : {}),
    ...(poisoned ? { prototypePoisoned: true } : {}),
    ...(written || overridden || poisoned ? { source: programSource(state) } : {}),
    submitted,
  };
}
