import { describe, expect, it } from "vitest";
import { chooseBackend, decideBackend, type AdapterReport, type BackendChoice, type BackendSource, type ProbeReport } from "#engine/choose-backend.ts";
import { createReferenceExecutor } from "#engine/reference/reference-executor.ts";
import { findAdapter, openBackend, probeBackends } from "#engine/webgpu/probe.ts";
import { WebGpuExecutor } from "#engine/webgpu/webgpu-executor.ts";
import { wasmExecutor } from "../unit/engine/wasm-modules.ts";
import { findDevice, gpu } from "./device.ts";

const REAL: AdapterReport = { kind: "found", vendor: "nvidia", architecture: "ampere", description: "", software: false };
const SOFTWARE: AdapterReport = { kind: "found", vendor: "google", architecture: "swiftshader", description: "", software: true };
const measured = (gpuMs: number, wasmMs: number): ProbeReport => ({ kind: "measured", gpuMs, wasmMs });

describe("the decision", () => {
  const cases: readonly (readonly [BackendChoice, AdapterReport | undefined, ProbeReport | undefined, string, string])[] = [
    ["automatic", { kind: "missing" }, undefined, "wasm", "this browser has no WebGPU: WASM runs"],
    ["automatic", { kind: "none" }, undefined, "wasm", "this browser gives no GPU adapter: WASM runs"],
    ["automatic", SOFTWARE, undefined, "wasm", "software adapter: WASM is faster"],
    ["automatic", REAL, measured(5, 16), "webgpu", "GPU is 3.2× faster here (probe)"],
    ["automatic", REAL, measured(1, 25), "webgpu", "GPU is 25× faster here (probe)"],
    ["automatic", REAL, measured(30, 12), "wasm", "WASM is 2.5× faster here (probe)"],
    ["automatic", REAL, { kind: "late", deadlineMs: 250 }, "wasm", "the GPU gave no answer in 250 ms (probe): WASM runs"],
    ["automatic", REAL, { kind: "failed", message: "no memory" }, "wasm", "the GPU failed when tried: WASM runs"],
    ["automatic", REAL, undefined, "wasm", "the GPU was not measured: WASM runs"],
    ["webgpu", REAL, undefined, "webgpu", "WebGPU was chosen"],
    ["webgpu", SOFTWARE, undefined, "webgpu", "WebGPU was chosen, on a software adapter: WASM is faster"],
    ["webgpu", { kind: "none" }, undefined, "wasm", "WASM instead of WebGPU: this browser gives no GPU adapter"],
    ["webgpu", REAL, { kind: "failed", message: "no memory" }, "wasm", "the GPU failed when tried: WASM runs"],
    ["wasm", undefined, undefined, "wasm", "WASM was chosen"],
  ];
  it.each(cases)("%s, %o, %o: %s", (choice, adapter, probe, backend, reason) => {
    expect(decideBackend(choice, adapter, probe)).toMatchObject({ backend, reason });
  });

  it("tells what each option is, or why it cannot be had", () => {
    const webgpu = (adapter: AdapterReport | undefined, probe?: ProbeReport) => decideBackend("automatic", adapter, probe).details[1];
    expect(webgpu(REAL, measured(1, 2))).toEqual({ backend: "webgpu", available: true, detail: "GPU: nvidia ampere" });
    expect(webgpu(SOFTWARE)).toMatchObject({ available: true, detail: "software adapter: google swiftshader" });
    expect(webgpu({ kind: "missing" })).toMatchObject({ available: false, detail: "this browser has no WebGPU" });
    expect(webgpu(REAL, { kind: "failed", message: "no memory" })).toMatchObject({ available: false, detail: "GPU: nvidia ampere, but it failed: no memory" });
    expect(decideBackend("wasm", undefined).details.map(({ available }) => available)).toEqual([true, true]);
  });
});

