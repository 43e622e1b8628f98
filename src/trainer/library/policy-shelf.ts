import { PolicyError } from "#core/errors.ts";
import { fingerprint } from "#core/json.ts";
import { readCheckpoint, type Checkpoint } from "#engine/checkpoint.ts";
import { createDatabase } from "./database.ts";

/** What a setting `from` begins with that names a policy out of a file; its fingerprint follows. */
const FILE = "file:";

/** Policies out of files that runs start from; kept for as long as the page, and in IndexedDB where that is allowed. */
export interface PolicyShelf {
  /** @returns the setting `from` that names it. @throws PolicyError for what is no policy */
  add(bytes: Uint8Array<ArrayBuffer>): Promise<string>;
  /** @throws PolicyError where this browser has no such policy */
  get(from: string): Promise<Checkpoint>;
}

export const isFromFile = (from: string): boolean => from.startsWith(FILE);

export function createPolicyShelf(): PolicyShelf {
  const database = createDatabase();
  const known = new Map<string, Checkpoint>();
  return {
    add: async (bytes) => {
      const checkpoint = readCheckpoint(bytes);
      const id = `${FILE}${fingerprint(checkpoint.weights)}`;
      known.set(id, checkpoint);
      // A browser that stores nothing forgets it with the page.
      await database().then((db) => db.put("policies", bytes, id)).catch(() => undefined);
      return id;
    },
    get: async (from) => {
      const here = known.get(from);
      if (here !== undefined) return here;
      const bytes = await database().then((db) => db.get("policies", from)).catch(() => undefined);
      if (bytes === undefined) throw new PolicyError(`the policy ${from} is not in this browser: open its file under Runs first`);
      const checkpoint = readCheckpoint(bytes);
      known.set(from, checkpoint);
      return checkpoint;
    },
  };
}
