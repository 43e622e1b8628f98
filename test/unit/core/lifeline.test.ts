import { expect, test } from "vitest";
import { Lifeline } from "#core/lifeline.ts";

test("work settles as it would, until the line is cut", async () => {
  const line = new Lifeline();
  expect(await line.hold(Promise.resolve(3))).toBe(3);
  await expect(line.hold(Promise.reject(new Error("own")))).rejects.toThrow("own");
  const waiting = line.hold(new Promise(() => {}));
  line.cut(new Error("gone"));
  line.cut(new Error("later"));
  await expect(waiting).rejects.toThrow("gone");
  await expect(line.hold(Promise.resolve(3))).rejects.toThrow("gone");
  // What fails unheard is nobody's unhandled rejection.
  await expect(line.hold(Promise.reject(new Error("own")))).rejects.toThrow("gone");
  await new Promise((resolve) => setTimeout(resolve, 5));
});
