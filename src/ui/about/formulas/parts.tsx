import type { Term } from "../../inspector/formulas/math.tsx";
import { Id, Sup, Words } from "../mathml.tsx";

const WORDS: Readonly<Record<string, string>> = { "γ": "gamma", "α": "alpha", "−": " minus ", "+": " plus " };
const spoken = (text: string): string => text.replaceAll(/[γα−+]/g, (symbol) => WORDS[symbol] ?? symbol);

export const power = (of: string, exponent: string): Term => ({
  node: (
    <Sup>
      <Id>{of}</Id>
      <Id>{exponent}</Id>
    </Sup>
  ),
  text: `${spoken(of)} to the power ${spoken(exponent)}`,
});

/** Words in a formula, with the space that letters do not get. */
export const words = (text: string): Term => ({ node: <Words>{`\u00a0${text}\u00a0`}</Words>, text });
