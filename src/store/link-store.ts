import { createStore, type StoreApi } from "zustand/vanilla";
import { LinkError } from "#core/errors.ts";
import type { RunConfig } from "#run/run-config.ts";
import type { LinkExtras } from "#share/link-extras.ts";
import type { decodeRunLink, encodeRunLink, LinkReading, LinkView, Parameter } from "#share/run-link.ts";
import { changes } from "./config-path.ts";
import type { DraftStore } from "./draft-store.ts";
import type { GroupEntry, RunState } from "./run-state.ts";
import type { RunController } from "./run-controller.ts";
import type { RunStore } from "./run-store.ts";
import { groupAt, selectedTurn } from "./selectors.ts";
import type { SharedRun } from "./shared-run.ts";
import type { StartGate } from "./start-gate.ts";
import type { ViewState, ViewStore } from "./view-store.ts";

/** The fragment of the page's address. */
export interface AddressBar {
  read(): string;
  /** In place: no step back in the browser. */
  replace(fragment: string): void;
  /** Whether this page wrote it itself, be it before a reload. */
  isOwn(): boolean;
  /** Told when somebody else changed it. */
  subscribe(listener: () => void): () => void;
  /** Whether it is the workbench's: other pages keep theirs. */
  isPlay(fragment: string): boolean;
}

/** A link that was opened and not taken as it stands. */
export interface LinkTrouble {
  /** nowhere: the address of no page. */
  readonly kind: "malformed" | "partly" | "nowhere";
  /** Sentences. */
  readonly messages: readonly string[];
  readonly original: string;
}

/** A link from somebody else. */
export interface OpenedLink {
  readonly config: RunConfig;
  /** Its evidence, where it has some that can be read. */
  readonly shared: SharedRun | null;
}

export interface LinkState {
  readonly opened: OpenedLink | null;
  /** Controls that the link holds still. */
  readonly locks: LinkExtras["locks"];
  readonly frame: LinkExtras["frame"];
  readonly trouble: LinkTrouble | null;
  /** What is to be looked at once the run has computed it; told of when a link asked for it. */
  readonly awaited: (LinkView & { readonly isTold: boolean }) | null;
}

export interface LinkStore extends Pick<StoreApi<LinkState>, "getState" | "getInitialState" | "subscribe"> {
  /** Takes over what the address says; from now on the address says what is set and looked at. */
  open(): void;
  /** The link to what is set and looked at, whether the address says it yet or not; or to other settings, with other extras than the address's own. */
  current(extras?: LinkExtras, config?: RunConfig | null): Promise<string>;
  /** The link to the same as the address's own, in a page of its own: without a frame. */
  unframed(): Promise<string>;
  /** Holds nothing still any more. */
  unlock(): void;
  /** Looks there as soon as the run has computed it, unless something else is chosen before. */
  look(view: LinkView): void;
  dismiss(): void;
}

export interface LinkParts {
  readonly draft: DraftStore;
  readonly gate: StartGate;
  readonly view: ViewStore;
  readonly run: Pick<RunStore, "getState" | "subscribe">;
  readonly trainer: Pick<RunController, "events" | "replay" | "chooseBackend" | "restart">;
  /** The group of update 0: shown before anything ran under what is set; null where there is none. */
  recorded(): GroupEntry | null;
  readonly address: AddressBar;
}

interface Codec {
  readonly decodeRunLink: typeof decodeRunLink;
  readonly encodeRunLink: typeof encodeRunLink;
}
let loading: Promise<Codec> | undefined;

/** Not needed to show the page. @throws LinkError where it cannot be loaded; it is tried again the next time. */
function codec(): Promise<Codec> {
  loading ??= import("#share/run-link.ts").catch(() => {
    loading = undefined;
    throw new LinkError("the part of the page that reads links could not be loaded: check the connection", { fault: "not-loaded" });
  });
  return loading;
}

/** Neither empty nor the workbench's own name. */
const STRAY = /^#\/?(?!play(?:[/?]|$))[^/?]/;

/** Quiet time before the address is written, in milliseconds: browsers refuse pages that write it too often. */
const DEBOUNCE = 500;

