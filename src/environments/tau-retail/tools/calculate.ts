import { evaluate } from "../arithmetic.ts";
import { elements, PythonError, typeName } from "../python.ts";
import { Refusal } from "../lookups.ts";
import { defineTool } from "../tool.ts";

const ALLOWED = "0123456789+-*/(). ";

export const calculate = defineTool({
  name: "calculate",
  className: "Calculate",
  description: "Works out a sum and rounds it to two digits.",
  parameters: {
    expression: { type: "string", description: "Numbers, + - * /, parentheses and blanks (for example 2 + 2)." },
  },
  mutates: false,
  access: "public",
  run(_draft, argument) {
    const expression = argument("expression");
    for (const part of elements(expression)) {
      if (typeof part !== "string") throw new PythonError(`'in <string>' requires string as left operand, not ${typeName(part)}`);
      if (!ALLOWED.includes(part)) throw new Refusal("Error: invalid characters in expression");
    }
    if (typeof expression !== "string") throw new PythonError("eval() arg 1 must be a string, bytes or code object");
    return evaluate(expression);
  },
});
