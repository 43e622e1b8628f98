import type { ReactNode } from "react";
import { Icon, type IconName } from "../icon.tsx";

interface NoticeProps {
  readonly icon: IconName;
  readonly title: string;
  readonly children: ReactNode;
}

/** What happened, then what can be done. */
export const Notice = ({ icon, title, children }: NoticeProps) => (
  <div className="notice">
    <Icon name={icon} />
    <h2>{title}</h2>
    {children}
  </div>
);
