import type {} from "./early-clicks.ts";

/** Milliseconds between attempts, and how long a press is kept. */
const AGAIN = 50;
const KEPT = 15_000;

interface Press {
  readonly button: HTMLButtonElement;
  readonly until: number;
}

/** Null for what the browser itself does something at: that was done. */
function buttonOf(event: MouseEvent): HTMLButtonElement | null {
  const button = event.isTrusted && event.target instanceof Element ? event.target.closest("button") : null;
  return button === null || button.type !== "button" || button.popoverTargetElement !== null ? null : button;
}

/**
 * Presses of buttons in markup that still waits for its script are made again, in their order, once that is there. React stops such a click
 * before anybody hears of it, and lets it go without a word. (What was set in a field is heard of in `controls/native.tsx`.) Called right before the markup is taken over.
 */
export function keepEarlyPresses(): void {
  const waiting: Press[] = [];
  const heard = new WeakSet<Event>();
  let wasHeard = false;
  addEventListener("click", (event) => {
    heard.add(event);
    wasHeard = true;
  });
  const retry = (): void => {
    const [first] = waiting;
    if (first === undefined) return;
    const isLate = !first.button.isConnected || performance.now() > first.until;
    wasHeard = false;
    if (!isLate) first.button.click();
    if (isLate || wasHeard) waiting.shift();
    setTimeout(retry, wasHeard ? 0 : AGAIN);
  };
  /** Once the click has been everywhere, or nothing is there yet to hear it. */
  const keep = (event: MouseEvent): void => {
    const button = buttonOf(event);
    if (button === null) return;
    setTimeout(() => {
      if (heard.has(event)) return;
      waiting.push({ button, until: performance.now() + KEPT });
      if (waiting.length === 1) retry();
    });
  };
  for (const event of globalThis.earlyClicks ?? []) keep(event);
  globalThis.earlyClicks = undefined;
  document.addEventListener("click", keep, true);
}
