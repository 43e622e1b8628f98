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
  let heard: Event | null = null;
  addEventListener("click", (event) => {
    heard = event;
  });
  const retry = (): void => {
    const [first] = waiting;
    if (first === undefined) return;
    const isLate = !first.button.isConnected || performance.now() > first.until;
    heard = null;
    if (!isLate) first.button.click();
    if (isLate || heard !== null) waiting.shift();
    setTimeout(retry, heard === null ? AGAIN : 0);
  };
  document.addEventListener("click", (event) => {
    const button = event.isTrusted && event.target instanceof Element ? event.target.closest("button") : null;
    // Where the browser itself does something at a press, that was done.
    if (button === null || button.type !== "button" || button.popoverTargetElement !== null) return;
    setTimeout(() => {
      if (heard === event) return;
      waiting.push({ button, until: performance.now() + KEPT });
      if (waiting.length === 1) retry();
    });
  }, true);
}
