/** Bytes a guest may use on top of the prepared realm. */
export const MEMORY_BYTES = 16 * 1024 * 1024;
/** Of the guest's stack. A Chromium worker's own stack was seen to hold up to 128 KB of it, and to fail from 160 KB on. */
export const STACK_BYTES = 128 * 1024;
/** UTF-16 code units of a source. */
export const MOST_SOURCE = 65_536;
/** Brackets within brackets, and prefix operators in a row: the parser recurses on both, before any limit of the guest's applies. */
export const DEEPEST_SOURCE = 256;
/** Steps between two calls of the engine's interrupt handler. */
export const STEPS_PER_POLL = 10_000;
/** Promise jobs that one run may execute. */
export const MOST_JOBS = 10_000;
/** Characters of a call's arguments as JSON, and of its encoded answer. */
export const MOST_TEXT = 4 * 1024 * 1024;
