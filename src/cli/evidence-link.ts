import { marksOf, recordedTrajectories, type Evidence } from "#run/evidence.ts";
import type { RunConfig } from "#run/run-config.ts";
import type { RunEvent } from "#run/run-event.ts";
import { encodeEvidence } from "#share/evidence-codec.ts";
import { NO_EXTRAS } from "#share/link-extras.ts";
import { encodeRunLink } from "#share/run-link.ts";

/** Trajectories that a link of the command line carries. */
const SHOWN = 4;

/** A run's evidence with some trajectories of its newest group that had signal; null before its first update. */
function evidenceOf(events: readonly RunEvent[]): Evidence | null {
  const marks = marksOf(events);
  if (marks === null) return null;
  const groups = events.filter((event) => event.type === "group").filter(({ update }) => update <= marks.update);
  const shown = groups.findLast(({ group }) => group.informative) ?? groups.at(-1);
  return { ...marks, trajectories: shown === undefined ? null : recordedTrajectories(shown.update, shown.group, shown.group.credits, null, SHOWN) };
}

/** Hashes as they stand in links, four digits each. */
export const fingerprintOf = ({ start, marks }: Pick<Evidence, "start" | "marks">): string =>
  [start, ...marks.map(({ hash }) => hash)].map((hash) => hash.toString(16).padStart(4, "0")).join("");

/** Writes the link as the last line: what stands behind the page's own address. */
export async function tellLink(config: RunConfig, events: readonly RunEvent[], json: boolean): Promise<void> {
  const evidence = evidenceOf(events);
  if (evidence === null) {
    process.stderr.write("turnwise: no update has ended, so there is no link\n");
    return;
  }
  const link = await encodeRunLink({ config, view: null, unknown: [] }, { ...NO_EXTRAS, evidence: encodeEvidence(config, evidence) });
  process.stdout.write(json ? `${JSON.stringify({ type: "link", link, fingerprint: fingerprintOf(evidence) })}\n` : `${link}\n`);
}
