import { useMemo } from "react";
import type { RetailDatabase } from "#environments/tau-retail/database.ts";
import type { RetailTask } from "#environments/tau-retail/tasks.ts";
import { passesByDoingNothing } from "#environments/tau-retail/verdict.ts";
import type { CasesMode } from "#store/cases-store.ts";
import { Icon } from "../icon.tsx";
import { ActView } from "./act-view.tsx";
import { cases, useCases } from "./cases.ts";
import { Files } from "./files.tsx";
import { ReplayView } from "./replay-view.tsx";
import { TaskList } from "./task-list.tsx";
import "../styles/data.css";

/** Tasks of a published benchmark, replayed and played by hand. */
export default function Data() {
  const database = useCases((state) => state.database);
  const task = useCases((state) => state.tasks[state.chosen]);
  const chosen = useCases((state) => state.chosen);
  return (
    <main className="cases" id="main" tabIndex={-1}>
      <header>
        <h1>Real cases</h1>
        <p>
          Retail tasks of τ-bench: a customer, a shop’s database, sixteen tools. Open its <code>users.json</code>, <code>orders.json</code>,{" "}
          <code>products.json</code> and a list of tasks, step through the reference actions, or act as the agent yourself.
        </p>
      </header>
      <Files />
      {database !== null && task !== undefined && (
        <div className="case-body">
          <TaskList />
          <TaskView key={chosen} database={database} task={task} place={chosen} />
        </div>
      )}
    </main>
  );
}

const MODES: readonly { readonly mode: CasesMode; readonly title: string }[] = [
  { mode: "replay", title: "Replay the reference" },
  { mode: "act", title: "Act as the agent" },
];

interface TaskViewProps {
  readonly database: RetailDatabase;
  readonly task: RetailTask;
  readonly place: number;
}

function TaskView({ database, task, place }: TaskViewProps) {
  const shown = useCases((state) => state.mode);
  const isIdlePass = useMemo(() => passesByDoingNothing(database, task), [database, task]);
  return (
    <section className="panel case-task" aria-labelledby="case-title">
      <h2 id="case-title">
        Task {place} <span>{task.user_id}</span>
      </h2>
      <p className="case-instruction">{task.instruction}</p>
      {task.outputs.length > 0 && (
        <p className="note">
          The agent must say{" "}
          {task.outputs.map((output, index) => (
            <span key={output}>
              {index > 0 && ", "}
              <b>{output}</b>
            </span>
          ))}
          .
        </p>
      )}
      {isIdlePass && (
        <p className="case-idle">
          <Icon name="info" />
          Doing nothing passes this task: a success here shows little.
        </p>
      )}
      <div className="case-bar" role="group" aria-label="What to do with the task">
        {MODES.map(({ mode, title }) => (
          <button key={mode} className="btn" type="button" aria-pressed={mode === shown} onClick={() => cases.show(mode)}>
            {title}
          </button>
        ))}
      </div>
      {shown === "replay" ? <ReplayView database={database} task={task} /> : <ActView database={database} task={task} />}
    </section>
  );
}
