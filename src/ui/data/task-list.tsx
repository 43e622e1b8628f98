import { useId, useState } from "react";
import type { RetailTask } from "#environments/tau-retail/tasks.ts";
import { cases, useCases } from "./cases.ts";

const matches = (task: RetailTask, wanted: string): boolean =>
  [task.user_id, task.instruction, ...task.actions.map(({ name }) => name)].some((text) => text.toLowerCase().includes(wanted));

/** How many rows are drawn at once; a search finds the others. */
const MOST = 200;

export function TaskList() {
  const tasks = useCases((state) => state.tasks);
  const chosen = useCases((state) => state.chosen);
  const [search, setSearch] = useState("");
  const id = useId();
  const wanted = search.trim().toLowerCase();
  const found = tasks.flatMap((task, place) => (wanted === "" || matches(task, wanted) ? [{ task, place }] : []));
  return (
    <section className="panel case-tasks" aria-labelledby={id}>
      <h2 id={id}>Tasks</h2>
      <div className="field">
        <label htmlFor={`${id}-search`}>Search customer, tool or words</label>
        <input className="input" id={`${id}-search`} type="search" value={search} onChange={(event) => setSearch(event.target.value)} />
      </div>
      <p className="note" aria-live="polite">
        {found.length} of {tasks.length}
        {found.length > MOST && `, the first ${MOST} shown`}
      </p>
      <ul>
        {found.slice(0, MOST).map(({ task, place }) => (
          <li key={place}>
            <button type="button" aria-current={place === chosen ? "true" : undefined} onClick={() => cases.choose(place)}>
              <b>{place}</b>
              <span>
                {task.user_id}
                <span className="note">{task.actions.length === 0 ? "no actions" : [...new Set(task.actions.map(({ name }) => name))].join(", ")}</span>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
