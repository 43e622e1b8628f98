import { useState } from "react";
import { Icon } from "../icon.tsx";
import type { Alarm } from "./alarms.ts";

interface AlarmNoteProps {
  readonly alarms: readonly Alarm[];
  readonly isEmpty: boolean;
}

/** One alarm at a time, in words; its place is there before it is. */
export function AlarmNote({ alarms, isEmpty }: AlarmNoteProps) {
  const [turned, setTurned] = useState(0);
  const index = alarms.length === 0 ? 0 : turned % alarms.length;
  const alarm = alarms[index];
  return (
    <span className={alarm === undefined ? "alarm-note" : "alarm-note is-on"} role="status">
      {alarm === undefined ? (
        <span>{isEmpty ? "Alarms appear here, in words." : "No alarm."}</span>
      ) : (
        <>
          <Icon name="warning" />
          <span>{alarm.text}</span>
        </>
      )}
      {alarms.length > 1 && (
        <button className="btn btn-sm" type="button" aria-label={`Next alarm, ${index + 1}/${alarms.length} shown`} onClick={() => setTurned(index + 1)}>
          {index + 1}/{alarms.length}
        </button>
      )}
    </span>
  );
}
