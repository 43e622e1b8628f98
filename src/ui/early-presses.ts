/** Milliseconds between attempts, and how long a press is kept. */
const AGAIN = 50;
const KEPT = 15_000;

interface Press {
  readonly button: HTMLButtonElement;
  readonly until: number;
}

/**
 * Presses of buttons in markup that still waits for its script are made again, in their order, once that is there. React stops such a click
 * before anybody hears of it, and lets it go without a word. (What was set in a field is heard of in `controls/native.tsx`.)
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
  document.addEventListener("click", (event) => {
    const button = event.isTrusted && event.target instanceof Element ? event.target.closest("button") : null;
    // Where the browser itself does something at a press, that was done.
    if (button === null || button.type !== "button" || button.popoverTargetElement !== null) return;
    setTimeout(() => {
      if (heard.has(event)) return;
      waiting.push({ button, until: performance.now() + KEPT });
      if (waiting.length === 1) retry();
    });
  }, true);
}
