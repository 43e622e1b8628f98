import { expect, test } from "vitest";
import { requestText } from "#ui/story/request-text.ts";

test("the desk's request is said as a person would say it, any other by its names", () => {
  const request = (refund: string) => ({ kind: "request", content: { window: "50", refund } });
  expect(requestText(request("desk"))).toBe("a customer wants their desk refunded, allowed within 50 days");
  expect(requestText(request("recent"))).toBe("a customer wants their latest order refunded, allowed within 50 days");
  expect(requestText({ kind: "board", content: { rows: "3", columns: "4" } })).toBe("rows: 3, columns: 4");
  expect(requestText({ kind: "request", content: "hello" })).toBe("request: hello");
});
