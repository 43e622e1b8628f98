/** What was typed makes no sense: the message is one line, printed without a stack, and the exit code is 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
