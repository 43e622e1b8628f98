import type { TestProject } from "vitest/node";
import { serveHarness } from "./build.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** Where the page over a made-up run is served, or why it is not. */
    harness: { readonly url: string } | { readonly fault: string };
  }
}

/** Builds and serves it once for all test files. A build that fails is told to the tests: thrown here it would end the run of every other project too. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  try {
    const { url, server } = await serveHarness();
    project.provide("harness", { url });
    return () => server.close();
  } catch (error) {
    project.provide("harness", { fault: error instanceof Error ? error.message : String(error) });
    return async () => {};
  }
}
