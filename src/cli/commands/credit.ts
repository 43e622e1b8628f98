import { parseArgs } from "node:util";
import { CREDIT_ASSIGNERS } from "#algorithms/credit/registry.ts";
import type { CreditId } from "#run/assessment.ts";
import { withArena } from "../arena.ts";
import { compareSchemes, type Comparison } from "#trainer/laboratory/compare.ts";
import { PRACTICE_GROUPS } from "#trainer/laboratory/practice.ts";
import type { Estimate } from "#trainer/laboratory/scores.ts";
import { openPolicy } from "#trainer/open-policy.ts";
import { FULL_TRUTH } from "#trainer/truth.ts";
import type { Command } from "../command.ts";
import { checkpointFor, openExecutor } from "../host.ts";
import { configured, presetOf, wholeNumber } from "../options.ts";
import { UsageError } from "../usage-error.ts";

const SCHEMES = Object.keys(CREDIT_ASSIGNERS) as readonly CreditId[];

function chosen(text: string | undefined): readonly CreditId[] {
  if (text === undefined) return SCHEMES;
  return text.split(",").map((name) => {
    const id = SCHEMES.find((known) => known === name);
    if (id === undefined) throw new UsageError(`--schemes has ${JSON.stringify(name)}; the schemes are ${SCHEMES.join(", ")}`);
    return id;
  });
}

/** One scheme as a line of JSON says it: values by name, intervals and counts beside them. */
const flattened = ({ id, fitted, correlation, signAgreement, goodQuestionsPunished, gradientCosine, extraTokens, extraSteps }: Comparison["schemes"][number]) => ({
  id,
  correlation: correlation.value, correlationInterval: correlation.interval,
  signAgreement: signAgreement.value, signAgreementInterval: signAgreement.interval, signAgreementCount: signAgreement.count,
  goodQuestionsPunished: goodQuestionsPunished.value, goodQuestionsPunishedInterval: goodQuestionsPunished.interval, goodQuestionsPunishedCount: goodQuestionsPunished.count,
  gradientCosine: gradientCosine.value, gradientCosineInterval: gradientCosine.interval,
  extraTokens: extraTokens.value, extraTokensInterval: extraTokens.interval, extraSteps,
  fitted,
});

const shown = ({ value, interval }: Estimate): string => (value === null ? "–" : `${value.toFixed(3)}${interval === null ? "" : ` [${interval.map((bound) => bound.toFixed(3)).join(", ")}]`}`);

const table = ({ schemes, truth }: Comparison): string => [
  `${truth.groups} groups, ${truth.mixedGroups} with mixed outcome, ${truth.turns} turns; ${(100 * truth.exactShare).toFixed(0)} % exact, mean half-width of skill ${truth.meanHalfWidth.toFixed(3)}`,
  "",
  "| scheme | correlation with skill | sign agreement | good questions punished | gradient cosine | extra tokens a trajectory |",
  "|---|---|---|---|---|---|",
  ...schemes.map(({ id, correlation, signAgreement, goodQuestionsPunished, gradientCosine, extraTokens }) => {
    const questions = goodQuestionsPunished.value === null ? `too few good questions left (${goodQuestionsPunished.count})` : `${shown(goodQuestionsPunished)} of ${goodQuestionsPunished.count}`;
    return `| ${id} | ${shown(correlation)} | ${shown(signAgreement)} of ${signAgreement.count} | ${questions} | ${shown(gradientCosine)} | ${extraTokens.value?.toFixed(0) ?? "–"} |`;
  }),
  "",
].join("\n");

export const credit: Command = {
  summary: "hold every credit scheme against the truth, on the same trajectories",
  usage: [
    "usage: turnwise credit --preset PRESET [options]", "",
    "  --preset PRESET     whose environment, group size and reward are used",
    "  --policy FILE       a checkpoint instead of the base policy",
    "  --groups N          groups of training tasks that are sampled (default 200)",
    "  --seed N            of tasks and trajectories (default 0)",
    "  --schemes A,B       only these (default: all)",
    "  --set PATH=VALUE    one setting of the preset, such as algorithm.groupSize=4; may be repeated",
    "  --json              one line of JSON at the end instead of a table", "",
  ].join("\n"),
  async run(argv) {
    const { values } = parseArgs({
      args: [...argv],
      options: {
        preset: { type: "string" }, policy: { type: "string", default: "base" }, groups: { type: "string", default: "200" }, seed: { type: "string", default: "0" },
        schemes: { type: "string" }, set: { type: "string", multiple: true, default: [] }, json: { type: "boolean", default: false },
      },
    });
    const config = configured(presetOf(values.preset), values.set);
    const [groups, seed] = [wholeNumber("groups", values.groups, 1, 10_000), wholeNumber("seed", values.seed, 0, 4294967295)];
    const schemes = chosen(values.schemes);
    const checkpoint = await checkpointFor(values.policy, config.preset);
    const executor = await openExecutor("wasm", "simd128");
    return withArena(config, async (arena) => {
      const policy = openPolicy(executor, config, arena, checkpoint);
      const comparison = await compareSchemes({
        config, arena, executor, policy, groups, seed, schemes, form: FULL_TRUTH, practice: PRACTICE_GROUPS, gate: () => Promise.resolve(), progress: (line) => void process.stderr.write(`${line}\n`),
      });
      policy.dispose();
      if (values.json) process.stdout.write(`${JSON.stringify({ schemes: comparison.schemes.map(flattened), truth: comparison.truth })}\n`);
      else process.stdout.write(table(comparison));
      return 0;
    });
  },
};