export function createLinkStore({ draft, gate, view, run, trainer, recorded, address }: LinkParts): LinkStore {
  const store = createStore<LinkState>(() => ({ opened: null, locks: [], frame: null, trouble: null, awaited: null }));
  const home = view.getState();
  let unknown: readonly Parameter[] = [];
  /** As it came, readable here or not: it stays in the address as long as the settings are those it tells of. */
  let evidence: { readonly text: string; readonly config: RunConfig } | null = null;
  /** Addresses that are being read: a second may come while the first is. */
  let unread = 0;
  /** One that could not be read for want of a script: a reload may do better, so it stays until something is set. */
  let unreadable: string | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** While the view is moved to what was awaited, that is no choice of the person's. */
  let isLooking = false;

  const isAsCame = (config: RunConfig): boolean => evidence !== null && changes(evidence.config, config).length === 0;

  const own = (config: RunConfig): LinkExtras => {
    const { locks, frame } = store.getState();
    return { evidence: isAsCame(config) ? (evidence?.text ?? null) : null, frame, locks };
  };
  const current = async (extras?: LinkExtras, of: RunConfig | null = null): Promise<string> => {
    const config = of ?? draft.getState().config;
    const taken = extras ?? own(config);
    const looked = store.getState().awaited ?? lookedAt(view.getState(), home);
    return (await codec()).encodeRunLink({ config, view: looked, unknown }, taken);
  };

  const update = async (): Promise<void> => {
    const next = await current();
    const now = address.read();
    // One that is being read stays as it came until it was.
    if (unread === 0 && address.isPlay(now) && now !== next && now !== unreadable) address.replace(next);
  };
  const write = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => void update().catch(() => undefined), DEBOUNCE);
  };

  const reach = (state: RunState): void => {
    const { awaited } = store.getState();
    if (awaited === null) return;
    const entry = awaited.update === 0 ? recorded() : state.groups.some(({ update }) => update === awaited.update) ? groupAt(state, awaited.update) : null;
    // No run has an update 0.
    if (entry === null && awaited.update === 0) store.setState({ awaited: null });
    if (entry === null) return;
    isLooking = true;
    if (awaited.selection !== null && selectedTurn(entry, awaited.selection) !== null) view.select(entry, awaited.selection);
    else view.hold(awaited.update, entry);
    isLooking = false;
    store.setState({ awaited: null });
  };

  const look = (wanted: LinkView, isTold: boolean): void => {
    store.setState({ awaited: { ...wanted, isTold } });
    reach(run.getState());
  };

  const tell = (messages: readonly string[], original: string): void =>
    store.setState({ trouble: messages.length > 0 ? { kind: "partly", messages, original } : null });

  const read = async (): Promise<void> => {
    const fragment = address.read();
    const isNowhere = address.isPlay(fragment) && STRAY.test(fragment);
    if (isNowhere || store.getState().trouble?.kind === "nowhere") store.setState({ trouble: isNowhere ? { kind: "nowhere", messages: [], original: fragment } : null });
    // A bare one says nothing.
    if (!address.isPlay(fragment) || !fragment.includes("?")) return;
    unread += 1;
    gate.hold("link");
    const { draft: before } = draft.getState();
    const isCurrent = (): boolean => address.read() === fragment;
    try {
      const reading = await (await codec()).decodeRunLink(fragment);
      // Unpacking takes a moment: the address may be another one by now.
      if (reading !== null && isCurrent()) {
        const messages = reading.notes.map(({ message }) => sentence(message));
        const isEdited = draft.getState().draft !== before;
        take(reading, messages, fragment);
        // What was set meanwhile is not what runs.
        if (isEdited) gate.giveUp("link");
        else gate.release("link");
        await takeEvidence(reading, messages, fragment);
      }
    } catch (error) {
      if (!(error instanceof LinkError)) throw error;
      if (error.detail["fault"] === "not-loaded") unreadable = fragment;
      if (isCurrent()) store.setState({ trouble: { kind: "malformed", messages: [sentence(error.message)], original: fragment } });
    } finally {
      unread -= 1;
      if (unread === 0) gate.giveUp("link");
      write();
    }
  };

  const take = ({ config, extras, view: looked, unknown: others }: LinkReading, messages: readonly string[], original: string): void => {
    unknown = others;
    evidence = extras.evidence === null ? null : { text: extras.evidence, config };
    store.getState().opened?.shared?.dispose();
    store.setState({ opened: address.isOwn() ? null : { config, shared: null }, locks: extras.locks, frame: extras.frame });
    tell(messages, original);
    draft.replace(config);
    if (looked !== null) look(looked, true);
  };

  const takeEvidence = async ({ config, extras, view: looked }: LinkReading, messages: readonly string[], original: string): Promise<void> => {
    if (extras.evidence === null) return;
    try {
      const { openSharedRun } = await import("./shared-run.ts");
      if (address.read() !== original) return;
      const shared = openSharedRun(config, extras.evidence, looked, { run, view, trainer, isCurrent: () => isAsCame(draft.getState().config) });
      store.setState({ opened: { config, shared } });
      // What the link looks at is in the link.
      if (looked?.update === shared.evidence.trajectories?.update) store.setState({ awaited: null });
    } catch (error) {
      const fault = error instanceof LinkError ? error.message : "the part of the page that reads evidence could not be loaded";
      tell([...messages, sentence(`${fault}: the settings were taken without it`)], original);
    }
  };

  return {
    getState: store.getState,
    getInitialState: store.getInitialState,
    subscribe: store.subscribe,
    open: () => {
      void read();
      address.subscribe(() => void read().then(write));
      draft.subscribe(({ config }) => {
        const { opened } = store.getState();
        unreadable = null;
        // Its settings are of no matter once another preset is chosen; what ran and came with a link still can be looked at.
        if (opened !== null && opened.shared === null && opened.config.preset !== config.preset) store.setState({ opened: null });
        write();
      });
      store.subscribe(write);
      run.subscribe(reach);
      view.subscribe((state) => {
        const isChoice = !isLooking && state.held !== null && state.held !== home.held;
        if (isChoice && store.getState().awaited !== null) store.setState({ awaited: null });
        write();
      });
    },
    current,
    unframed: () => current({ ...own(draft.getState().config), frame: null }),
    look: (wanted) => look(wanted, false),
    unlock: () => store.setState({ locks: [] }),
    dismiss: () => store.setState({ trouble: null }),
  };
}

/** Null for what everybody sees who opens the page. */
function lookedAt({ at, held, selection }: ViewState, home: ViewState): LinkView | null {
  if (at === null || (held === home.held && selection?.member === home.selection?.member && selection?.turn === home.selection?.turn)) return null;
  const member = selection === null ? undefined : held?.linked?.members[selection.member];
  return { update: at, selection: selection === null || member === undefined ? selection : { ...selection, member } };
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
