/** Updates whose groups the trainer can be asked about, at a time: some half a megabyte of weights and as much of trajectories each. */
export const HELD_UPDATES = 6;
