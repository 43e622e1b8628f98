import { createStore, type StoreApi } from "zustand/vanilla";
import { TaskError } from "#core/errors.ts";
import { callTool, type ToolCall } from "#environments/tau-retail/call.ts";
import { MAX_TABLE_LENGTH, type RetailDatabase } from "#environments/tau-retail/database.ts";
import { readCaseFile, type CaseFile } from "#environments/tau-retail/files.ts";
import type { EpisodeEvent } from "#environments/tau-retail/monitors.ts";
import type { RetailTask } from "#environments/tau-retail/tasks.ts";
import { retailTool } from "#environments/tau-retail/tools/registry.ts";

/** Real tasks opened from files: what was opened, which task is looked at, and what a person did as the agent. Stays in the page. */
export interface CasesState {
  readonly files: Readonly<Partial<Record<CaseFile["kind"], OpenedFile>>>;
  /** What is wrong with the files handed over last, one sentence each. */
  readonly faults: readonly string[];
  /** Once all three tables are there. */
  readonly database: RetailDatabase | null;
  readonly tasks: readonly RetailTask[];
  readonly chosen: number;
  readonly mode: CasesMode;
  /** Reference actions done so far. */
  readonly step: number;
  /** By task: the moves of the person who acts as the agent. */
  readonly episodes: ReadonlyMap<number, readonly Move[]>;
}

export type CasesMode = "replay" | "act";

interface OpenedFile {
  readonly name: string;
  readonly file: CaseFile;
}

export interface Move {
  readonly event: EpisodeEvent;
  readonly before: RetailDatabase;
  readonly after: RetailDatabase;
}

/** What a browser's File has. */
export interface HandedFile {
  readonly name: string;
  /** In bytes. */
  readonly size: number;
  text(): Promise<string>;
}

export interface CasesStore extends StoreApi<CasesState> {
  /** Reads files in any order and number; those that cannot be read leave a fault and change nothing. */
  open(files: readonly HandedFile[]): Promise<void>;
  choose(task: number): void;
  show(mode: CasesMode): void;
  goTo(step: number): void;
  call(call: ToolCall): void;
  say(by: "agent" | "customer", text: string): void;
  undo(): void;
  restart(): void;
}

const EMPTY: CasesState = {
  files: {}, faults: [], database: null, tasks: [], chosen: 0, mode: "replay", step: 0, episodes: new Map(),
};

export const isOver = (moves: readonly Move[]): boolean =>
  moves.some(({ event }) => event.kind === "call" && retailTool(event.call.name)?.ends === true);

export const movesOf = ({ episodes, chosen }: CasesState): readonly Move[] => episodes.get(chosen) ?? NO_MOVES;
const NO_MOVES: readonly Move[] = [];

async function read(handed: HandedFile): Promise<OpenedFile | string> {
  if (handed.size > MAX_TABLE_LENGTH) return `${handed.name} has ${handed.size} bytes; at most ${MAX_TABLE_LENGTH} are read.`;
  try {
    return { name: handed.name, file: readCaseFile(await handed.text(), handed.name) };
  } catch (error) {
    return error instanceof TaskError ? `${error.message}.` : `${handed.name} cannot be read: ${error instanceof Error ? error.message : String(error)}.`;
  }
}

function opened(state: CasesState, results: readonly (OpenedFile | string)[]): CasesState {
  const isFile = (result: OpenedFile | string): result is OpenedFile => typeof result !== "string";
  const fresh = results.filter(isFile);
  const files = { ...state.files, ...Object.fromEntries(fresh.map((result) => [result.file.kind, result])) };
  const [users, orders, products, tasks] = [files.users?.file, files.orders?.file, files.products?.file, files.tasks?.file];
  const faults = results.filter((result) => typeof result === "string");
  if (fresh.length === 0) return { ...state, faults };
  return {
    ...state, files, faults, chosen: 0, step: 0, episodes: new Map(),
    database:
      users?.kind === "users" && orders?.kind === "orders" && products?.kind === "products"
        ? { users: users.rows, orders: orders.rows, products: products.rows }
        : null,
    tasks: tasks?.kind === "tasks" ? tasks.rows : [],
  };
}

export function createCasesStore(): CasesStore {
  const store = createStore<CasesState>(() => EMPTY);
  const setMoves = (moves: readonly Move[]): void =>
    store.setState(({ episodes, chosen }) => ({ episodes: new Map(episodes).set(chosen, moves) }));
  const add = (make: (before: RetailDatabase) => Omit<Move, "before">): void => {
    const state = store.getState();
    const moves = movesOf(state);
    const before = moves.at(-1)?.after ?? state.database;
    if (before === null || isOver(moves)) return;
    setMoves([...moves, { before, ...make(before) }]);
  };
  return {
    ...store,
    async open(files) {
      const results = await Promise.all(files.map(read));
      store.setState((state) => opened(state, results));
    },
    choose: (chosen) => store.setState({ chosen, step: 0 }),
    show: (mode) => store.setState({ mode }),
    goTo: (step) => store.setState(({ tasks, chosen }) => ({ step: Math.min(Math.max(0, step), tasks[chosen]?.actions.length ?? 0) })),
    call: (call) =>
      add((before) => {
        const { database, observation, failed } = callTool(before, call);
        return { event: { kind: "call", call, observation, failed }, after: database };
      }),
    say: (by, text) => add((before) => ({ event: { kind: "said", by, text }, after: before })),
    undo: () => setMoves(movesOf(store.getState()).slice(0, -1)),
    restart: () => setMoves([]),
  };
}
