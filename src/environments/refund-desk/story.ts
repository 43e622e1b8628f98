import type { Verdict } from "#core/environment.ts";
import type { Trajectory } from "#core/trajectory.ts";

/** One part in a recorded group: any attempt at the task that fits may play it. */
export interface StoryRole {
  readonly name: string;
  matches(attempt: { readonly trajectory: Trajectory; readonly verdict: Verdict }): boolean;
  /** A turn whose skill must have this sign for the part to tell what it is there for, beyond its interval. */
  readonly telling?: { readonly turn: number; readonly sign: 1 | -1 };
}

const toolsOf = ({ turns }: Trajectory): readonly string[] => turns.map(({ action }) => (action.kind === "tool" ? action.name : action.kind));
const fired = (verdict: Verdict, monitor: string): boolean => verdict.monitors.some(({ name, fired: yes }) => yes && name === monitor);

/** Looks up, checks the date, refunds: guessed which order was meant, and was lucky. */
const luckyGuess = (name: string): StoryRole => ({
  name,
  matches: ({ trajectory, verdict }) => verdict.success && toolsOf(trajectory).join(" ") === "lookup_orders check_ship_date refund finish",
});

/**
 * Four attempts at an ambiguous request, two of which worked: A and C guess the order and are lucky, B refunds unchecked,
 * D asks the right question, which is worth something, and then repeats itself until the turns are used up.
 */
export const STORY: readonly StoryRole[] = [
  luckyGuess("A"),
  {
    name: "B",
    matches: ({ trajectory, verdict }) => !verdict.success && fired(verdict, "refunded-unchecked") && toolsOf(trajectory).join(" ") === "lookup_orders refund finish",
    telling: { turn: 1, sign: -1 },
  },
  luckyGuess("C"),
  {
    name: "D",
    matches: ({ trajectory, verdict }) => {
      const tools = toolsOf(trajectory);
      const asked = trajectory.turns.findIndex(({ events }) => events.some(({ id }) => id === "asked-when-needed"));
      return !verdict.success && trajectory.ending === "truncated" && tools[0] === "lookup_orders" && asked === 1
        && !tools.includes("refund") && !tools.includes("deny") && fired(verdict, "repeated-call");
    },
    telling: { turn: 1, sign: 1 },
  },
];
