/** Share of the demonstrations that are a person's own, where the configuration carries any: seen often enough to be learnt, the others not forgotten. */
export const OWN_SHARE = 0.25;