describe("the choice", () => {
  const source = (adapter: AdapterReport, probe: ProbeReport, kept = new Map<string, string>()): BackendSource & { asked: string[]; kept: Map<string, string> } => {
    const asked: string[] = [];
    return {
      asked, kept, browser: "Chromium 156",
      storage: { get: (key) => kept.get(key), set: (key, value) => void kept.set(key, value) },
      adapter: () => (asked.push("adapter"), Promise.resolve(adapter)),
      probe: () => (asked.push("probe"), Promise.resolve(probe)),
    };
  };

  it("measures once per adapter and browser", async () => {
    const first = source(REAL, measured(5, 16));
    const decision = await chooseBackend("automatic", first);
    expect(decision.backend).toBe("webgpu");
    const second = source(REAL, measured(99, 1), first.kept);
    expect(await chooseBackend("automatic", second)).toEqual(decision);
    expect(second.asked).toEqual(["adapter"]);
    const newer = { ...source(REAL, measured(99, 1), first.kept), browser: "Chromium 157" };
    expect((await chooseBackend("automatic", newer)).backend).toBe("wasm");
    expect(first.kept.size).toBe(2);
  });

  it("asks no more than it needs", async () => {
    const asked = async (choice: BackendChoice, adapter: AdapterReport): Promise<readonly string[]> => {
      const from = source(adapter, measured(1, 2));
      await chooseBackend(choice, from);
      return from.asked;
    };
    expect(await asked("wasm", REAL)).toEqual([]);
    expect(await asked("webgpu", REAL)).toEqual(["adapter"]);
    expect(await asked("automatic", SOFTWARE)).toEqual(["adapter"]);
    expect(await asked("automatic", { kind: "none" })).toEqual(["adapter"]);
    expect(await asked("automatic", REAL)).toEqual(["adapter", "probe"]);
  });

  it("keeps nothing that may be better next time", async () => {
    for (const [adapter, probe] of [
      [{ kind: "none" }, measured(1, 2)], [{ kind: "missing" }, measured(1, 2)], [SOFTWARE, measured(1, 2)],
      [REAL, { kind: "late", deadlineMs: 250 }], [REAL, { kind: "failed", message: "lost" }],
    ] as const) {
      const from = source(adapter, probe);
      await chooseBackend("automatic", from);
      expect(from.kept.size).toBe(0);
    }
  });

  it("believes no storage that holds something else, and needs none that works", async () => {
    for (const text of ["", "null", "[]", '{"gpuMs":-1,"wasmMs":1}', '{"gpuMs":"1","wasmMs":1}', '{"gpuMs":1e999}']) {
      const from = { ...source(REAL, measured(5, 10)), storage: { get: () => text, set: () => undefined } };
      expect((await chooseBackend("automatic", from)).reason).toBe("GPU is 2.0× faster here (probe)");
    }
    const refuse = (): never => {
      throw new Error("storage is forbidden");
    };
    const from = { ...source(REAL, measured(5, 10)), storage: { get: refuse, set: refuse } };
    expect((await chooseBackend("automatic", from)).backend).toBe("webgpu");
  });
});

describe("the adapter", () => {
  const giving = (...answers: readonly (object | null)[]): GPU => {
    let call = 0;
    const requestAdapter = () => Promise.resolve(answers[call++] ?? null);
    return { requestAdapter } as unknown as GPU;
  };
  const card = { info: { vendor: "amd", architecture: "rdna-3", device: "", description: "", isFallbackAdapter: false } };

  it("null is asked again twice before it is believed", async () => {
    expect((await findAdapter(giving(null, null, card), [0, 0])).report).toEqual({ kind: "found", vendor: "amd", architecture: "rdna-3", description: "", software: false });
    expect((await findAdapter(giving(null, null, null, card), [0, 0])).report).toEqual({ kind: "none" });
    expect((await findAdapter(undefined)).report).toEqual({ kind: "missing" });
  });

  it("software is known by its flag or its name", async () => {
    for (const info of [{ isFallbackAdapter: true }, { architecture: "swiftshader" }, { description: "llvmpipe (LLVM 15)" }, { device: "Microsoft Basic Render Driver" }])
      expect((await findAdapter(giving({ info: { ...card.info, ...info } }), [])).report).toMatchObject({ software: true });
  });

  it("whose device cannot be had leaves WASM", async () => {
    const refusing = { ...card, requestDevice: () => Promise.reject(new Error("no device today")) };
    const open = (choice: BackendChoice) =>
      openBackend({
        choice, gpu: giving(refusing), wasm: () => Promise.resolve(createReferenceExecutor()), browser: "",
        storage: { get: () => undefined, set: () => undefined }, now: () => performance.now(),
      });
    for (const choice of ["automatic", "webgpu"] as const) {
      const { decision, device } = await open(choice);
      expect(device).toBeUndefined();
      expect(decision).toMatchObject({ backend: "wasm", reason: "the GPU failed when tried: WASM runs" });
      expect(decision.details[1]?.detail).toContain("no device today");
    }
  });
});

const device = await findDevice();

describe.skipIf(device === undefined)("on this machine's adapter", () => {
  it("the probe measures both, or gives up at its deadline, and gives everything back", async () => {
    const [executor, wasm] = [new WebGpuExecutor(device as GPUDevice), await wasmExecutor("simd128")];
    expect(await probeBackends(executor, wasm, () => performance.now(), 0)).toEqual({ kind: "late", deadlineMs: 0 });
    executor.dispose();
    const again = new WebGpuExecutor(device as GPUDevice);
    const report = await probeBackends(again, wasm, () => performance.now(), 20_000);
    expect(report.kind).toBe("measured");
    if (report.kind === "measured") for (const ms of [report.gpuMs, report.wasmMs]) expect(ms).toBeGreaterThan(0);
    expect([again.liveBuffers, wasm.liveBuffers]).toEqual([0, 0]);
    again.dispose();
    device?.destroy();
  });

  it("openBackend gives a device exactly where WebGPU runs", async () => {
    const open = (choice: BackendChoice) =>
      openBackend({
        choice, gpu, wasm: () => wasmExecutor("simd128"), browser: "Node", storage: { get: () => undefined, set: () => undefined }, now: () => performance.now(),
      });
    for (const choice of ["automatic", "webgpu", "wasm"] as const) {
      const { decision, device: opened } = await open(choice);
      expect(opened !== undefined).toBe(decision.backend === "webgpu");
      if (choice !== "automatic") expect(decision.backend).toBe(choice);
      opened?.destroy();
    }
  });
});
