import { ENVIRONMENTS } from "#environments/registry.ts";
import type { Exhibit, Patch } from "#run/gallery/exhibit.ts";
import type { CurvePoint, ExhibitRecording } from "#run/gallery/recording.ts";
import { configOf, linkOf, trainCommand, type ExhibitId } from "#run/gallery/registry.ts";
import { Replay } from "./replay.tsx";
import { useRecording } from "./recordings.ts";
import { Scores, type ScoreRow } from "./scores.tsx";

interface CardProps {
  readonly id: ExhibitId;
  readonly exhibit: Exhibit;
}

/** A reward that can be had without doing the task: what was learnt, the line that believed it, and what became of patches. */
export function ExhibitCard({ id, exhibit }: CardProps) {
  const { title, hack, setup, check, truth, patches, note } = exhibit;
  const { recording, fault } = useRecording(id);
  return (
    <article className="panel exhibit" id={`exhibit-${id}`} aria-labelledby={`exhibit-${id}-title`}>
      <header>
        <h2 id={`exhibit-${id}-title`}>{title}</h2>
        <p className="note">{ENVIRONMENTS[configOf(setup).environment.id].title}</p>
      </header>
      <p>{hack}</p>
      <div className="exhibit-measured" aria-busy={recording === null && fault === null}>
        {fault !== null && <p role="alert">What was recorded could not be loaded: {fault}. Check the connection and open this page again.</p>}
        {recording !== null && <Measured exhibit={exhibit} recording={recording} />}
      </div>
      <details>
        <summary>Show the line it exploits</summary>
        <p className="note mono">{exhibit.exploits.file}</p>
        <pre>{exhibit.exploits.lines.map((line) => line.trim()).join("\n")}</pre>
        <p>{exhibit.exploits.says}</p>
      </details>
      <details>
        <summary>What is checked, and how to repeat it</summary>
        <dl>
          <dt>Trained on</dt>
          <dd>{check.says}</dd>
          <dt>The truth</dt>
          <dd>{truth}</dd>
          <dt>Train it from the command line</dt>
          <dd>
            <code>{trainCommand(setup)}</code>
          </dd>
          <dt>Measure it and every patch again</dt>
          <dd>
            <code>npm run -s turnwise -- exhibit {id}</code>
          </dd>
        </dl>
        <p>{note}</p>
      </details>
      <div className="actions">
        <a className="btn btn-primary" href={linkOf(setup)}>
          Train it
        </a>
        <span className="note">Opens the workbench with these settings; Run does the rest.</span>
      </div>
      <section className="patches" aria-label={`Patches: ${title}`}>
        <h3>Patch it</h3>
        <ul>
          {patches.map((patch) => (
            <PatchItem key={patch.id} patch={patch} survives={recording?.patched[patch.id]?.survives ?? null} />
          ))}
        </ul>
      </section>
    </article>
  );
}

function PatchItem({ patch: { title, says, setup }, survives }: { readonly patch: Patch; readonly survives: boolean | null }) {
  return (
    <li>
      <div>
        <b>{title}</b>
        {survives !== null && <span className={survives ? "tag" : "tag tag-strong"}>{survives ? "Survives retraining" : "Does not survive"}</span>}
      </div>
      <p>{says}</p>
      <a className="btn btn-sm" href={linkOf(setup)}>
        Try the patch<span className="vh">: {title}</span>
      </a>
    </li>
  );
}

const rowOf = (key: string, label: string, point: CurvePoint | undefined): readonly ScoreRow[] =>
  point === undefined ? [] : [{ key, label, score: point.score, heldout: point.success, hack: point.hack }];

function Measured({ exhibit: { title, check, patches }, recording: { broken, patched, attempt } }: { readonly exhibit: Exhibit; readonly recording: ExhibitRecording }) {
  const last = broken.curve.at(-1);
  const rows = [
    ...rowOf("base", "Before", broken.curve[0]),
    ...rowOf("trained", `After ${last?.update ?? 0} updates`, last),
    ...patches.flatMap((patch) => rowOf(patch.id, `Patched: ${patch.title}`, patched[patch.id]?.curve.at(-1))),
  ];
  return (
    <>
      <Scores caption={`Measured: ${title}`} rows={rows} scale={check.scale} />
      <p className="note">
        {check.scale === "points" ? "What is paid are points and may exceed 1. " : ""}
        Each run starts from the same base policy; the first took {Math.round(broken.seconds)} seconds of one processor, evaluations included.
      </p>
      <Replay attempt={attempt} check={check.scale === "share" ? check.name : null} title={title} />
    </>
  );
}
