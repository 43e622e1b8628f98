import { readFileSync } from "node:fs";
import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { parseRunConfig, PRESETS } from "#run/run-config.ts";
import { endOfUpdate } from "#run/run-event.ts";
import { atifLines } from "#share/export/atif.ts";
import { chatLines } from "#share/export/chat.ts";
import { metricsCsv } from "#share/export/csv.ts";
import { TOOLS_OF } from "#share/export/tool-schemas.ts";
import { VERSION } from "#share/export/version.ts";
import { fakeRun } from "../../fixtures/fake-run.ts";

const config = { ...PRESETS["refund-desk"], updates: 12 };
const events = [...fakeRun(config)];
const dialled = parseRunConfig({ ...config, algorithm: { ...config.algorithm, groupSize: 4, credit: { id: "dial", share: 0.5 } } });
/** Its settings changed after update 5. */
const changed = events.toSpliced(endOfUpdate(events, 5), 0, { type: "settings-changed", update: 5, config: dialled });
const members = events.flatMap((event) => (event.type === "group" ? event.group.members : []));
const tools = await TOOLS_OF["refund-desk"]();
const linesOf = (text: string): unknown[] => text.trimEnd().split("\n").map((line): unknown => JSON.parse(line));

/** JSON text of an object. */
const jsonObject = v.pipe(v.string(), v.check((text) => {
  const value: unknown = JSON.parse(text);
  return typeof value === "object" && value !== null && !Array.isArray(value);
}));
const functionTool = v.strictObject({
  type: v.literal("function"),
  function: v.strictObject({
    name: v.pipe(v.string(), v.regex(/^[a-zA-Z0-9_-]{1,64}$/)), description: v.string(),
    parameters: v.strictObject({ type: v.literal("object"), properties: v.record(v.string(), v.looseObject({ type: v.string() })), required: v.array(v.string()) }),
  }),
});

describe("chat JSON lines (fields of the chat completions format, as TRL and fine-tuning services name them)", () => {
  const call = v.strictObject({ id: v.pipe(v.string(), v.minLength(1)), type: v.literal("function"), function: v.strictObject({ name: v.string(), arguments: jsonObject }) });
  const message = v.union([
    v.strictObject({ role: v.picklist(["system", "user", "assistant"]), content: v.string() }),
    v.strictObject({ role: v.literal("assistant"), content: v.null(), tool_calls: v.pipe(v.array(call), v.minLength(1)) }),
    v.strictObject({ role: v.literal("tool"), tool_call_id: v.string(), content: v.string() }),
  ]);
  const line = v.strictObject({ messages: v.pipe(v.array(message), v.minLength(2)), tools: v.pipe(v.array(functionTool), v.minLength(1)) });

  test("every line fits, every call names a tool and is answered by the message behind it", () => {
    const lines = linesOf(chatLines(config, events, tools, { onlySuccesses: false })).map((told) => v.parse(line, told));
    expect(lines.length).toBe(members.length);
    for (const { messages, tools: offered } of lines) {
      expect(messages.slice(0, 2).map(({ role }) => role)).toEqual(["system", "user"]);
      for (const [index, told] of messages.entries()) {
        if (!("tool_calls" in told)) continue;
        expect(told.tool_calls.every(({ function: { name } }) => offered.some((tool) => tool.function.name === name))).toBe(true);
        expect(messages.slice(index + 1, index + 2)).toMatchObject([{ role: "tool", tool_call_id: told.tool_calls[0]?.id }]);
      }
    }
  });

  test("what was said and done is told as it was", () => {
    const [first] = linesOf(chatLines(config, events, tools, { onlySuccesses: false })).map((told) => v.parse(line, told));
    const turns = members[0]?.turns ?? [];
    const calls = (first?.messages ?? []).flatMap((told) => ("tool_calls" in told ? told.tool_calls : []));
    expect(calls.map(({ function: { name, arguments: args } }) => ({ kind: "tool", name, args: JSON.parse(args) as unknown }))).toEqual(turns.map(({ action }) => action).filter(({ kind }) => kind === "tool"));
    expect((first?.messages ?? []).flatMap((told) => (told.role === "tool" ? [JSON.parse(told.content) as unknown] : []))).toEqual(
      turns.filter(({ action }) => action.kind === "tool").map(({ observation }) => ({ kind: observation.kind, content: observation.content })),
    );
  });

  test("only what succeeded, where that is wanted", () => {
    const wins = members.filter(({ success }) => success).length;
    expect(wins).toBeGreaterThan(0);
    expect(wins).toBeLessThan(members.length);
    expect(linesOf(chatLines(config, events, tools, { onlySuccesses: true })).length).toBe(wins);
  });
});

