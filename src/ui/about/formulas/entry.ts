import type { Term } from "../../inspector/formulas/math.tsx";

/** One formula of a registry entry, and in a sentence or two what it does. */
export interface Explained {
  readonly formula: readonly Term[];
  readonly says: string;
}
