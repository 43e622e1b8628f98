import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ToolSchema } from "#core/environment.ts";
import { HarnessError } from "#core/errors.ts";
import { ACCEPT, FREE_STATE, ILLEGAL } from "#core/tokens.ts";
import type { Action } from "#core/trajectory.ts";
import { walkAutomaton } from "#harness/grammar.ts";
import { createToolLoop, type LoopHarness } from "#harness/tool-loop.ts";
import { END, MARKERS, PAD } from "#harness/vocabulary.ts";
import { BOXES_TOOLS, BOXES_WORDS } from "./fixtures/boxes.ts";

const boxes = createToolLoop(BOXES_TOOLS, BOXES_WORDS);
const ids = (harness: LoopHarness, text: string): number[] => text.split(" ").map((word) => harness.vocabulary.id(word));
const reason = (text: string): string => {
  const action = boxes.parse(Uint32Array.from(text === "" ? [] : ids(boxes, text)));
  return action.kind === "malformed" ? action.reason : action.kind;
};

const word = fc.stringMatching(/^[a-z]{1,3}$/);
const schema: fc.Arbitrary<ToolSchema> = fc
  .record({ name: word, parameters: fc.dictionary(word, fc.uniqueArray(word, { minLength: 1, maxLength: 4 }), { maxKeys: 3 }) })
  .map(({ name, parameters }) => ({
    name, description: "", mutates: false,
    parameters: {
      type: "object",
      properties: Object.fromEntries(Object.entries(parameters).map(([key, values]) => [key, { type: "string", description: "", enum: values }])),
      required: Object.keys(parameters),
    },
  }));
const anyHarness = fc.uniqueArray(schema, { minLength: 1, maxLength: 5, selector: (tool) => tool.name }).map((tools) => createToolLoop(tools, []));

/** A legal action, written by following the automaton; `choices` decide at each step. */
function writeLegal({ automaton }: LoopHarness, choices: readonly number[]): number[] {
  const tokens: number[] = [];
  let state = automaton.startState;
  while (state !== ACCEPT) {
    const row = automaton.next.subarray(state * automaton.vocabularySize, (state + 1) * automaton.vocabularySize);
    const legal = [...row.keys()].filter((token) => row[token] !== ILLEGAL);
    const token = legal[(choices[tokens.length] ?? 0) % legal.length];
    expect(token, `state ${state} is a dead end`).toBeDefined();
    tokens.push(token as number);
    state = row[token as number] as number;
  }
  return tokens;
}

describe("vocabulary", () => {
  it("starts with the words of the harness, lists each word once and keeps the order given", () => {
    const { vocabulary } = boxes;
    expect(vocabulary.words.slice(0, 3)).toEqual([PAD, "<begin>", END]);
    expect(new Set(vocabulary.words).size).toBe(vocabulary.words.length);
    expect(Object.values(MARKERS).every((words) => new Set(words).size === 4 && words.every((marker) => vocabulary.id(marker) > 0))).toBe(true);
    expect(vocabulary.words.slice(vocabulary.id("peek"), vocabulary.id("peek") + 6)).toEqual(["peek", "ask", "open", "red", "green", "blue"]);
    expect(vocabulary.words.map((known) => vocabulary.id(known))).toEqual([...vocabulary.words.keys()]);
    expect(createToolLoop(BOXES_TOOLS, BOXES_WORDS).vocabulary.words).toEqual(vocabulary.words);
  });
  it("refuses unknown words and words that could not be told apart", () => {
    expect(() => boxes.vocabulary.id("yellow")).toThrow(/"yellow" is not one of/);
    for (const bad of ["", "two words", END]) expect(() => createToolLoop(BOXES_TOOLS, [bad])).toThrow(HarnessError);
  });
});

