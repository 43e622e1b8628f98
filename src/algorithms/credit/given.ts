import type { Needs } from "#core/credit.ts";
import { ConfigError } from "#core/errors.ts";

/** What a need is, in words that go on from "needs". */
export const NEED_WORDS: Readonly<Record<Needs, string>> = {
  values: "values of a critic before every turn",
  tokenValues: "values of a critic before every token",
  stepScores: "implicit step rewards",
  tokenScores: "log-probabilities of an implicit reward model",
  tokenReferences: "log-probabilities of the policy that the implicit reward model started as",
  branchReturns: "fresh continuations from every turn",
  truth: "the value of every turn given the history",
};

/** @throws ConfigError when the trainer did not hand over what the scheme declared; `unmetNeeds` tells so before a run starts. */
export function given<T>(value: T | undefined, scheme: string, need: Needs): T {
  if (value !== undefined) return value;
  throw new ConfigError(`algorithm.credit is "${scheme}", which needs ${NEED_WORDS[need]}; this run has none`, { path: "algorithm.credit", need });
}
