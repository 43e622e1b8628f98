import type { ToPlayer } from "#trainer/player/messages.ts";
import { openInBrowser } from "#trainer/player/ort-browser.ts";
import { servePlayer } from "#trainer/player/serve.ts";

/** Runs models that anybody may have written. It may be terminated at any time. */
const take = servePlayer(openInBrowser, (message) => postMessage(message));
globalThis.addEventListener("message", (event: MessageEvent<ToPlayer>) => void take(event.data));
