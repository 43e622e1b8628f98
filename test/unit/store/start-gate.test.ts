import { expect, test } from "vitest";
import { createStartGate } from "#store/start-gate.ts";

function setUp() {
  const gate = createStartGate();
  const started: string[] = [];
  return { gate, started, ask: (name: string) => gate.pass(() => started.push(name)) };
}

test("a start passes at once, or when the last hold is released; of several that wait, the last one alone", () => {
  const { gate, started, ask } = setUp();
  ask("at once");
  gate.hold("link");
  gate.hold("markup");
  ask("first");
  ask("second");
  gate.release("link");
  expect(gate.getState().isAwaited).toBe(true);
  expect(started).toEqual(["at once"]);
  gate.release("markup");
  gate.release("markup");
  expect(started).toEqual(["at once", "second"]);
  expect(gate.getState().isAwaited).toBe(false);
});

test("what waits can be called off, and is where a hold is given up; then starts pass again", () => {
  const { gate, started, ask } = setUp();
  gate.hold("link");
  ask("called off");
  gate.callOff();
  expect(gate.getState().isAwaited).toBe(false);
  ask("given up");
  gate.giveUp("link");
  ask("after");
  expect(started).toEqual(["after"]);
});

test("giving up what was released before calls nothing off", () => {
  const { gate, started, ask } = setUp();
  gate.hold("link");
  gate.hold("markup");
  gate.release("markup");
  ask("kept");
  gate.giveUp("markup");
  gate.release("link");
  expect(started).toEqual(["kept"]);
});
