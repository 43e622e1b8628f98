/** Scrolls a wide matrix sideways, and nothing else of the page, until a turn's chip stands clear of the columns that stay at both edges. */
export function bringIntoView(chip: HTMLElement): void {
  const scroller = chip.closest(".board-scroll");
  const row = chip.closest("tr");
  if (scroller === null || row === null || scroller.scrollWidth <= scroller.clientWidth) return;
  const { left, right } = chip.getBoundingClientRect();
  const start = row.firstElementChild?.getBoundingClientRect().right ?? 0;
  const end = row.lastElementChild?.getBoundingClientRect().left ?? Number.POSITIVE_INFINITY;
  if (left < start) scroller.scrollLeft -= start - left;
  else if (right > end) scroller.scrollLeft += right - end;
}
