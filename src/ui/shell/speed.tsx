import { useStore } from "zustand";
import { useWorkbench } from "../workbench-context.ts";
import { Select } from "../controls/native.tsx";

/** Least milliseconds from one update to the next. */
const PACES: readonly { readonly pace: number; readonly title: string }[] = [
  { pace: 0, title: "×1" },
  { pace: 500, title: "2 /s" },
  { pace: 2000, title: "½ /s" },
];

/** As fast as can be, or at most so many updates a second. Holds at once, also for a run under way. */
export function Speed() {
  const { controller } = useWorkbench();
  const chosen = useStore(controller.control, (control) => control.pace);
  return (
    <Select
      className="select speed"
      aria-label="Speed"
      title="Speed: ×1 is as fast as can be, else so many updates a second"
      value={chosen}
      onChange={(event) => controller.setPace(Number(event.target.value))}
    >
      {PACES.map(({ pace, title }) => (
        <option key={pace} value={pace}>
          {title}
        </option>
      ))}
    </Select>
  );
}
