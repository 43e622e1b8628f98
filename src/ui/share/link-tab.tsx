import { useEffect, useId, useState } from "react";
import { NO_EXTRAS, type LinkExtras, type LockId } from "#share/link-extras.ts";
import { LINK_LIMIT } from "#share/run-link.ts";
import { FRAME_HEIGHT } from "#share/snippet.ts";
import { settingsChanged } from "#store/draft-store.ts";
import type { OwnEvidence } from "#store/evidence-of.ts";
import { useStore } from "zustand";
import { useDraft, useRun, useWorkbench } from "../workbench-context.ts";
import { CopyField } from "./copy-field.tsx";
import { Embedding, Locks, type FrameChoice } from "./link-options.tsx";
import { lengthNote } from "./lengths.ts";

interface Address {
  /** Whole; empty while the first is being made, then the last one until the next is there. */
  readonly address: string;
  /** Whether it was made of these extras and had no room for their evidence. */
  readonly isTooLong: boolean;
}

function useAddress(extras: LinkExtras, config: OwnEvidence["config"] | null): Address {
  const { links } = useWorkbench();
  const [made, setMade] = useState({ key: "", address: "" });
  const key = JSON.stringify(extras);
  useEffect(() => {
    let isLate = false;
    void links.current(extras, config).then((fragment) => {
      if (!isLate) setMade({ key, address: `${location.href.split("#")[0]}${fragment}` });
    });
    return () => {
      isLate = true;
    };
    // oxlint-disable-next-line react/exhaustive-deps -- the key says all that the extras do
  }, [links, key, config]);
  const { evidence } = extras;
  return { address: made.address, isTooLong: made.key === key && evidence !== null && !made.address.includes(evidence) };
}

interface SharedLinkProps {
  readonly evidence: string | null;
  /** What the evidence belongs to; null: what is being edited. */
  readonly config: OwnEvidence["config"] | null;
  readonly cite: string;
}

/** The link, its length, and what can be made of it. */
function SharedLink({ evidence, config, cite }: SharedLinkProps) {
  const { links } = useWorkbench();
  const [locks, setLocks] = useState<readonly LockId[]>(links.getState().locks);
  const [frame, setFrame] = useState<FrameChoice>({ panel: "credit", theme: "system", height: FRAME_HEIGHT.usual });
  const { address, isTooLong } = useAddress({ ...NO_EXTRAS, evidence, locks }, config);
  const { address: framed } = useAddress({ evidence, locks, frame: { panel: frame.panel, theme: frame.theme } }, config);
  // A link that would be longer than links may be comes without.
  if (evidence !== null && isTooLong) return <TooLong length={evidence.length} />;
  return (
    <>
      <CopyField label="Link" action="Copy link" value={address} note={lengthNote(address)} isPrimary />
      <Locks locks={locks} onChange={setLocks} />
      <Embedding choice={frame} address={framed} onChange={setFrame} />
      <details className="share-more">
        <summary>Cite</summary>
        <CopyField label="Citation" action="Copy citation" value={`Turnwise, ${cite}. ${address}`} />
      </details>
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

/** Settings, seed and view. */
export function LinkTab() {
  const running = useRun("transport", (run) => run.config);
  const isPending = useDraft((draft) => settingsChanged(draft, running).length > 0);
  const isWrong = useDraft((draft) => draft.issue !== null);
  const config = useDraft((draft) => draft.config);
  return (
    <>
      <p>The link carries the settings, the seed and what is looked at. Nothing is uploaded: all of it stands in the address itself. Weights are no part of it.</p>
      {isPending && <p>Some settings were changed since the run started: the link has them as they are edited.</p>}
      {isWrong && <p>One setting is out of range: the link has the last value that was allowed.</p>}
      <SharedLink evidence={null} config={null} cite={described(config)} />
    </>
  );
}

const COUNTS = [0, 1, 2, 3, 4, 5, 6, 7, 8] as const;
const USUAL = 4;

interface Packed {
  readonly text: string;
  readonly own: OwnEvidence;
}

/** The same with what the run has shown of itself. */
export function EvidenceTab() {
  const workbench = useWorkbench();
  const id = useId();
  const shared = useStore(workbench.links, ({ opened }) => opened?.shared ?? null);
  const update = useRun("transport", (run) => run.update);
  const findings = useRun("transport", (run) => run.findings);
  const [count, setCount] = useState<number>(USUAL);
  const [packed, setPacked] = useState<Packed | null>(null);
  useEffect(() => {
    let isLate = false;
    void Promise.all([import("#store/evidence-of.ts"), import("#share/evidence-codec.ts")]).then(([{ ownEvidence }, { encodeEvidence }]) => {
      const own = ownEvidence(workbench, count);
      if (!isLate) setPacked(own && { own, text: encodeEvidence(own.config, own.evidence) });
    });
    return () => {
      isLate = true;
    };
  }, [workbench, count, update, findings]);
  if (packed === null) {
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
        Carries, besides the settings, {trajectories === null ? "no trajectory" : `${trajectories.members.length} of the trajectories on the board with ${trajectories.rows.length} schemes' credit${trajectories.truth === null ? "" : " and truth"}`}, the curve, and a fingerprint of the weights at {marks.length} updates (in {arithmetic}
        {fingerprint === undefined ? "" : `, the last ${fingerprint}`}). Whoever opens it sees them at once, can train again, and is told whether it came out the same. Nothing is uploaded.
      </p>
      {last < config.updates && <p>The run stands at update {last} of {config.updates}: the evidence goes as far.</p>}
      <div className="field share-count">
        <label htmlFor={id}>Trajectories</label>
        <select className="select" id={id} value={count} onChange={({ target }) => setCount(Number(target.value))}>
          {COUNTS.map((choice) => <option key={choice} value={choice}>{choice === 0 ? "none" : `up to ${choice}`}</option>)}
        </select>
      </div>
      <SharedLink evidence={text} config={config} cite={`${described(config)}, ${arithmetic}, fingerprint ${fingerprint ?? "none yet"}`} />
    </>
  );
}
