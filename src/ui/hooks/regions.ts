/** Parts of the screen in the order in which F6 goes through them. */
const REGIONS = [".topbar", "#recipe", ".board", ".curves", ".why", ".notices:has(.alert)", ".transport"] as const;

const isSeen = (element: HTMLElement): boolean => element.getClientRects().length > 0;

function focusOn(element: HTMLElement): void {
  if (element.tabIndex < 0 && !element.hasAttribute("tabindex")) element.tabIndex = -1;
  element.focus();
}

/** Focus goes to the next part that is on screen, or to the one before. */
export function cycleRegions(step: -1 | 1): void {
  const regions = REGIONS.flatMap((selector) => [...document.querySelectorAll<HTMLElement>(selector)]).filter(isSeen);
  const now = regions.findIndex((region) => region.contains(document.activeElement));
  const next = now < 0 ? (step > 0 ? 0 : regions.length - 1) : (now + step + regions.length) % regions.length;
  const region = regions[next];
  if (region !== undefined) focusOn(region);
}

/** The inspector, once what was just chosen is drawn in it. */
export function focusInspector(): void {
  requestAnimationFrame(() => {
    const inspector = document.querySelector<HTMLElement>(".why");
    if (inspector !== null && isSeen(inspector)) focusOn(inspector);
  });
}

/** A turn on the board, if it is there. */
export function focusTurn({ member, turn }: { readonly member: number; readonly turn: number }): void {
  requestAnimationFrame(() => {
    const cells = document.querySelectorAll<HTMLElement>(`[data-cell="${member}:${turn}"]`);
    [...cells].find(isSeen)?.focus();
  });
}
