import type { MemberRecord } from "#run/run-event.ts";
import { endingText, OutcomeMark } from "../board/outcome.tsx";
import { reward, words } from "../format.ts";
import { Icon } from "../icon.tsx";

/** Checks decide; monitors are shown and never rewarded. */
export const VerdictList = ({ member }: { readonly member: MemberRecord }) => (
  <ul className="checks">
    <li>
      Episode {endingText(member)}, reward {reward(member.reward)}
    </li>
    {Object.entries(member.checks).map(([name, passed]) => (
      <li key={name}>
        <OutcomeMark success={passed} />
        {words(name)}: {passed ? "passed" : "not passed"}
      </li>
    ))}
    {member.monitors.length === 0 ? (
      <li>No monitor fired</li>
    ) : (
      member.monitors.map((name) => (
        <li key={name}>
          <Icon name="info" />
          {words(name)}
        </li>
      ))
    )}
  </ul>
);
