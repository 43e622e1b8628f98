import { createElement, type ReactNode } from "react";

interface MathProps {
  readonly children?: ReactNode;
}

/** React's types know no MathML. */
const element = (name: string) =>
  function MathElement({ children }: MathProps) {
    return createElement(name, null, children);
  };

export const Id = element("mi");
export const Op = element("mo");
export const Num = element("mn");
export const Row = element("mrow");
export const Frac = element("mfrac");
export const Sub = element("msub");
export const Sup = element("msup");
export const Over = element("mover");
export const Words = element("mtext");

/** Binomial coefficient. */
export const Choose = ({ of, take }: { readonly of: string; readonly take: string }) => (
  <Row>
    <Id>C</Id>
    <Op>(</Op>
    <Id>{of}</Id>
    <Op>,</Op>
    <Id>{take}</Id>
    <Op>)</Op>
  </Row>
);

interface FormulaProps {
  /** The same in words: for screen readers, and where MathML is not drawn. */
  readonly text: string;
  readonly children: ReactNode;
}

export const Formula = ({ text, children }: FormulaProps) => (
  <p className="formula" role="img" aria-label={text} title={text}>
    {createElement("math", { display: "block", alttext: text, "aria-hidden": "true" }, children)}
  </p>
);
