import type { ToolSchema } from "#core/environment.ts";
import { HarnessError } from "#core/errors.ts";
import type { Rendered, Vocabulary, Wording } from "#core/harness.ts";
import type { Json, Observation, SeenStep } from "#core/trajectory.ts";
import { MALFORMED } from "./action-parser.ts";
import { Transcript } from "./context.ts";
import type { LatestObservationConfig } from "./registry.ts";
import { appendObservation, createToolLoop, type LoopHarness } from "./tool-loop.ts";

/** Refusals show nothing of the world: the observation before them is kept as well. */
const showsNothing = ({ kind }: Observation): boolean => kind === "error" || kind === MALFORMED;

const isGrid = (content: Json): content is readonly (readonly string[])[] =>
  Array.isArray(content) && content.length > 0 && content.every((row: Json) => Array.isArray(row) && row.every((word: Json) => typeof word === "string"));

/** Of a cell of a grid, as on a chessboard: column a, b, c…, row 1, 2, 3… from the top. An environment of grids has these among its words. */
const placeName = (column: number, row: number): string => `${String.fromCharCode(97 + column)}${row + 1}`;

/**
 * A grid of words as coordinates: the commonest word once, then every other cell as its word and its place, one token each; equal words
 * stand together, in the order of the vocabulary. Nothing is lost; what is no grid stays as it is.
 */
export function asCoordinates(observation: Observation, vocabulary: Vocabulary): Observation {
  const { kind, content } = observation;
  if (!isGrid(content)) return observation;
  const cells = content.flatMap((row, y) => row.map((word, x) => ({ word, y, x })));
  const counts = new Map<string, number>();
  for (const { word } of cells) counts.set(word, (counts.get(word) ?? 0) + 1);
  const byId = (a: string, b: string): number => vocabulary.id(a) - vocabulary.id(b);
  const [background = ""] = [...counts.keys()].toSorted((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0) || byId(a, b));
  const others = cells.filter(({ word }) => word !== background).toSorted((a, b) => byId(a.word, b.word) || a.y - b.y || a.x - b.x);
  return { kind, content: [background, ...others.flatMap(({ word, y, x }) => [word, placeName(x, y)])] };
}

/**
 * Tool calls from what was observed last: every turn is a sequence of its own, so that episodes may be long and equal observations are
 * equal contexts. It holds the last observations that show something, the actions between them and what came after:
 * `<begin> <system> observation [action observation…] <assistant>`.
 */
export function createLatestObservation(tools: readonly ToolSchema[], words: readonly string[], { observations, grid }: Pick<LatestObservationConfig, "observations" | "grid">, withheld: readonly string[] = []): LoopHarness {
  const loop = createToolLoop(tools, words, withheld);
  const render: LoopHarness["observation"] = (observation, wording, first) =>
    loop.observation(grid === "coordinates" ? asCoordinates(observation, loop.vocabulary) : observation, wording, first);

  const context = (first: Observation, seen: readonly SeenStep[], wording: Wording): Rendered => {
    let start = seen.length;
    const at = (index: number): Observation => {
      const observation = index === 0 ? first : seen[index - 1]?.observation;
      if (observation === undefined) throw new HarnessError(`there is no observation ${index} in a history of ${seen.length} steps`);
      return observation;
    };
    for (let left = observations; start > 0; start -= 1) {
      if (!showsNothing(at(start))) left -= 1;
      if (left === 0) break;
    }
    const transcript = new Transcript();
    appendObservation(transcript, render(at(start), wording, true), loop.ask(wording));
    for (const { action, observation } of seen.slice(start)) {
      transcript.append(loop.encode(action), "assistant");
      appendObservation(transcript, render(observation, wording, false), loop.ask(wording));
    }
    return { tokens: transcript.view(), spans: transcript.spans };
  };
  return { ...loop, id: "latest-observation", wholeHistory: false, observation: render, context };
}
