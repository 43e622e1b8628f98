/** Presets of the desk whose observations the shared base policy has never met. */
const OF_THEIR_OWN: ReadonlySet<string> = new Set(["refund-desk-one-turn"]);

/** Which shipped policy a preset starts from: all desks where it has to be found out what is to be done share one. */
export const basePolicyOf = (preset: string): string => (preset.startsWith("refund-desk") && !OF_THEIR_OWN.has(preset) ? "refund-desk" : preset);
