import { InferenceSession, Tensor } from "onnxruntime-web";
import type { FromPlayer, OpenSession, PlayerPort } from "#trainer/player/messages.ts";
import type { QueueParts } from "#trainer/player/queue.ts";
import { servePlayer } from "#trainer/player/serve.ts";

/** onnxruntime-web in Node, as the page's worker has it. */
export const openInNode: OpenSession = async (bytes) => {
  const session = await InferenceSession.create(bytes, { executionProviders: ["wasm"] });
  return {
    async run(tokens, rows, time) {
      const { logits } = await session.run({ tokens: new Tensor("int64", tokens, [rows, time]) });
      const data = await logits?.getData();
      if (!(data instanceof Float32Array)) throw new Error("no logits");
      return data;
    },
  };
};

/** A worker that is none: its messages take a turn of the event loop. */
export function inProcess(open: OpenSession): PlayerPort & { readonly isEnded: () => boolean } {
  let ended = false;
  let hear: (message: FromPlayer) => void = () => undefined;
  const take = servePlayer(open, (message) => {
    if (!ended) hear(message);
  });
  return {
    post: (message) => void setTimeout(() => void take(message)),
    listen: (onMessage) => {
      hear = onMessage;
    },
    terminate: () => {
      ended = true;
    },
    isEnded: () => ended,
  };
}

export const after: QueueParts["after"] = (milliseconds, action) => {
  const timer = setTimeout(action, milliseconds);
  return () => clearTimeout(timer);
};

export const nodeQueue: QueueParts = { spawn: () => inProcess(openInNode), after };
