import { useId } from "react";
import { Input } from "../controls/native.tsx";

interface KAxisProps {
  readonly longest: number;
  readonly k: number;
  readonly onChoose: (k: number) => void;
  readonly onPreview: (k: number | null) => void;
}

/** The axis of the chart is also the choice of k: arrows move it, the pointer previews it. */
export function KAxis({ longest, k, onChoose, onPreview }: KAxisProps) {
  const name = useId();
  return (
    <fieldset className="k-axis" onPointerLeave={() => onPreview(null)}>
      <legend className="vh">k, attempts at each task</legend>
      {Array.from({ length: longest }, (_, index) => index + 1).map((value) => (
        <label key={value} className={value === k ? "is-chosen" : undefined} onPointerEnter={() => onPreview(value)}>
          <Input type="radio" name={name} value={value} checked={value === k} onChange={() => onChoose(value)} />
          <span className="vh">k = </span>
          {value}
        </label>
      ))}
    </fieldset>
  );
}
