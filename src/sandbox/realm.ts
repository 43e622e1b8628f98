import variant from "@jitl/quickjs-wasmfile-release-sync";
import {
  DefaultIntrinsics, newQuickJSWASMModuleFromVariant, newVariant, type QuickJSContext, type QuickJSHandle, type QuickJSRuntime, type QuickJSWASMModule,
} from "quickjs-emscripten-core";
import type { CodeAnswer, CodeCall, CodeResult } from "#core/environment.ts";
import { hashText } from "#core/json.ts";
import guest from "./guest.js?raw";
import { HeapImage } from "./heap-image.ts";
import { MEMORY_BYTES, MOST_JOBS, MOST_TEXT, STACK_BYTES, STEPS_PER_POLL } from "./limits.ts";

/** No clock: a date would show the host's time and zone. */
const INTRINSICS = { ...DefaultIntrinsics, Date: false };
/** A script always: what looks like a module is a syntax error. */
const SCRIPT = { type: "global" } as const;

const NAME = /^[A-Za-z_$][\w$]*$/;
/** How many promise jobs run between two looks at the interrupt flag. */
const JOBS_AT_ONCE = 500;
const WASM_PAGE = 65_536;

const OUT_OF_MEMORY = "out of memory";
/** What the engine's own error says, once the guest's `describe` has made text of it. Who fakes it only ends his own run. */
const STACK_OVERFLOW = "InternalError: stack overflow";

type Ending = CodeResult["ending"];
type Returned = ReturnType<QuickJSContext["evalCode"]>;

/** The run cannot go on. */
class Stopped extends Error {
  readonly ending: Ending;
  constructor(ending: Ending, message: string) {
    super(message);
    this.ending = ending;
  }
}

export interface RealmRun {
  readonly result: CodeResult;
  /** The realm is not to be used again: its engine aborted, ran out of memory, or out of the host's stack. */
  readonly spent: boolean;
}

/** How often the engine asks for more memory, for less each time, before it gives up. */
const ASKS = 3;

/**
 * Keeps a memory from growing beyond `most` bytes, and says when the engine has got none. The engine's own limit is of no use: this build
 * cannot tell how large a block is, and counts each as nothing.
 */
function limitMemory(memory: WebAssembly.Memory, most: number, onEmpty: () => void): void {
  const grow = memory.grow.bind(memory);
  let refused = 0;
  memory.grow = (pages) => {
    if (memory.buffer.byteLength + pages * WASM_PAGE <= most) {
      refused = 0;
      return grow(pages);
    }
    refused += 1;
    if (refused % ASKS === 0) onEmpty();
    throw new RangeError("the guest's memory is used up");
  };
}

/**
 * An engine with one realm, prepared once and put back to that moment before every run: no run sees anything of an earlier one, and equal
 * runs execute the very same instructions on the very same memory. Nothing has to be freed, so nothing can fail to be.
 */
export class Realm {
  /** All that the engine has: what a run leaves here is out of the next one's reach. */
  readonly memory: WebAssembly.Memory;
  readonly #context: QuickJSContext;
  readonly #runtime: QuickJSRuntime;
  readonly #image: HeapImage;
  readonly #invoke: QuickJSHandle;
  readonly #describe: QuickJSHandle;
  readonly #reseed: QuickJSHandle;
  #polls = Infinity;
  #interrupted = false;
  #empty = false;

  /** @param compiled the engine's WebAssembly. */
  static async open(compiled: WebAssembly.Module): Promise<Realm> {
    return new Realm(await newQuickJSWASMModuleFromVariant(newVariant(variant, { wasmModule: compiled })));
  }

