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

test("four annotated trajectories with truth and five schemes' credit, the curve and 32 hashes fit in 1,600 characters", () => {
  const [whole] = golden.filter(({ about }) => about.includes("truth"));
  const recorded = whole?.evidence.trajectories;
  expect(recorded?.members).toHaveLength(4);
  expect(recorded?.rows.map(({ id }) => id)).toEqual(["flat", "process", "gigpo", "critic", "istar"]);
  expect(recorded?.truth?.members).toHaveLength(4);
  expect(whole?.evidence.marks).toHaveLength(32);
  expect(whole?.link.length).toBeLessThanOrEqual(1_600);
});
