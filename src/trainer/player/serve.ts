import type { FromPlayer, OpenSession, PlayerSession, ToPlayer } from "./messages.ts";

/** The worker's side: one session, its answers as messages. What it throws is told, never thrown. */
export function servePlayer(open: OpenSession, post: (message: FromPlayer) => void): (message: ToPlayer) => Promise<void> {
  let session: PlayerSession | undefined;
  const answer = async (message: ToPlayer): Promise<FromPlayer> => {
    if (message.type === "open") {
      session = await open(message.bytes, message.provider);
      for (const [rows, time] of message.warm) await session.run(new BigInt64Array(rows * time), rows, time);
      return { type: "opened" };
    }
    if (session === undefined) return { type: "failed", message: "no model was opened" };
    const { tokens, rows, time, places } = message;
    const logits = await session.run(tokens, rows, time);
    const columns = logits.length / (rows * time);
    if (!Number.isInteger(columns)) return { type: "failed", message: `it gave ${logits.length} logits for ${rows} × ${time} tokens` };
    const picked = new Float32Array(places.length * columns);
    for (const [index, place] of places.entries()) picked.set(logits.subarray(place * columns, (place + 1) * columns), index * columns);
    return { type: "ran", logits: picked };
  };
  return async (message) => {
    try {
      post(await answer(message));
    } catch (error) {
      post({ type: "failed", message: error instanceof Error ? error.message : String(error) });
    }
  };
}