describe("ATIF 1.7 (Harbor, RFC 0001)", () => {
  const count = v.pipe(v.number(), v.integer(), v.minValue(0));
  const step = v.strictObject({
    step_id: v.pipe(v.number(), v.integer(), v.minValue(1)), timestamp: v.optional(v.pipe(v.string(), v.isoTimestamp())), source: v.picklist(["system", "user", "agent"]), message: v.string(),
    model_name: v.optional(v.string()), reasoning_content: v.optional(v.string()),
    tool_calls: v.optional(v.array(v.strictObject({ tool_call_id: v.string(), function_name: v.string(), arguments: v.record(v.string(), v.unknown()) }))),
    observation: v.optional(v.strictObject({ results: v.array(v.strictObject({ source_call_id: v.optional(v.string()), content: v.string() })) })),
    metrics: v.optional(v.strictObject({ prompt_tokens: count, completion_tokens: count, cached_tokens: v.optional(count), cost_usd: v.optional(v.number()), logprobs: v.optional(v.array(v.number())), completion_token_ids: v.optional(v.array(count)), extra: v.optional(v.looseObject({})) })),
    extra: v.optional(v.looseObject({})),
  });
  const trajectory = v.strictObject({
    schema_version: v.literal("ATIF-v1.7"), session_id: v.optional(v.string()), trajectory_id: v.optional(v.string()),
    agent: v.strictObject({ name: v.string(), version: v.string(), model_name: v.optional(v.string()), tool_definitions: v.optional(v.array(functionTool)), extra: v.optional(v.looseObject({})) }),
    steps: v.pipe(v.array(step), v.minLength(1)), notes: v.optional(v.string()),
    final_metrics: v.optional(v.strictObject({ total_prompt_tokens: v.optional(count), total_completion_tokens: v.optional(count), total_cached_tokens: v.optional(count), total_cost_usd: v.optional(v.number()), total_steps: v.optional(count) })),
    extra: v.optional(v.looseObject({})),
  });
  const told = linesOf(atifLines({ config, events, tools, version: VERSION })).map((line) => v.parse(trajectory, line));

  test("a trajectory names the credit that its update was trained with", () => {
    const lines = linesOf(atifLines({ config: dialled, events: changed, tools, version: VERSION })).map((line) => v.parse(v.object({ extra: v.object({ update: v.number(), credit: v.string() }) }), line).extra);
    expect(new Set(lines.map(({ update, credit }) => `${update <= 5 ? "to 5" : "from 6"}: ${credit}`))).toEqual(new Set(["to 5: flat", "from 6: dial"]));
  });

  test("every line fits; steps count from 1, only agents call and measure, answers name a call of their trajectory, sums add up", () => {
    expect(told.length).toBe(members.length);
    for (const { steps, final_metrics: sums } of told) {
      expect(steps.map((each) => each.step_id)).toEqual(steps.map((_, index) => index + 1));
      const calls = new Set(steps.flatMap((each) => each.tool_calls ?? []).map((each) => each.tool_call_id));
      for (const each of steps) {
        if (each.source !== "agent") expect([each.tool_calls, each.metrics, each.model_name, each.reasoning_content]).toEqual([undefined, undefined, undefined, undefined]);
        for (const { source_call_id: id } of each.observation?.results ?? []) expect(id === undefined || calls.has(id)).toBe(true);
        expect(each.metrics?.logprobs?.length).toBe(each.metrics?.completion_tokens);
      }
      expect(calls.size).toBe(steps.flatMap((each) => each.tool_calls ?? []).length);
      expect(sums?.total_steps).toBe(steps.length);
      expect(sums?.total_completion_tokens).toBe(steps.reduce((sum, each) => sum + (each.metrics?.completion_tokens ?? 0), 0));
    }
  });

  test("rewards and credit of turns, and the verdict, are there", () => {
    const [first] = told;
    expect(first?.extra).toMatchObject({ success: members[0]?.success, reward: members[0]?.reward, ending: members[0]?.ending });
    expect(first?.steps.slice(2).map(({ extra }) => [extra?.["reward"], extra?.["credit"]])).toEqual(members[0]?.turns.map(({ reward, credit }) => [reward, credit]));
  });
});

describe("CSV", () => {
  /** RFC 4180. */
  const cells = (text: string): string[][] => {
    const rows: string[][] = [];
    for (const match of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
      if (rows.length === 0 || rows.at(-1)?.at(-1) === "\r\n") rows.push([]);
      const row = rows.at(-1) ?? [];
      row.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? "");
      if (match[3] === "\r\n") row.push("\r\n");
    }
    return rows.map((row) => row.filter((text_) => text_ !== "\r\n"));
  };

  test("a row an update, with its numbers as they are", () => {
    const [header = [], ...rows] = cells(metricsCsv(config, "a run", events));
    expect(rows.map((row) => row[header.indexOf("update")])).toEqual(Array.from({ length: 13 }, (_, update) => String(update)));
    expect(rows.every((row) => row.length === header.length)).toBe(true);
    const told = events.flatMap((event) => (event.type === "update" ? [event.metrics] : []));
    expect(rows.slice(1).map((row) => [Number(row[header.indexOf("kl")]), Number(row[header.indexOf("loss")])])).toEqual(told.map(({ kl, loss }) => [kl, loss]));
    const end = events.at(-1);
    expect(Number(rows.at(-1)?.[header.indexOf("heldoutPassHat8")])).toBe(end?.type === "run-finished" ? end.heldout.passHatK[7] : null);
  });

  test("a row names the credit that its update was trained with", () => {
    const [header = [], ...rows] = cells(metricsCsv(dialled, "", changed));
    expect(rows.map((row) => row[header.indexOf("credit")])).toEqual([...Array.from({ length: 6 }, () => "flat"), ...Array.from({ length: 7 }, () => "dial")]);
  });

  test.each(["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", '=HYPERLINK("http://x","y")', " =1"])("a name like %j is no formula", (title) => {
    const [, row] = cells(metricsCsv(config, title, events));
    expect(row?.[0]).toBe(`'${title}`);
  });

  test("a negative number stays one", () => {
    expect(metricsCsv(config, "", events)).toContain(",-0.01,");
  });
});

test("the version in files is the package's", () => {
  const { version }: { readonly version: string } = JSON.parse(readFileSync("package.json", "utf8"));
  expect(VERSION).toBe(version);
});
