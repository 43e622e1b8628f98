/** Held-out tasks that a single episode is chosen from. */
export const EPISODE_TASKS = 64;
