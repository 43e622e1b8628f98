import { createElement, type ReactNode } from "react";
import { Frac, Id, Num, Op, Over, Row, Sub, Words } from "../../about/mathml.tsx";
import { fixed } from "../../format.ts";

/** A piece of a formula as it is drawn and as it is read out. */
export interface Term {
  readonly node: ReactNode;
  readonly text: string;
}
export type Part = Term | string;

const SPOKEN: Readonly<Record<string, string>> = {
  "=": "equals", "+": "plus", "−": "minus", "·": "times", "(": "(", ")": ")", ",": ",", "ln": "log", "σ": "sigma", "ε": "epsilon", "γ": "gamma", "λ": "lambda",
  "β": "beta", "ω": "omega", "δ": "delta", "π": "pi", "ρ": "rho", "ρ′": "rho clipped", "s′": "s clipped", "Φ": "Phi", "Δ": "delta", "μ": "mu", "±": "plus or minus", "±1": "plus or minus 1", "h′": "next h", "φ": "phi", "Σ": "sum",
};
const OPERATORS = new Set(["=", "+", "−", "·", ",", "|"]);
const BRACKETS = new Set(["(", ")"]);

function term(part: Part): Term {
  if (typeof part !== "string") return part;
  const text = SPOKEN[part] ?? part;
  if (part === "ln") return { node: <Words>ln&#8239;</Words>, text };
  // Brackets keep the size of what they stand beside.
  if (BRACKETS.has(part)) return { node: createElement("mo", { stretchy: "false" }, part), text };
  if (OPERATORS.has(part)) return { node: <Op>{part}</Op>, text };
  return { node: /^\d/.test(part) ? <Num>{part}</Num> : <Id>{part}</Id>, text };
}

const row = (parts: readonly Part[]): ReactNode => (
  <Row>
    {parts.map((part, index) => (
      <Row key={index}>{term(part).node}</Row>
    ))}
  </Row>
);
const text = (parts: readonly Part[]): string => parts.map((part) => term(part).text).join(" ");

/** Letters are names, digits numbers, the rest operators. */
export const line = (...parts: readonly Part[]): Term => ({ node: row(parts), text: text(parts) });

export const frac = (above: readonly Part[], below: readonly Part[]): Term => ({
  node: (
    <Frac>
      {row(above)}
      {row(below)}
    </Frac>
  ),
  text: `(${text(above)}) divided by (${text(below)})`,
});

export const sub = (of: string, below: string): Term => ({
  node: (
    <Sub>
      {term(of).node}
      {term(below).node}
    </Sub>
  ),
  text: `${SPOKEN[of] ?? of} ${SPOKEN[below] ?? below.replace("+", " plus ")}`,
});

export const mean = (of: Part): Term => ({
  node: (
    <Over>
      {term(of).node}
      <Op>¯</Op>
    </Over>
  ),
  text: `mean ${term(of).text}`,
});

/** A number; in brackets where its minus would follow another sign. */
export function num(value: number, digits = 3, bare = false): Term {
  const shown = fixed(Math.abs(value), digits);
  const isNegative = value < 0 && Number(shown) !== 0;
  if (!isNegative) return { node: <Num>{shown}</Num>, text: shown };
  const inner = (
    <Row>
      {!bare && term("(").node}
      <Op>−</Op>
      <Num>{shown}</Num>
      {!bare && term(")").node}
    </Row>
  );
  return { node: inner, text: `minus ${shown}` };
}
