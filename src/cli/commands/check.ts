import { parseArgs } from "node:util";
import { LinkError } from "#core/errors.ts";
import { marksOf, type Evidence } from "#run/evidence.ts";
import { reproduction, type Reproduction } from "#run/reproduction.ts";
import { PRESETS, type RunConfig } from "#run/run-config.ts";
import type { RunEvent } from "#run/run-event.ts";
import { decodeEvidence } from "#share/evidence-codec.ts";
import { settingsFrom } from "#share/link-settings.ts";
import { decodeRunLink } from "#share/run-link.ts";
import { openPolicy, policyOptionsOf } from "#trainer/open-policy.ts";
import { replayRecorded } from "#trainer/replay.ts";
import { networksOf } from "#trainer/scorer/open.ts";
import { train } from "#trainer/train.ts";
import { withArena } from "../arena.ts";
import type { Command } from "../command.ts";
import { fingerprintOf } from "../evidence-link.ts";
import { arithmeticOf, BACKENDS, checkpointFor, openExecutor, type BackendName } from "../host.ts";
import { oneOfWords } from "../options.ts";
import { progressWriter } from "../progress.ts";
import { onThreads, THREADS_USAGE, threadsOf } from "../threads.ts";
import { UsageError } from "../usage-error.ts";

const OPTIONS = {
  read: { type: "boolean", default: false }, backend: { type: "string" }, arithmetic: { type: "string" }, threads: { type: "string" }, json: { type: "boolean", default: false },
} as const;

/** What computes in an arithmetic here. */
const BACKEND_OF: Readonly<Record<Evidence["arithmetic"], BackendName>> = { simd128: "wasm", relaxed: "wasm", webgpu: "webgpu", reference: "reference" };

interface Checked {
  readonly config: RunConfig;
  readonly evidence: Evidence;
  readonly notes: readonly string[];
}

/** @throws LinkError for what is no link with evidence */
async function opened(link: string): Promise<Checked> {
  const reading = await decodeRunLink(link.includes("#") ? link.slice(link.indexOf("#")) : link);
  if (reading === null) throw new LinkError("this is no link to a run: what is wanted begins with #/play?v=1");
  const { config, extras, notes } = reading;
  if (extras.evidence === null) throw new LinkError("the link carries no evidence, so there is nothing to check: train --link makes one that does");
  return { config, evidence: decodeEvidence(config, extras.evidence), notes: notes.map(({ message }) => message) };
}

/** Trains until the last mark that the evidence has. */
async function verdictOf({ config, evidence }: Checked, backend: BackendName, arithmetic: string | undefined, threads: number): Promise<Reproduction> {
  const flavour = arithmeticOf(backend, arithmetic ?? (backend === "wasm" && evidence.arithmetic === "relaxed" ? "relaxed" : undefined));
  const checkpoint = await checkpointFor(config.from, config.preset);
  const executor = await openExecutor(backend, flavour);
  const progress = progressWriter(process.stderr, config.updates);
  return withArena(config, async (arena) => {
    const policy = await onThreads(openPolicy(executor, config, arena, checkpoint), policyOptionsOf(config, arena), backend, flavour, threads);
    const networks = await networksOf(config, arena, executor, policy);
    const last = evidence.marks.at(-1)?.update ?? 0;
    const events: RunEvent[] = [];
    const verdict = (): Reproduction => {
      const own = marksOf(events);
      return own === null ? { kind: "waiting" } : reproduction(evidence, own, config.algorithm.groupSize * config.algorithm.groupsPerUpdate);
    };
    for await (const event of train(config, { arena, policy, networks, now: () => performance.now(), gate: () => Promise.resolve() })) {
      if (event.type !== "group") events.push(event);
      progress(event);
      if (event.type === "update" && (event.update >= last || verdict().kind === "diverged")) break;
    }
    networks.dispose();
    policy.dispose();
    return verdict();
  });
}

function told(verdict: Reproduction): string {
  if (verdict.kind === "waiting") return "nothing to compare: the run ended before its first mark";
  if (verdict.kind === "same") return `same: the weights' bits agree at every mark up to update ${verdict.until}`;
  if (verdict.kind === "within") return `within tolerance up to update ${verdict.until}: successes differ by at most ${verdict.success.toFixed(3)}, the way of the weights by ${(100 * verdict.drift).toFixed(1)} %`;
  return verdict.by === 0 ? "diverged: the starting weights are others" : `diverged between updates ${verdict.after} and ${verdict.by}`;
}

/** 0 only where something was compared and agreed. */
export const exitCodeOf = ({ kind }: Reproduction): 0 | 1 => (kind === "same" || kind === "within" ? 0 : 1);

export const check: Command = {
  summary: "train again what a link tells of, and say whether it came out the same",
  usage: [
    "usage: turnwise check LINK [options]", "",
    "  LINK                with evidence, as the page's Share dialog or train --link writes it; in quotes",
    "  --read              only say what is in it and play its trajectories; nothing is trained",
    "  --backend NAME      wasm, webgpu or reference (default: what it was recorded in)",
    "  --arithmetic NAME   simd128 or relaxed (wasm only; default: what it was recorded in)",
    THREADS_USAGE,
    "  --json              the verdict as one line of JSON", "",
    "exit code 0: the same, or within tolerance; 1: diverged, nothing to compare, or no such link; 2: evidence without marks, or a wrong option", "",
  ].join("\n"),
  async run(argv) {
    const { values, positionals } = parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true });
    const [link] = positionals;
    if (link === undefined || positionals.length > 1) throw new UsageError("one LINK is wanted, in quotes");
    const checked = await opened(link);
    const { config, evidence, notes } = checked;
    for (const note of notes) process.stderr.write(`turnwise: ${note}\n`);
    const { trajectories } = evidence;
    if (values.read) {
      const group = trajectories === null ? null : await withArena(config, (arena) => replayRecorded(arena, { config, recorded: trajectories }));
      const about = {
        preset: config.preset, differs: settingsFrom(PRESETS[config.preset], config).map(([path, text]) => `${path}=${text}`), arithmetic: evidence.arithmetic,
        update: evidence.update, updates: config.updates, fingerprint: fingerprintOf(evidence),
      };
      if (values.json) process.stdout.write(`${JSON.stringify({ ...about, group })}\n`);
      else process.stdout.write(`${Object.entries(about).map(([name, value]) => `${name.padEnd(12)}${Array.isArray(value) ? value.join(" ") || "nothing" : value}`).join("\n")}\ntrajectories ${group === null ? "none" : `${group.members.length} of update ${trajectories?.update}, rewards ${group.members.map(({ reward }) => reward).join(" ")}`}\n`);
      return 0;
    }
    if (evidence.marks.length === 0) throw new UsageError("the evidence has no mark of the weights, so there is nothing to compare with: --read says what is in it");
    const backend = values.backend === undefined ? BACKEND_OF[evidence.arithmetic] : oneOfWords("backend", values.backend, BACKENDS);
    const verdict = await verdictOf(checked, backend, values.arithmetic, threadsOf(values.threads));
    process.stdout.write(values.json ? `${JSON.stringify(verdict)}\n` : `${told(verdict)}\n`);
    return exitCodeOf(verdict);
  },
};
