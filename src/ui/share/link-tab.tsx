import { useEffect, useId, useState } from "react";
import { NO_EXTRAS, type LinkExtras, type LockId } from "#share/link-extras.ts";
import { LINK_LIMIT } from "#share/run-link.ts";
import { FRAME_HEIGHT } from "#share/snippet.ts";
import { changedOnTheWay } from "#store/changed-on-the-way.ts";
import { settingsChanged } from "#store/draft-store.ts";
import type { OwnEvidence } from "#store/evidence-of.ts";
import { useStore } from "zustand";
import { sentence } from "../format.ts";
import { useDraft, useRun, useWorkbench } from "../workbench-context.ts";
import { CopyField } from "./copy-field.tsx";
import { Embedding, Locks, type FrameChoice } from "./link-options.tsx";
import { lengthNote } from "./lengths.ts";

interface Address {
  /** Whole; empty while the first is being made, then the last one until the next is there. */
  readonly address: string;
  /** Whether it was made of these extras and had no room for their evidence. */
  readonly isTooLong: boolean;
  /** Why there is none; null where nothing failed. */
  readonly fault: string | null;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function useAddress(extras: LinkExtras, config: OwnEvidence["config"] | null): Address {
  const { links } = useWorkbench();
  const [made, setMade] = useState({ key: "", address: "" });
  const [fault, setFault] = useState<string | null>(null);
  const key = JSON.stringify(extras);
  useEffect(() => {
    let isLate = false;
    links.current(extras, config).then(
      (fragment) => {
        if (isLate) return;
        setMade({ key, address: `${location.href.split("#")[0]}${fragment}` });
        setFault(null);
      },
      (error: unknown) => isLate || setFault(messageOf(error)),
    );
    return () => {
      isLate = true;
    };
    // oxlint-disable-next-line react/exhaustive-deps -- the key says all that the extras do
  }, [links, key, config]);
  const { evidence } = extras;
  return { address: made.address, isTooLong: made.key === key && evidence !== null && !made.address.includes(evidence), fault };
}

interface SharedLinkProps {
  readonly evidence: string | null;
  /** What the evidence belongs to; null: what is being edited. */
  readonly config: OwnEvidence["config"] | null;
  /** Null where the link does not tell the run. */
  readonly cite: string | null;
}

/** The link, its length, and what can be made of it. */
function SharedLink({ evidence, config, cite }: SharedLinkProps) {
  const { links } = useWorkbench();
  const [locks, setLocks] = useState<readonly LockId[]>(links.getState().locks);
  const [frame, setFrame] = useState<FrameChoice>({ panel: "credit", theme: "system", height: FRAME_HEIGHT.usual });
  const { address, isTooLong, fault } = useAddress({ ...NO_EXTRAS, evidence, locks }, config);
  const { address: framed } = useAddress({ evidence, locks, frame: { panel: frame.panel, theme: frame.theme } }, config);
  if (fault !== null) return <p role="alert">{`There is no link: ${sentence(fault)}`}</p>;
  // A link that would be longer than links may be comes without.
  if (evidence !== null && isTooLong) return <TooLong length={evidence.length} />;
  return (
    <>
      <CopyField label="Link" action="Copy link" value={address} note={address === "" ? "" : lengthNote(address)} isPrimary />
      <Locks locks={locks} onChange={setLocks} />
      <Embedding choice={frame} address={framed} onChange={setFrame} />
      {cite !== null && (
        <details className="share-more">
          <summary>Cite</summary>
          <CopyField label="Citation" action="Copy citation" value={`Turnwise, ${cite}. ${address}`} />
        </details>
      )}
    </>
  );
}

const TooLong = ({ length }: { readonly length: number }) => (
  <p role="alert">
    The evidence has {length} characters; with settings and locks the link would be longer than the {LINK_LIMIT} that links may have here. Take fewer trajectories, or send the run as a
    file: the tab File has it.
  </p>
);

const described = ({ preset, seed, updates }: OwnEvidence["config"]): string => `preset ${preset}, seed ${seed}, ${updates} updates`;

/** When the settings of the run on the page were changed on its way; null where they were not. */
function useChanged(): string | null {
  const { controller } = useWorkbench();
  const config = useRun("transport", (run) => run.config);
  // Looked at anew after each update.
  useRun("transport", (run) => run.update);
  return changedOnTheWay(controller.events(), config);
}

/** Settings, seed and view. */
export function LinkTab() {
  const changed = useChanged();
  const running = useRun("transport", (run) => run.config);
  const isPending = useDraft((draft) => settingsChanged(draft, running).length > 0);
  const isWrong = useDraft((draft) => draft.issue !== null);
  const config = useDraft((draft) => draft.config);
  return (
    <>
      <p>The link carries the settings, the seed and what is looked at. Nothing is uploaded: all of it stands in the address itself. Weights are no part of it.</p>
      {changed !== null && (
        <p className="share-changed">
          The settings of this run were changed {changed}: no link tells such a run. This one starts a new run under the settings as edited, from its first update on. The run itself goes as a
          file: the tab File has it.
        </p>
      )}
      {isPending && <p>Some settings were changed since the run started: the link has them as they are edited.</p>}
      {isWrong && <p>One setting is out of range: the link has the last value that was allowed.</p>}
      <SharedLink evidence={null} config={null} cite={changed === null ? described(config) : null} />
    </>
  );
}

const COUNTS = [0, 1, 2, 3, 4, 5, 6, 7, 8] as const;
const USUAL = 4;

interface Packed {
  /** What it was made for. */
  readonly wish: string;
  readonly text: string;
  readonly own: OwnEvidence;
}

/** The same with what the run has shown of itself. */
export function EvidenceTab() {
  const workbench = useWorkbench();
  const id = useId();
  const shared = useStore(workbench.links, ({ opened }) => opened?.shared ?? null);
  const update = useRun("transport", (run) => run.update);
  const changed = useChanged();
  const [count, setCount] = useState<number>(USUAL);
  const [renewed, setRenewed] = useState(0);
  const [packed, setPacked] = useState<Packed | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const wish = `${count}/${renewed}`;
  const isMade = packed?.wish === wish;
  // Tried again after every update until it is there; from then on only when it is asked for: a link must not change while it is copied.
  const since = isMade ? null : update;
  useEffect(() => {
    if (isMade) return undefined;
    let isLate = false;
    const make = async (): Promise<void> => {
      const [{ ownEvidence }, { encodeEvidence }] = await Promise.all([import("#store/evidence-of.ts"), import("#share/evidence-codec.ts")]);
      if (isLate) return;
      const own = ownEvidence(workbench, count);
      setPacked(own && { wish, own, text: encodeEvidence(own.config, own.evidence) });
      setFault(null);
    };
    make().catch((error: unknown) => isLate || setFault(messageOf(error)));
    return () => {
      isLate = true;
    };
  }, [workbench, count, wish, isMade, since]);
  if (changed !== null)
    return (
      <p className="share-changed">
        The settings of this run were changed {changed}. A link has one set of settings for all of a run: whoever opens it would train another one, and no evidence of this run would fit. The
        run goes as a file, with all that happened: the tab File has it.
      </p>
    );
  const failed = fault !== null && <p role="alert">{`The evidence could not be put into a link: ${sentence(fault)}`}</p>;
  if (packed === null) {
    if (failed !== false) return failed;
    return (
      <p>
        {shared === null
          ? "Evidence is what a run has shown of itself: some of its trajectories with their credit, its curve, and a fingerprint of its weights. Start a run: after its first update there is something to send."
          : "The link that was opened carries evidence; the address bar has it as long as the settings are left as they are. Evidence of your own needs a run of your own."}
      </p>
    );
  }
  const { own: { config, evidence: { arithmetic, marks, update: last, trajectories } }, text } = packed;
  const fingerprint = marks.at(-1)?.hash.toString(16).padStart(4, "0");
  return (
    <>
      <p>
        Carries, besides the settings, {trajectories === null ? "no trajectory" : `${trajectories.members.length} of the ${config.algorithm.groupSize} trajectories on the board, the rewards of all, with ${trajectories.rows.length} schemes' credit${trajectories.truth === null ? "" : " and truth"}`}, the curve, and a fingerprint of the weights at {marks.length} updates (in {arithmetic}
        {fingerprint === undefined ? "" : `, the last ${fingerprint}`}). Whoever opens it sees them at once, can train again, and is told whether it came out the same. Nothing is uploaded.
      </p>
      {last < config.updates && <p>The evidence goes up to update {last} of {config.updates}{update > last ? "; the run has gone on since." : "."}</p>}
      {failed}
      <div className="share-evidence">
        <div className="field">
          <label htmlFor={id}>Trajectories</label>
          <select className="select" id={id} value={count} onChange={({ target }) => setCount(Number(target.value))}>
            {COUNTS.map((choice) => <option key={choice} value={choice}>{choice === 0 ? "none" : `up to ${choice}`}</option>)}
          </select>
        </div>
        <button className="btn" type="button" onClick={() => setRenewed(renewed + 1)}>
          Renew
        </button>
      </div>
      <SharedLink evidence={text} config={config} cite={`${described(config)}, ${arithmetic}, fingerprint ${fingerprint ?? "none yet"}`} />
    </>
  );
}
