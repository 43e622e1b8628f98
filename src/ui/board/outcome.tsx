import type { MemberRecord } from "#run/run-event.ts";
import { reward } from "../format.ts";
import { Icon } from "../icon.tsx";

/** Filled square: the verdict was passed; open square: it was not. */
export function OutcomeMark({ success }: { readonly success: boolean }) {
  return (
    <span className={success ? "mark mark-ok" : "mark"} aria-hidden="true">
      <Icon name={success ? "confirm" : "close"} />
    </span>
  );
}

const ENDINGS: Readonly<Record<MemberRecord["ending"], string>> = { terminated: "closed", truncated: "cut off", failed: "errored" };

/** How the episode ended: the agent closed it, a budget cut it off, or it broke down and does not count. */
export const endingText = ({ ending }: MemberRecord): string => ENDINGS[ending];

export function Outcome({ member }: { readonly member: MemberRecord }) {
  if (member.ending === "failed") {
    return (
      <div className="outcome">
        <span className="mark" aria-hidden="true">
          <Icon name="warning" />
        </span>
        <span className="vh">Errored</span>
      </div>
    );
  }
  return (
    <div className="outcome">
      <OutcomeMark success={member.success} />
      <span>
        <span className="vh">Reward </span>
        {reward(member.reward)}
      </span>
    </div>
  );
}
