import { Suspense, type ReactNode } from "react";
import type { Observation } from "#core/trajectory.ts";
import { observationLines } from "../board/action-label.ts";
import { useGroupConfig } from "../hooks/use-group-config.ts";
import { ChosenTokens } from "./chosen-tokens.tsx";
import { SeenTokens } from "./seen-tokens.tsx";
import type { TabProps } from "./tabs.ts";
import { VerdictList } from "./verdict-list.tsx";
import { part } from "../part.tsx";

const BoardMessage = part(() => import("../sokoban/board-message.tsx"), "picture");
const WhyCredit = part(() => import("./why-credit.tsx"));

/** What the policy saw, what it chose, what came back, how it was judged and credited. */
export function TurnTab({ entry, selection, selected: { member, turn } }: TabProps) {
  const { reward } = useGroupConfig(entry);
  const tokens = member.sequences[turn.sequence] ?? [];
  const before = member.turns[selection.turn - 1]?.observation ?? entry.group.first;
  return (
    <>
      <Section by="env" title="What it saw" note={`${turn.start} tokens, its own underlined`}>
        <Picture of={before} />
        <SeenTokens tokens={tokens} end={turn.start} />
      </Section>
      <Section by="policy" title="What it chose" note="among legal tokens">
        <ChosenTokens tokens={tokens.slice(turn.start, turn.end)} />
      </Section>
      <Section by="env" title="What came back" note={turn.observation.kind}>
        <Picture of={turn.observation} />
        {!isDrawn(turn.observation) && (
          <dl className="message">
            {observationLines(turn.observation).map(([name, text], index) => (
              <Line key={index} name={name} text={text} />
            ))}
          </dl>
        )}
      </Section>
      <Suspense>
        <WhyCredit entry={entry} at={selection} />
      </Suspense>
      <Section by="verifier" title="Verdict" note="on the whole attempt">
        <VerdictList member={member} deciding={"check" in reward ? reward.check : null} />
      </Section>
    </>
  );
}

const isDrawn = ({ kind }: Observation): boolean => kind === "board";

/** An observation that is better drawn than told. */
const Picture = ({ of }: { readonly of: Observation }) =>
  isDrawn(of) && (
    <Suspense>
      <BoardMessage observation={of} />
    </Suspense>
  );

interface SectionProps {
  /** Who does it. */
  readonly by: "env" | "policy" | "verifier";
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
