/** The desk's vocabulary: one word per number, item, order id and answer. */

/** Asked for in place of an item: the order shipped last. */
export const RECENT = "recent";

export const ITEMS: readonly string[] = [
  "lamp", "chair", "table", "desk", "sofa", "mirror", "clock", "kettle", "toaster", "blender", "pan", "mug", "towel", "carpet", "bicycle",
  "tent", "backpack", "jacket", "camera", "radio",
];
/** Only in `shifted`. */
export const SHIFTED_ITEMS: readonly string[] = ["drone", "piano", "violin", "telescope", "umbrella", "wallet", "printer", "keyboard"];

export const ORDER_IDS: readonly string[] = Array.from({ length: 20 }, (_, index) => `#${index + 1}`);

/** Days since shipping, in buckets of ten. */
export const AGES: readonly number[] = [10, 20, 30, 40, 50, 60, 70, 80, 90];
/** Days within which an order may be refunded. */
export const WINDOWS: readonly number[] = [20, 30, 50, 60, 80];
/** Only in `shifted`. */
export const SHIFTED_WINDOWS: readonly number[] = [40, 70];

/** The customer's answers beside an order id. */
export const AS_SAID = "as-said";
export const TOLD_ALREADY = "told-already";

/** Why a call came to nothing. `busy` is bad luck, the others are the agent's mistakes. */
export const BUSY = "busy";
export const NOT_FOUND = "not-found";
export const DONE_ALREADY = "done-already";
export const NOT_UNDERSTOOD = "not-understood";

/** In place of the age of an order that is not shipped; the kind of what a check of it says. */
export const PENDING = "pending";

/** Kinds of observations that the harness writes out; "request", "user" and "error" get markers of its own. */
const KINDS = ["orders", "shipped", PENDING, "refunded", "denied", "closed"] as const;

export const WORDS: readonly string[] = [
  ...KINDS, RECENT, ...ITEMS, ...SHIFTED_ITEMS, ...ORDER_IDS, ...AGES.map(String),
  AS_SAID, TOLD_ALREADY, BUSY, NOT_FOUND, DONE_ALREADY, NOT_UNDERSTOOD,
];
