// @ts-check
/** Prints "PASSED FAILED" of a vitest JSON report; a file that could not be read as tests counts as one failure. */
import { readFileSync } from "node:fs";

const [path = ""] = process.argv.slice(2);
/** @type {{ testResults: { status: string, assertionResults: { status: string }[] }[] }} */
const report = JSON.parse(readFileSync(path, "utf8"));
let passed = 0;
let failed = 0;
for (const { status, assertionResults } of report.testResults) {
  const failures = assertionResults.filter((test) => test.status === "failed").length;
  passed += assertionResults.filter((test) => test.status === "passed").length;
  failed += failures === 0 && status === "failed" ? 1 : failures;
}
console.log(passed, failed);
