import { memo, useId, useState, type ReactNode } from "react";
import { valueAt } from "#store/config-path.ts";
import type { DraftIssue } from "#store/draft-store.ts";
import { Icon } from "../icon.tsx";
import { words } from "../format.ts";
import { entryOptions, faultOf, fieldAt, isPicklist, numberNote, type FieldDescription } from "./field.ts";
import { Input, Select } from "./native.tsx";

/** One setting of a form: its path, and the values offered where the schema leaves them open. */
export interface FieldSpec {
  readonly path: string;
  readonly options?: readonly { readonly value: string; readonly title: string }[];
}

export interface FormSection {
  readonly title: string;
  /** Fields that share a row. */
  readonly rows: readonly (readonly FieldSpec[])[];
}

export interface SchemaFormProps {
  readonly label: string;
  readonly sections: readonly FormSection[];
  readonly draft: unknown;
  readonly issue: DraftIssue | null;
  /** Whether the help of each setting is shown, or only read out. */
  readonly explain: boolean;
  /** Why a setting cannot be changed; null for those that can. */
  readonly lockOf: (path: string) => string | null;
  readonly onChange: (path: string, value: unknown) => void;
}

/** A form drawn from the schema of the settings: what a field is, says and takes stands there and nowhere else. */
export function SchemaForm({ label, sections, draft, issue, explain, lockOf, onChange }: SchemaFormProps) {
  return (
    <form aria-label={label} noValidate onSubmit={(event) => event.preventDefault()}>
      {sections.map(({ title, rows }) => (
        <fieldset key={title}>
          <legend className="vh">{title}</legend>
          {rows.filter((row) => row.some(({ path }) => fieldAt(draft, path) !== undefined)).map((row) => (
            <div className="field-row" key={row.map(({ path }) => path).join(" ")}>
              {row.map((spec) => {
                const field = fieldAt(draft, spec.path);
                return field === undefined ? null : (
                  <Field
                    key={spec.path}
                    field={field}
                    options={spec.options}
                    value={valueAt(draft, spec.path)}
                    complaint={issue?.path === spec.path ? issue.message : null}
                    explain={explain}
                    lock={lockOf(spec.path)}
                    onChange={onChange}
                  />
                );
              })}
            </div>
          ))}
        </fieldset>
      ))}
    </form>
  );
}

interface FieldProps {
  readonly field: FieldDescription;
  readonly options: FieldSpec["options"];
  readonly value: unknown;
  readonly complaint: string | null;
  readonly explain: boolean;
  readonly lock: string | null;
  readonly onChange: (path: string, value: unknown) => void;
}

const sameField = (a: FieldProps, b: FieldProps): boolean =>
  a.field.schema === b.field.schema && a.options === b.options && a.value === b.value && a.complaint === b.complaint && a.explain === b.explain && a.lock === b.lock && a.onChange === b.onChange;

const Field = memo(function Field({ field, options, value, complaint, explain, lock, onChange }: FieldProps) {
  const id = useId();
  const fault = faultOf(field, value) ?? complaint;
  const change = (next: unknown): void => onChange(field.path, next);
  const shared = { id, "aria-describedby": `${id}-help ${id}-fault${lock === null ? "" : ` ${id}-lock`}`, "aria-invalid": fault !== null, disabled: lock !== null } as const;
  const help = (
    <span className={explain ? "field-help" : "vh"} id={`${id}-help`}>
      {field.help}
    </span>
  );
  const locked = lock === null ? null : (
    <span className="field-lock" id={`${id}-lock`}>
      {lock}
    </span>
  );
  if (field.schema.type === "boolean") {
    return (
      <div className="switch">
        <label htmlFor={id}>{field.title}</label>
        <Input {...shared} type="checkbox" role="switch" checked={value === true} onChange={(event) => change(event.target.checked)} />
        {help}
        {locked}
      </div>
    );
  }
  return (
    <div className="field">
      <label htmlFor={id}>{field.title}</label>
      <Control field={field} options={options} value={value} shared={shared} change={change} />
      {help}
      {locked}
      <Fault id={`${id}-fault`}>{fault}</Fault>
    </div>
  );
}, sameField);

function Fault({ id, children }: { readonly id: string; readonly children: ReactNode }) {
  return (
    <span className={children === null ? "vh" : "field-error"} id={id} aria-live="polite">
      {children === null ? null : (
        <>
          <Icon name="warning" />
          <span>{children}</span>
        </>
      )}
    </span>
  );
}

interface ControlProps {
  readonly field: FieldDescription;
  readonly options: FieldSpec["options"];
  readonly value: unknown;
  readonly shared: { readonly id: string; readonly "aria-describedby": string; readonly "aria-invalid": boolean; readonly disabled: boolean };
  readonly change: (value: unknown) => void;
}

function Control({ field, options, value, shared, change }: ControlProps) {
  const { schema } = field;
  const entries = entryOptions(schema);
  if (entries.length > 0) {
    return (
      <Options
        shared={shared}
        value={String(valueAt(value, "id"))}
        options={entries.map(({ id, title }) => ({ value: id, title }))}
        change={(id) => change(entries.find((entry) => entry.id === id)?.defaults)}
      />
    );
  }
  // A value that a file or a link has brought is one more choice.
  const among = options?.some((option) => option.value === value) === false ? [...options, { value: String(value), title: words(String(value)) }] : options;
  if (among !== undefined) return <Options shared={shared} value={String(value)} options={among} change={change} />;
  if (isPicklist(schema)) {
    const choices = schema.options.map((option) => ({ value: option, title: words(option) }));
    return <Options shared={shared} value={String(value)} options={choices} change={change} />;
  }
  if (schema.type === "number") return <NumberInput field={field} value={value} shared={shared} change={change} />;
  return <Input {...shared} className="input" value={String(value)} onChange={(event) => change(event.target.value)} />;
}

interface OptionsProps {
  readonly shared: ControlProps["shared"];
  readonly value: string;
  readonly options: readonly { readonly value: string; readonly title: string }[];
  readonly change: (value: string) => void;
}

const Options = ({ shared, value, options, change }: OptionsProps) => (
  <Select {...shared} className="select" value={value} onChange={(event) => change(event.target.value)}>
    {options.map((option) => (
      <option key={option.value} value={option.value}>
        {option.title}
      </option>
    ))}
  </Select>
);

type NumberInputProps = Pick<ControlProps, "field" | "value" | "shared" | "change">;

/** Keeps what is typed until it is a number: a field that corrects half a number cannot be typed in. */
function NumberInput({ field, value, shared, change }: NumberInputProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const { min, max, step } = numberNote(field.schema);
  const isTyping = typed !== null && (value === null || Number(typed) === value);
  return (
    <Input
      {...shared}
      className="input"
      type="number"
      min={min}
      max={max}
      step={step ?? "any"}
      value={isTyping ? typed : String(value)}
      onChange={(event) => {
        setTyped(event.target.value);
        change(event.target.value.trim() === "" ? null : Number(event.target.value));
      }}
      onBlur={() => {
        if (typeof value === "number") setTyped(null);
      }}
    />
  );
}