describe("grammar", () => {
  it("has the free state at 0: every word but padding, only the end token ends", () => {
    const { automaton, vocabulary } = boxes;
    const row = [...automaton.next.subarray(0, automaton.vocabularySize)];
    expect(FREE_STATE).toBe(0);
    expect(row[vocabulary.id(PAD)]).toBe(ILLEGAL);
    expect(row[vocabulary.id(END)]).toBe(ACCEPT);
    expect(row.filter((target) => target === FREE_STATE).length).toBe(vocabulary.words.length - 2);
  });
  it("shares states: free, start, a box, the end, a manner", () => {
    expect(boxes.automaton.states).toBe(5);
    expect([...walkAutomaton(boxes.automaton, ids(boxes, `open gently red ${END}`))].slice(2)).toEqual(
      [...walkAutomaton(boxes.automaton, ids(boxes, `peek red ${END}`))].slice(1));
  });
  it("refuses schemas that cannot be written by position", () => {
    const [peek] = BOXES_TOOLS as [ToolSchema];
    expect(() => createToolLoop([], [])).toThrow(/at least one tool/);
    expect(() => createToolLoop([peek, peek], [])).toThrow(/twice/);
    expect(() => createToolLoop([{ ...peek, parameters: { ...peek.parameters, required: [] } }], [])).toThrow(/must be required/);
    const empty = { ...peek.parameters, properties: { box: { type: "string", description: "", enum: [] } } } as const;
    expect(() => createToolLoop([{ ...peek, parameters: empty }], [])).toThrow(/must list its values/);
  });
  it("accepts exactly what parses to a tool call, for any tools", () => {
    fc.assert(fc.property(anyHarness, fc.array(fc.nat(), { maxLength: 6 }), fc.array(fc.nat(), { maxLength: 6 }), (harness, choices, noise) => {
      const legal = writeLegal(harness, choices);
      expect(legal.length).toBeLessThanOrEqual(harness.longestAction);
      const action = harness.parse(Uint32Array.from(legal));
      expect(action.kind).toBe("tool");
      expect([...harness.encode(action)]).toEqual(legal);

      const any = Uint32Array.from(noise, (token) => token % harness.vocabulary.words.length);
      const parsed = harness.parse(any);
      expect(parsed.kind === "tool").toBe(accepts(harness, any));
      expect(harness.encode(parsed)).toEqual(any);
    }));
  });
});

function accepts({ automaton }: LoopHarness, tokens: Uint32Array): boolean {
  let state = automaton.startState;
  for (const token of tokens) {
    if (state >= automaton.states) return false;
    state = automaton.next[state * automaton.vocabularySize + token] as number;
  }
  return state === ACCEPT;
}

describe("action parser", () => {
  it("reads a call and names what is wrong with any other string", () => {
    const call: Action = { kind: "tool", name: "open", args: { manner: "roughly", box: "blue" } };
    expect(boxes.parse(Uint32Array.from(ids(boxes, `open roughly blue ${END}`)))).toEqual(call);
    expect(reason("")).toBe("no-end: the action is empty");
    expect(reason("red peek")).toBe("unknown-tool: got red; allowed: peek, ask, open");
    expect(reason(`peek ${END}`)).toBe("missing-argument: peek needs box; allowed: red, green, blue");
    expect(reason(`open red ${END}`)).toBe("wrong-argument: manner of open got red; allowed: gently, roughly");
    expect(reason("open gently")).toBe("no-end: cut off before box of open");
    expect(reason("open gently red")).toBe("no-end: cut off before the end of open");
    expect(reason(`ask red ${END}`)).toBe("trailing-tokens: ask is complete, got red");
    expect(reason(`ask ${END} ${END}`)).toBe("trailing-tokens: got 1 tokens after the end");
  });
  it("keeps the very tokens of a malformed action", () => {
    const tokens = Uint32Array.from(ids(boxes, `<assistant> red ${PAD} peek ${END} ${END}`));
    expect(boxes.encode(boxes.parse(tokens))).toEqual(tokens);
  });
  it("refuses to write what it could not read", () => {
    expect(() => boxes.encode({ kind: "reply", text: "hello" })).toThrow(/reply/);
    expect(() => boxes.encode({ kind: "tool", name: "burn", args: {} })).toThrow(/no tool "burn"/);
    expect(() => boxes.encode({ kind: "tool", name: "peek", args: { box: "gently" } })).toThrow(/box of peek got "gently"/);
    expect(() => boxes.encode({ kind: "tool", name: "peek", args: {} })).toThrow(/takes \(box\), got \(\)/);
    expect(() => boxes.encode({ kind: "tool", name: "ask", args: { box: "red" } })).toThrow(/takes \(\), got \(box\)/);
    expect(() => boxes.parse(Uint32Array.of(9999))).toThrow(/a token must be below/);
  });
  it("answers each fault with an observation that the vocabulary can show", () => {
    for (const text of ["", "red", `peek ${END}`, `peek gently ${END}`, `ask red ${END}`]) {
      const action = boxes.parse(Uint32Array.from(text === "" ? [] : ids(boxes, text)));
      if (action.kind !== "malformed") throw new Error(`"${text}" must be malformed`);
      const { tokens } = boxes.observation(boxes.malformed(action), { variant: 2 }, false);
      expect(tokens.map((token) => boxes.vocabulary.words[token])).toEqual(["<rejected>", action.reason.split(":")[0]]);
    }
  });
});
