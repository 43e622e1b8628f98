import type { ReactNode } from "react";
import { creditScale } from "#store/selectors.ts";
import { observationLines } from "../board/action-label.ts";
import { schemeName } from "../board/credit-scheme.ts";
import { CreditStrip } from "../board/credit-strip.tsx";
import { useGroupConfig } from "../hooks/use-group-config.ts";
import { ChosenTokens } from "./chosen-tokens.tsx";
import { SeenTokens } from "./seen-tokens.tsx";
import type { TabProps } from "./tabs.ts";
import { VerdictList } from "./verdict-list.tsx";

/** What the policy saw, what it chose, what came back, how it was credited and judged. */
export function TurnTab({ entry, selected: { member, turn } }: TabProps) {
  const { algorithm, reward } = useGroupConfig(entry);
  const scheme = schemeName(algorithm.credit);
  const tokens = member.sequences[turn.sequence] ?? [];
  return (
    <>
      <Section by="env" title="What it saw" note={`${turn.start} tokens, its own underlined`}>
        <SeenTokens tokens={tokens} end={turn.start} />
      </Section>
      <Section by="policy" title="What it chose" note="among legal tokens">
        <ChosenTokens tokens={tokens.slice(turn.start, turn.end)} />
      </Section>
      <Section by="env" title="What came back" note={turn.observation.kind}>
        <dl className="message">
          {observationLines(turn.observation).map(([name, text], index) => (
            <Line key={index} name={name} text={text} />
          ))}
        </dl>
      </Section>
      <Section by="credit" title="Credit" note={scheme.variant}>
        <div className="credit-line">
          <span className="code" aria-hidden="true">
            {scheme.letter}
          </span>
          {scheme.name}
          <CreditStrip credit={turn.credit} scale={creditScale(entry)} />
        </div>
      </Section>
      <Section by="verifier" title="Verdict" note="on the whole attempt">
        <VerdictList member={member} deciding={"check" in reward ? reward.check : null} />
      </Section>
    </>
  );
}

interface SectionProps {
  /** Who does it. */
  readonly by: "env" | "policy" | "credit" | "verifier";
  readonly title: string;
  readonly note: string;
  readonly children: ReactNode;
}

const Section = ({ by, title, note, children }: SectionProps) => (
  <section>
    <h3>
      <span className={`role role-${by}`} />
      {title} <span className="note">{note}</span>
    </h3>
    {children}
  </section>
);

const Line = ({ name, text }: { readonly name: string; readonly text: string }) => (
  <>
    <dt>{name}</dt>
    <dd>{text}</dd>
  </>
);
