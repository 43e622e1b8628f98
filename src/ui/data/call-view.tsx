import type { ToolCall } from "#environments/tau-retail/call.ts";
import type { Json } from "#core/trajectory.ts";

const shown = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value));

/** A tool call as the agent wrote it. */
export const CallView = ({ call }: { readonly call: ToolCall }) => (
  <dl className="message">
    <dt>tool</dt>
    <dd>{call.name}</dd>
    {Object.entries(call.kwargs).map(([name, value]) => (
      <div className="case-argument" key={name}>
        <dt>{name}</dt>
        <dd>{shown(value)}</dd>
      </div>
    ))}
  </dl>
);

/** Records are laid out over lines; other texts stay as they are. */
function laidOut(observation: string): string {
  if (!/^[[{]/.test(observation)) return observation;
  try {
    return JSON.stringify(JSON.parse(observation), null, 2);
  } catch {
    return observation;
  }
}

export function Observation({ text, label }: { readonly text: string | null; readonly label: string }) {
  if (text === null) return <p className="note">Handing over ends an episode; a replay passes over it.</p>;
  if (text === "") return <p className="note">Nothing came back.</p>;
  return (
    <pre className="case-observation" tabIndex={0} role="group" aria-label={label}>
      {laidOut(text)}
    </pre>
  );
}
