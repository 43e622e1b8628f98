import { expect, test } from "vitest";
import { createRng } from "#core/rng.ts";
import type { MemberRecord } from "#run/run-event.ts";
import { phasesOf, sequenceOf } from "#ui/inspector/sequence.ts";
import { fakeGroup } from "../../fixtures/fake-run.ts";

const group = fakeGroup(1, 24, 0.5, createRng(5));
const find = (matches: (member: MemberRecord) => boolean): MemberRecord => {
  const found = group.members.find(matches);
  if (found === undefined) throw new Error("the made-up group has no such attempt");
  return found;
};

test("an attempt begins with the request, goes to and fro a turn, and ends with a judgement", () => {
  const member = find(({ ending }) => ending === "terminated");
  const messages = sequenceOf(group, member);
  expect(messages).toHaveLength(1 + 2 * member.turns.length + 2);
  expect(messages[0]).toMatchObject({ from: "customer", to: "policy", phase: "observe", turn: 0 });
  expect(messages.slice(-2)).toMatchObject([{ from: "harness", to: "verifier", phase: "terminal" }, { from: "verifier", phase: "reward", text: `reward ${member.reward}` }]);
  for (const [turn] of member.turns.entries()) {
    const [call, answer] = messages.filter((message) => message.turn === turn && ["act", "execute"].includes(message.phase));
    expect(call).toMatchObject({ from: "policy", phase: "act" });
    expect(answer).toMatchObject({ from: call?.to, to: "policy", phase: "execute" });
  }
});

test("the customer answers what was asked of the customer, the harness what it cannot parse, tools the rest", () => {
  const answering = (member: MemberRecord): (string | undefined)[] =>
    sequenceOf(group, member).filter(({ phase }) => phase === "act").map(({ to, text }) => `${text.split(" ")[0]} ${to}`);
  const all = new Set(group.members.flatMap(answering));
  expect([...all].filter((text) => text?.startsWith("Ask"))).toEqual(["Ask customer"]);
  expect([...all].filter((text) => text?.startsWith("Refund"))).toEqual(["Refund tools"]);
  expect(answering(find(({ turns }) => turns[0]?.action.kind === "malformed"))[0]).toBe("Malformed harness");
});

test("only the last turn reaches the end and the reward; an attempt that broke down has none", () => {
  const member = find(({ turns }) => turns.length > 2);
  const last = member.turns.length - 1;
  expect([...phasesOf(member, 0)]).toEqual(["observe", "act", "execute"]);
  expect([...phasesOf(member, last)]).toEqual(["observe", "act", "execute", "terminal", "reward"]);
  const failed: MemberRecord = { ...member, ending: "failed" };
  expect(phasesOf(failed, last).has("reward")).toBe(false);
  expect(sequenceOf(group, failed).at(-1)).toMatchObject({ phase: "terminal" });
});
