import { describe, expect, it } from "vitest";
import { FREE_STATE } from "#core/tokens.ts";
import type { Json } from "#core/trajectory.ts";
import { Transcript } from "#harness/context.ts";
import { createToolLoop } from "#harness/tool-loop.ts";
import { MARKERS, WORDINGS } from "#harness/vocabulary.ts";
import { BOXES_TOOLS } from "./fixtures/boxes.ts";

const harness = createToolLoop(BOXES_TOOLS, ["offer", "error", "a", "b", "c", "1", "-2.5", "true", "null"]);
const words = (tokens: Iterable<number>): string => Array.from(tokens, (token) => harness.vocabulary.words[token]).join(" ");
const shown = (kind: string, content: Json, variant = 0, first = false): string => words(harness.observation({ kind, content }, { variant }, first).tokens);

describe("rendering", () => {
  it("writes one marker, then the leaves in insertion order, without keys", () => {
    expect(shown("note", { z: "a", a: ["b", { c: 1, d: [] }], e: -2.5, f: {}, g: "c a", h: "" })).toBe("<tool> a b 1 -2.5 c a");
    expect(shown("note", [true, null])).toBe("<tool> true null");
    expect(() => shown("note", "d")).toThrow(/"d" is not one of/);
  });
  it("marks by kind: the kind itself where the environment lists it, errors and the user always by the harness", () => {
    expect(shown("offer", "a", 3)).toBe("offer a");
    expect(shown("peek", "a", 3)).toBe("<response> a");
    expect(shown("error", "a", 3)).toBe("<fault> a");
    expect(shown("user", "a", 3)).toBe("<client> a");
    expect(shown("offer", "a", 3, true)).toBe("<begin> <brief> a");
  });
  it("draws every wording, or always the first", () => {
    const steps = Array.from({ length: 200 }, (_, index) => ({ next: () => index / 200, fork: () => { throw new Error("unused"); } }));
    expect(new Set(steps.map((rng) => harness.wording(rng, true).variant)).size).toBe(WORDINGS);
    expect(steps.every((rng) => harness.wording(rng, false).variant === 0)).toBe(true);
    const contexts = Array.from({ length: WORDINGS }, (_, variant) => words(harness.context({ kind: "x", content: "a" }, [], { variant }).tokens));
    expect(contexts).toEqual(MARKERS.system.map((system, variant) => `<begin> ${system} a ${MARKERS.assistant[variant]}`));
    expect(() => harness.context({ kind: "x", content: "a" }, [], { variant: WORDINGS })).toThrow(/0..3/);
  });
});

describe("transcript", () => {
  it("grows without touching what it showed before", () => {
    const transcript = new Transcript(2);
    transcript.append([5], "system");
    const views = [transcript.view()];
    for (let turn = 0; turn < 6; turn += 1) {
      transcript.appendSampled([10 + turn, 2], [-0.5 - turn, -0.25], [1, 4]);
      views.push(transcript.view());
      transcript.append([7], "tool");
    }
    transcript.append([], "tool");
    expect(views.map((view) => view.length)).toEqual([1, 3, 6, 9, 12, 15, 18]);
    const { tokens, spans, behaviorLogprobs, automatonStates } = transcript.sequence();
    expect(views.every((view) => view.every((token, index) => token === tokens[index]))).toBe(true);
    expect([...tokens]).toEqual([5, 10, 2, 7, 11, 2, 7, 12, 2, 7, 13, 2, 7, 14, 2, 7, 15, 2, 7]);
    expect([...behaviorLogprobs].slice(0, 7)).toEqual([0, -0.5, -0.25, 0, -1.5, -0.25, 0]);
    expect([...automatonStates].slice(0, 7)).toEqual([FREE_STATE, 1, 4, FREE_STATE, 1, 4, FREE_STATE]);
    expect(spans.length).toBe(13);
  });
});
