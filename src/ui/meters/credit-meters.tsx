import { ENVIRONMENTS } from "#environments/registry.ts";
import type { CountedShare, CreditMeters as Known } from "#run/assessment.ts";
import { fixed, percent } from "../format.ts";
import { useDraft, useRun } from "../workbench-context.ts";

/** How far the credit trained with agrees with skill, over the groups that were assessed so far. */
export function CreditMeters() {
  const meters = useRun("signal", (run) => run.findings.meters);
  const environment = useRun("signal", (run) => run.config?.environment.id ?? null);
  const edited = useDraft((draft) => draft.config.environment.id);
  return <Meters meters={meters} canAsk={ENVIRONMENTS[environment ?? edited].questions.length > 0} />;
}

/** The same of what is known. @param canAsk whether there is anybody to be asked in the environment */
export function Meters({ meters, canAsk }: { readonly meters: Known | null; readonly canAsk: boolean }) {
  const cosine = meters?.gradientCosine ?? null;
  const groups = meters?.groups ?? 0;
  const over = `over ${groups === 1 ? "the one group that was" : `the ${groups} newest groups that were`} measured so far. Other groups give other numbers: measured are those that the trainer came to, and those looked at while it rested`;
  return (
    <dl className="meters" aria-label="Credit against truth, over the newest groups that were measured so far">
      <div title={`Cosine of the gradient under the credit trained with and the gradient under skill, n = ${groups}: ${over}`}>
        <dt>Agreement</dt>
        <dd>
          <b>{cosine === null ? "–" : fixed(cosine)}</b>
          {cosine !== null && <small>n = {groups}</small>}
          <Cosine value={cosine} />
        </dd>
      </div>
      <div title={`Of the turns whose skill has a certain sign, how many are paid the other way; ${over}`}>
        <dt>Wrong signs</dt>
        <dd>
          <Share of={meters?.wrongSign ?? null} few="too few turns" />
        </dd>
      </div>
      {canAsk && (
        <div title={`Of the questions with a skill that is certainly above zero, how many are paid less than zero; ${over}`}>
          <dt className={meters?.goodQuestionsPunished.share === null ? "vh" : undefined}>Good asks punished</dt>
          <dd>
            <Share of={meters?.goodQuestionsPunished ?? null} few="too few good questions left" />
          </dd>
        </div>
      )}
    </dl>
  );
}

function Share({ of, few }: { readonly of: CountedShare | null; readonly few: string }) {
  if (of === null) return <b>–</b>;
  if (of.share === null) {
    return (
      <span className="meter-few">
        {few} ({of.count})
      </span>
    );
  }
  return (
    <>
      <b>{percent(of.share)}</b>
      <small>
        of {of.count}
      </small>
    </>
  );
}

/** From −1 to 1; a bar from the middle, right of it where the batch pulls the way that skill does. */
function Cosine({ value }: { readonly value: number | null }) {
  const at = 50 + 50 * (value ?? 0);
  return (
    <svg className="cosine" aria-hidden="true">
      <line className="cosine-axis" x1="0" x2="100%" y1="5" y2="5" />
      <line className="cosine-axis" x1="50%" x2="50%" y1="0" y2="10" />
      {value !== null && <rect className="cosine-bar" x={`${Math.min(50, at)}%`} width={`${Math.abs(at - 50)}%`} y="2.5" height="5" />}
    </svg>
  );
}
