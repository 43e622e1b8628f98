import { expect, test } from "vitest";
import { observationText } from "#ui/board/action-label.ts";
import { requestText, startText } from "#ui/story/request-text.ts";

test("the desk's request is said as a person would say it, any other by its names", () => {
  const request = (refund: string) => ({ kind: "request", content: { window: "50", refund } });
  expect(requestText(request("desk"))).toBe("a customer wants their desk refunded, allowed within 50 days");
  expect(requestText(request("recent"))).toBe("a customer wants their latest order refunded, allowed within 50 days");
  expect(requestText({ kind: "room", content: { rows: "3", columns: "4" } })).toBe("rows: 3, columns: 4");
  expect(requestText({ kind: "request", content: "hello" })).toBe("request: hello");
});

test("what all have in common names its kind once", () => {
  const board = [["floor", "box"], ["player", "goal"]];
  expect(startText({ kind: "board", content: board })).toBe("at one level: 0 of 1 box home");
  expect(startText({ kind: "source", content: "function f ( x ) { return x ; }" })).toBe("at one program: function f ( x ) { return x ; }");
  expect(startText({ kind: "request", content: { window: "50", refund: "desk" } })).toBe("at one request: a customer wants their desk refunded, allowed within 50 days");
});

test("a text that begins with its own name is told without it", () => {
  const failed = { kind: "failed", content: { input: "in [ 8 -4 ]", got: "got true", want: "want false" } };
  expect(observationText(failed)).toBe("input: [ 8 -4 ], got: true, want: false");
  expect(observationText({ kind: "order", content: { item: "i desk", got: "got", window: "within 5" } })).toBe("item: i desk, got: got, window: within 5");
});
