declare global {
  /** Of the built page, from before its own script was there. */
  var earlyClicks: MouseEvent[] | undefined;
}

/** A script of its own in the built page, small and there long before the page's: keeps the clicks until that is, see `early-presses.ts`. */
globalThis.earlyClicks = [];
document.addEventListener("click", (event) => globalThis.earlyClicks?.push(event), true);

export {};
