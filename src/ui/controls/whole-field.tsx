import { useId, useState } from "react";

interface WholeFieldProps {
  readonly label: string;
  readonly value: number;
  readonly least?: number;
  readonly most: number;
  readonly onChange: (value: number) => void;
}

/** A whole number, at once as near as its range allows to what is typed; the text itself is put right when the field is left, so that it can be cleared. */
export function WholeField({ label, value, least = 1, most, onChange }: WholeFieldProps) {
  const id = useId();
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        className="input" id={id} type="number" min={least} max={most} step={1} required value={typed ?? String(value)}
        onChange={({ target }) => {
          setTyped(target.value);
          if (Number.isInteger(target.valueAsNumber)) onChange(Math.min(most, Math.max(least, target.valueAsNumber)));
        }}
        onBlur={() => setTyped(null)}
      />
    </div>
  );
}
