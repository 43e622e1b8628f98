import * as v from "valibot";
import type { Assign, CreditEntry } from "./entry.ts";
import { perTurn } from "./scorable.ts";

const schema = v.strictObject({});

/** Control: +1 or -1 with equal chance for every turn, whatever happened. What learns under it was learnt from something else. */
export const random: CreditEntry<typeof schema> = {
  id: "random",
  title: "Random (control)",
  needs: [],
  schema,
  defaults: {},
};

export const assign: Assign<typeof schema> = (groups, _, rng) =>
  groups.map(({ groupId, members }) =>
    members.map(({ trajectory }, index) => {
      const draws = rng.fork(`group/${groupId}/member/${index}`);
      return perTurn(trajectory.turns.map(() => (draws.next() < 0.5 ? 1 : -1)));
    }));
