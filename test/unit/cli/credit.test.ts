import { expect, test } from "vitest";
import { turnwise } from "../../fixtures/turnwise.ts";

test("ends with one line of JSON: values by name, intervals and counts beside them, no share of too few", async () => {
  const { status, stdout } = await turnwise("credit", "--preset", "refund-desk", "--groups", "1", "--set", "algorithm.groupSize=2", "--seed", "4", "--schemes", "flat,truth", "--json");
  expect(status).toBe(0);
  const { schemes, truth } = JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "");
  expect(truth).toMatchObject({ groups: 1, exactShare: expect.any(Number), meanHalfWidth: expect.any(Number) });
  expect(schemes.map(({ id }: { readonly id: string }) => id)).toEqual(["flat", "truth"]);
  for (const field of ["correlation", "signAgreement", "goodQuestionsPunished", "gradientCosine", "extraTokens"]) {
    expect(schemes[0]).toHaveProperty(field);
    expect(schemes[0]).toHaveProperty(`${field}Interval`);
  }
  expect(schemes[0]).toMatchObject({ goodQuestionsPunished: null, goodQuestionsPunishedInterval: null, goodQuestionsPunishedCount: expect.any(Number), extraTokens: 0 });
  expect(schemes[1].extraTokens).toBeGreaterThan(50);
}, 120_000);

test.each([
  ["a scheme that is none", ["--schemes", "flat,fair"], /"fair"; the schemes are flat, leave-one-out/],
  ["no groups", ["--groups", "0"], /--groups is "0"; allowed are whole numbers from 1/],
])("%s is refused", async (_name, argv, message) => {
  const { status, stderr } = await turnwise("credit", "--preset", "refund-desk", ...argv);
  expect({ status, isTold: message.test(stderr) }).toEqual({ status: 2, isTold: true });
});
