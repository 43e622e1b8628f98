/**
 * Index of the place that is missed least: the one whose neighbours would be nearest to each other for its age, so that the newest stay
 * dense and older ones grow ever sparser. Never the first or the last; 1 where nothing else is there to choose from.
 * @param places ascending. @param softness how old a place must be, in the unit of places, before its age begins to tell.
 * @param worth as how many times as far from its neighbours a place counts.
 */
export function leastMissed(places: readonly number[], softness: number, worth: (place: number) => number = () => 1): number {
  const newest = places.at(-1) ?? 0;
  let [least, at] = [Number.POSITIVE_INFINITY, 1];
  for (let index = 1; index < places.length - 1; index += 1) {
    const [before, here, after] = [places[index - 1], places[index], places[index + 1]];
    if (before === undefined || here === undefined || after === undefined) continue;
    const gap = (worth(here) * (after - before)) / (newest - here + softness);
    if (gap < least) [least, at] = [gap, index];
  }
  return at;
}
