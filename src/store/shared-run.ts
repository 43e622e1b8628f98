import { createStore, type StoreApi } from "zustand/vanilla";
import { marksOf, type Evidence } from "#run/evidence.ts";
import { reproduction, type Reproduction } from "#run/reproduction.ts";
import type { RunConfig } from "#run/run-config.ts";
import { decodeEvidence } from "#share/evidence-codec.ts";
import type { LinkView } from "#share/run-link.ts";
import { changedOnTheWay } from "./changed-on-the-way.ts";
import { changes } from "./config-path.ts";
import { tellingTurn } from "./recorded-group.ts";
import type { RunController } from "./run-controller.ts";
import type { GroupEntry, RunState } from "./run-state.ts";
import type { RunStore } from "./run-store.ts";
import type { TurnSelection, ViewStore } from "./view-store.ts";

export interface SharedRunState {
  /** The trajectories as they can be drawn, once they were played again. */
  readonly entry: GroupEntry | null;
  /** Why they cannot be. */
  readonly fault: string | null;
  /** Of a run under the same settings; null while there is none. */
  readonly verdict: Reproduction | null;
}

/** A run that came in a link with evidence. */
export interface SharedRun extends Pick<StoreApi<SharedRunState>, "getState" | "getInitialState" | "subscribe"> {
  readonly config: RunConfig;
  readonly evidence: Evidence;
  /** Puts its trajectories on the board. */
  show(): void;
  /** Under the same settings, in the same arithmetic where this page has it. */
  trainAgain(): void;
  dispose(): void;
}

export interface SharedRunParts {
  readonly run: Pick<RunStore, "getState" | "subscribe">;
  readonly view: ViewStore;
  readonly trainer: Pick<RunController, "events" | "replay" | "chooseBackend" | "restart">;
  /** Whether the address still is the one that the evidence came with. */
  isCurrent(): boolean;
}

const isSame = (a: unknown, b: unknown): boolean => changes(a, b).length === 0;

/** Reads the evidence and plays its trajectories. @param looked what the link looks at. @throws LinkError when it cannot be read */
export function openSharedRun(config: RunConfig, text: string, looked: LinkView | null, { run, view, trainer, isCurrent }: SharedRunParts): SharedRun {
  const evidence = decodeEvidence(config, text);
  const store = createStore<SharedRunState>(() => ({ entry: null, fault: null, verdict: null }));
  const { trajectories } = evidence;

  /** Members of the link stand in other places than they had in their group. */
  const wanted = (entry: GroupEntry): TurnSelection | null => {
    const selection = looked?.update === entry.update ? looked.selection : null;
    const member = trajectories?.members.findIndex((recorded) => recorded.member === selection?.member) ?? -1;
    return selection !== null && (entry.group.members[member]?.turns.length ?? 0) > selection.turn ? { member, turn: selection.turn } : tellingTurn(entry.group);
  };
  const show = (): void => {
    const { entry } = store.getState();
    if (entry === null) return;
    const selection = wanted(entry);
    if (selection === null) view.hold(entry.update, entry);
    else view.select(entry, selection);
  };
  const play = async (): Promise<void> => {
    if (trajectories === null) return;
    const answer = await trainer.replay({ config, recorded: trajectories });
    if (!answer.ok) {
      store.setState({ fault: answer.error.message });
      return;
    }
    const group = answer.value;
    const assessments = trajectories.truth === null ? [] : [{ update: trajectories.update, groupId: group.groupId, truth: trajectories.truth, schemes: [] }];
    store.setState({ entry: { update: trajectories.update, group, linked: { config, assessments, members: trajectories.members.map(({ member }) => member), rewards: trajectories.rewards ?? null } } });
    if (isCurrent() && run.getState().status === "idle") show();
  };
  const compare = ({ config: running }: RunState): void => {
    const events = trainer.events();
    // Only a run that was made with these settings from beginning to end can be the same.
    const own = isSame(running, config) && changedOnTheWay(events, running) === null ? marksOf(events) : null;
    const verdict = own === null ? null : reproduction(evidence, own, config.algorithm.groupSize * config.algorithm.groupsPerUpdate);
    if (!isSame(verdict, store.getState().verdict)) store.setState({ verdict });
  };
  const unsubscribe = run.subscribe((state, before) => {
    // A moment later: by then the log has the events that the store has.
    if (state.update !== before.update || state.run !== before.run || state.status !== before.status) queueMicrotask(() => compare(run.getState()));
  });
  void play();
  return {
    getState: store.getState,
    getInitialState: store.getInitialState,
    subscribe: store.subscribe,
    config,
    evidence,
    show,
    trainAgain: () => {
      trainer.chooseBackend(evidence.arithmetic === "webgpu" ? "webgpu" : "wasm");
      trainer.restart();
    },
    dispose: unsubscribe,
  };
}
