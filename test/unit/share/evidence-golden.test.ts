import { describe, expect, test } from "vitest";
import golden from "../../fixtures/golden-evidence.json" with { type: "json" };
import { decodeEvidence, encodeEvidence } from "#share/evidence-codec.ts";
import { decodeRunLink } from "#share/run-link.ts";

/** Links that were sent once must be readable for ever: entries of the fixture are only ever added. */
describe.each(golden)("a link that was sent: $about", ({ link, evidence }) => {
  test("says what it said then", async () => {
    const reading = await decodeRunLink(link);
    expect(reading?.notes).toEqual([]);
    if (reading === null || reading.extras.evidence === null) throw new Error("there is no evidence in it");
    const read = decodeEvidence(reading.config, reading.extras.evidence);
    expect(read).toEqual(evidence);
    // And what is written anew says the same.
    expect(decodeEvidence(reading.config, encodeEvidence(reading.config, read))).toEqual(read);
  });
});

test("rewards travel in no link from before they did, and in those since", () => {
  expect(golden.map(({ evidence: { trajectories } }) => "rewards" in trajectories)).toEqual([false, false, false, false, true]);
});

test("four annotated trajectories with truth and five schemes' credit, the curve and 32 hashes fit in 1,600 characters", () => {
  const [whole] = golden.filter(({ about }) => about.includes("truth"));
  const recorded = whole?.evidence.trajectories;
  expect(recorded?.members).toHaveLength(4);
  expect(recorded?.rows.map(({ id }) => id)).toEqual(["flat", "process", "gigpo", "critic", "istar"]);
  expect(recorded?.truth?.members).toHaveLength(4);
  expect(whole?.evidence.marks).toHaveLength(32);
  expect(whole?.link.length).toBeLessThanOrEqual(1_600);
});

test("the rewards of the other four of the group take 40 characters more at most", async () => {
  const [whole] = golden.filter(({ about }) => about.includes("truth"));
  const reading = await decodeRunLink(whole?.link ?? "");
  const text = reading?.extras.evidence ?? null;
  if (reading === null || text === null) throw new Error("there is no evidence in it");
  const { trajectories, ...marks } = decodeEvidence(reading.config, text);
  if (trajectories === null) throw new Error("there is no trajectory in it");
  const longer = encodeEvidence(reading.config, { ...marks, trajectories: { ...trajectories, rewards: [1, 0.61803, 0, 1, 0, null, 0.1, 0.25] } });
  expect(longer.length - text.length).toBeGreaterThan(0);
  expect(longer.length - text.length).toBeLessThanOrEqual(40);
});
