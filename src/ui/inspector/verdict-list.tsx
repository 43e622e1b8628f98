import type { MemberRecord } from "#run/run-event.ts";
import { endingText, OutcomeMark } from "../board/outcome.tsx";
import { reward, words } from "../format.ts";
import { Icon } from "../icon.tsx";

interface VerdictListProps {
  readonly member: MemberRecord;
  /** The check that the reward pays for; null where it pays for more than one thing. */
  readonly deciding: string | null;
}

/** One check decides; the others and the monitors are shown and never rewarded. */
export const VerdictList = ({ member, deciding }: VerdictListProps) => (
  <ul className="checks">
    <li>
      Attempt {endingText(member)}, reward {reward(member.reward)}
    </li>
    {Object.entries(member.checks).map(([name, passed]) => (
      <li key={name}>
        <OutcomeMark success={passed} />
        {words(name)}: {passed ? "passed" : "not passed"}
        {name === deciding && <b className="tag">decided the reward</b>}
      </li>
    ))}
    {member.monitors.length === 0 ? (
      <li className="note">No monitor fired</li>
    ) : (
      member.monitors.map((name) => (
        <li key={name}>
          <Icon name="info" />
          {words(name)} <span className="note">monitor, not rewarded</span>
        </li>
      ))
    )}
  </ul>
);
