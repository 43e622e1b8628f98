import { useMemo } from "react";
import type { RetailDatabase } from "#environments/tau-retail/database.ts";
import { MONITORS, readMonitors } from "#environments/tau-retail/monitors.ts";
import type { RetailTask } from "#environments/tau-retail/tasks.ts";
import { judge } from "#environments/tau-retail/verdict.ts";
import type { Move } from "#store/cases-store.ts";
import { OutcomeMark } from "../board/outcome.tsx";
import { Icon } from "../icon.tsx";

interface VerdictViewProps {
  readonly database: RetailDatabase;
  readonly task: RetailTask;
  readonly moves: readonly Move[];
}

/** The end state and the outputs decide; the policy's monitors stand apart. */
export function VerdictView({ database, task, moves }: VerdictViewProps) {
  const verdict = useMemo(() => {
    const messages = moves.flatMap(({ event }) => (event.kind === "said" && event.by === "agent" ? [event.text] : []));
    return judge(database, task, moves.at(-1)?.after ?? database, messages);
  }, [database, task, moves]);
  const monitors = useMemo(() => readMonitors(database, moves.map(({ event }) => event), true), [database, moves]);
  return (
    <section className="case-verdict" aria-label="Verdict">
      <h3>
        <span className="role role-verifier" aria-hidden="true" />
        {verdict.success ? "Passed, if the episode ended here" : "Not passed, if the episode ended here"}
      </h3>
      <ul className="checks">
        <li>
          <OutcomeMark success={verdict.records.length === 0} />
          {verdict.records.length === 0 ? "The database is as the reference leaves it" : "The database is not as the reference leaves it"}
        </li>
        {verdict.records.map(({ table, id, fault }) => (
          <li key={`${table} ${id}`} className="case-fault">
            {id}: {fault}
          </li>
        ))}
        {verdict.outputs.map(({ output, said }) => (
          <li key={output}>
            <OutcomeMark success={said} />“{output}” {said ? "was said" : "was not said"}
          </li>
        ))}
      </ul>
      <h3>
        <span className="role role-verifier" aria-hidden="true" />
        Policy, not part of the verdict
      </h3>
      <ul className="checks">
        {monitors.map(({ id, broken }) => (
          <li key={id}>
            <Icon name={broken.length > 0 ? "warning" : "info"} />
            <span>
              {MONITORS[id]}:{" "}
              {broken.length > 0 ? <b>broken at {broken.map((place) => place + 1).join(", ")}</b> : "kept so far"}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