  private constructor(module: QuickJSWASMModule) {
    this.#runtime = module.newRuntime();
    this.#runtime.setMaxStackSize(STACK_BYTES);
    this.#runtime.setInterruptHandler(() => {
      this.#polls -= 1;
      if (this.#polls <= 0) this.#interrupted = true;
      return this.#interrupted;
    });
    const context = this.#runtime.newContext({ intrinsics: INTRINSICS });
    this.#context = context;
    const prepare = this.#must(context.evalCode(`(${guest})`, "guest.js", SCRIPT));
    const tools = this.#must(context.callFunction(prepare, context.undefined, context.newNumber(MOST_TEXT)));
    // A lexical binding: in this engine `Object.defineProperty` replaces even a property of the global object that is not configurable.
    this.#must(context.evalCode("const console = globalThis.console;", "console.js", SCRIPT));
    this.#invoke = context.getProp(tools, "invoke");
    this.#describe = context.getProp(tools, "describe");
    this.#reseed = context.getProp(tools, "reseed");
    this.memory = module.getWasmMemory();
    this.#image = new HeapImage(this.memory);
    limitMemory(this.memory, this.#image.end + MEMORY_BYTES, () => {
      this.#empty = true;
    });
  }

  /** Never throws. Random numbers follow from the source. */
  run(source: string, calls: readonly CodeCall[], stepLimit: number): RealmRun {
    this.#image.restore();
    this.#polls = Math.ceil(stepLimit / STEPS_PER_POLL);
    this.#interrupted = false;
    this.#empty = false;
    const answers: CodeAnswer[] = [];
    const callees = new Map<string, QuickJSHandle>();
    const ended = (ending: Ending, message: string, spent: boolean): RealmRun => ({ result: { ending, answers, message }, spent });
    try {
      this.#evaluate(source);
      for (const call of calls) answers.push(this.#answer(call, callees));
      return ended("ok", "", false);
    } catch (error) {
      if (error instanceof Stopped) return ended(error.ending, error.message, error.ending === "memory");
      // The engine aborted, or the host's stack ran out within it.
      return error instanceof RangeError ? ended("stack", STACK_OVERFLOW, true) : ended("memory", OUT_OF_MEMORY, true);
    }
  }

  #evaluate(source: string): void {
    this.#must(this.#context.callFunction(this.#reseed, this.#context.undefined, this.#context.newNumber(hashText(source) | 0)));
    const { thrown } = this.#settled(this.#context.evalCode(source, "source.js", SCRIPT));
    if (thrown !== undefined) throw new Stopped("error", thrown);
  }

  /** @param callees by name: each is looked up once, before it can put another in its place. */
  #answer({ name, args }: CodeCall, callees: Map<string, QuickJSHandle>): CodeAnswer {
    if (!NAME.test(name)) throw new Stopped("refused", `${JSON.stringify(name)} is not the name of a function`);
    const text = JSON.stringify(args);
    if (text.length > MOST_TEXT) throw new Stopped("refused", `the arguments have ${text.length} characters; allowed are ${MOST_TEXT}`);
    let callee = callees.get(name);
    if (callee === undefined) {
      const found = this.#settled(this.#context.evalCode(name, "name.js", SCRIPT));
      if (found.thrown !== undefined) return { kind: "threw", error: found.thrown };
      callee = found.value;
      callees.set(name, callee);
    }
    const { value, thrown } = this.#settled(this.#context.callFunction(this.#invoke, this.#context.undefined, callee, this.#context.newString(text)));
    return thrown === undefined ? (JSON.parse(this.#context.getString(value)) as CodeAnswer) : { kind: "threw", error: thrown };
  }

  /**
   * What came back, once all promise jobs are done. The flags count, whatever the guest makes of it: within a promise an interruption is
   * only a rejection, and the guest goes on.
   */
  #settled(returned: Returned): { readonly value: QuickJSHandle; readonly thrown: undefined } | { readonly value: undefined; readonly thrown: string } {
    this.#check();
    if (returned.error !== undefined) {
      const thrown = this.#context.getString(this.#must(this.#context.callFunction(this.#describe, this.#context.undefined, returned.error)));
      if (thrown === STACK_OVERFLOW) throw new Stopped("stack", thrown);
      this.#executeJobs();
      return { value: undefined, thrown };
    }
    this.#executeJobs();
    return { value: returned.value, thrown: undefined };
  }

  #check(): void {
    if (this.#interrupted) throw new Stopped("interrupted", "the step limit was reached");
    if (this.#empty) throw new Stopped("memory", OUT_OF_MEMORY);
  }

  /** What a job throws is a rejection nobody handled: it says nothing about the calls. */
  #executeJobs(): void {
    for (let done = 0; this.#runtime.hasPendingJob(); done += JOBS_AT_ONCE) {
      if (done >= MOST_JOBS) throw new Stopped("interrupted", `more than ${MOST_JOBS} promise jobs`);
      this.#runtime.executePendingJobs(JOBS_AT_ONCE);
      this.#check();
    }
  }

  /** The value of something that only a limit can make fail. */
  #must(returned: Returned): QuickJSHandle {
    if (returned.error === undefined) return returned.value;
    this.#check();
    throw new Stopped("memory", OUT_OF_MEMORY);
  }
}
