import { useId, useState, type FormEvent } from "react";
import type { Json } from "#core/trajectory.ts";
import type { ParameterSchema } from "#environments/tau-retail/tool.ts";
import { RETAIL_TOOLS, retailTool } from "#environments/tau-retail/tools/registry.ts";
import { cases } from "./cases.ts";

const FIRST = "find_user_id_by_name_zip";

/** What was typed as the argument that the schema asks for: lists are written one entry a line. */
const valueOf = (schema: ParameterSchema, typed: string): Json =>
  schema.type === "array" ? typed.split(/[\n,]/).map((entry) => entry.trim()).filter((entry) => entry !== "") : typed;

const initial = (schema: ParameterSchema): string => (schema.type === "string" ? (schema.enum?.[0] ?? "") : "");

/** One form for all tools, drawn from the chosen tool's schema. What was typed for an argument is kept for the next tool that has it. */
export function ToolForm({ disabled }: { readonly disabled: boolean }) {
  const [name, setName] = useState(FIRST);
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});
  const id = useId();
  const tool = retailTool(name);
  if (tool === undefined) return null;
  const parameters = Object.entries(tool.parameters);
  const call = (event: FormEvent): void => {
    event.preventDefault();
    const kwargs = Object.fromEntries(parameters.map(([key, schema]) => [key, valueOf(schema, typed[key] ?? initial(schema))]));
    cases.call({ name, kwargs });
  };
  return (
    <form className="case-form" onSubmit={call}>
      <div className="field">
        <label htmlFor={`${id}-tool`}>Tool</label>
        <select className="select" id={`${id}-tool`} value={name} aria-describedby={`${id}-about`} onChange={(event) => setName(event.target.value)}>
          {RETAIL_TOOLS.map((option) => (
            <option key={option.name}>{option.name}</option>
          ))}
        </select>
        <span className="field-help" id={`${id}-about`}>
          {tool.description} {tool.mutates && "Changes the database."}
        </span>
      </div>
      {parameters.map(([key, schema]) => (
        <Argument
          key={key}
          id={`${id}-${key}`}
          name={key}
          schema={schema}
          value={typed[key] ?? initial(schema)}
          onChange={(value) => setTyped({ ...typed, [key]: value })}
        />
      ))}
      <button className="btn btn-primary" type="submit" disabled={disabled}>
        Call the tool
      </button>
    </form>
  );
}

interface ArgumentProps {
  readonly id: string;
  readonly name: string;
  readonly schema: ParameterSchema;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function Argument({ id, name, schema, value, onChange }: ArgumentProps) {
  const shared = { id, value, "aria-describedby": `${id}-help`, onChange: (event: { target: { value: string } }) => onChange(event.target.value) };
  return (
    <div className="field">
      <label htmlFor={id}>{name}</label>
      {schema.type === "array" ? (
        <textarea {...shared} className="input case-lines" rows={2} />
      ) : schema.enum === undefined ? (
        <input {...shared} className="input" autoComplete="off" />
      ) : (
        <select {...shared} className="select">
          {schema.enum.map((option) => (
            <option key={option}>{option}</option>
          ))}
        </select>
      )}
      <span className="field-help" id={`${id}-help`}>
        {schema.description} {schema.type === "array" && "One a line."}
      </span>
    </div>
  );
}
