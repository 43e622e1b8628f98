/// <reference types="vite-plugin-pwa/client" />
import { registerSW } from "virtual:pwa-register";
import { newVersion } from "./new-version.ts";

/** From now on the page comes without a network, and says when a newer one is there. */
export function keepOffline(): void {
  const change = registerSW({
    onNeedRefresh: () => newVersion.setState({ change: () => void change(true) }),
    // Private windows and some settings refuse; the page then works as long as there is a network.
    onRegisterError: () => undefined,
  });
}
