import type { ReactNode } from "react";
import { Icon, type IconName } from "../icon.tsx";
import { dismiss } from "../notices.ts";

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

interface ActionProps {
  readonly isPrimary?: boolean;
  readonly onClick: () => void;
  readonly children: ReactNode;
}

export const Action = ({ isPrimary = false, onClick, children }: ActionProps) => (
  <button className={isPrimary ? "btn btn-primary" : "btn"} type="button" onClick={onClick}>
    {children}
  </button>
);

/** Esc does the same for the first notice. */
export const Dismiss = ({ about, label = "Dismiss" }: { readonly about: unknown; readonly label?: string }) => (
  <button className="btn btn-quiet" type="button" data-dismiss onClick={() => dismiss(about)}>
    {label}
  </button>
);
