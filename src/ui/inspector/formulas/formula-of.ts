import { turnTruth } from "#store/credit-board.ts";
import { criticFormula } from "./critic.ts";
import type { Derivation, FormulaInput } from "./derivation.ts";
import { flatFormula } from "./flat.ts";
import { gigpoFormula } from "./gigpo.ts";
import { istarFormula } from "./istar.ts";
import { processFormula } from "./process.ts";
import { branchingFormula, dialFormula, truthFormula } from "./truth.ts";

/** The scheme's formula filled in; null for a scheme whose formula is not drawn. */
export function formulaOf(input: FormulaInput): Derivation | null {
  const { config } = input;
  switch (config.id) {
    case "flat":
    case "leave-one-out":
      return flatFormula({ ...input, config });
    case "process":
      return processFormula({ ...input, config });
    case "gigpo":
      return gigpoFormula({ ...input, config });
    case "critic":
      return criticFormula({ ...input, config });
    case "istar":
      return istarFormula({ ...input, config });
    case "dial":
      return dialFormula({ ...input, config });
    case "branching":
      return branchingFormula(input);
    case "truth": {
      const truth = turnTruth(input.truth, input.at);
      return truth === null ? null : truthFormula(truth);
    }
    default:
      return null;
  }
}
