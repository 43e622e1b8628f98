import { lazy, useEffect, useState, type ComponentType, type LazyExoticComponent } from "react";
import { dialogs } from "./dialog.ts";
import { Icon } from "./icon.tsx";

/** Where a part stands, and with it how its lack is told: a page of its own, a place among others, a dialog, or a picture that can be done without. */
type Frame = "page" | "place" | "dialog" | "picture";
type Load<P> = () => Promise<{ readonly default: ComponentType<P> }>;

/** A part of the page that is loaded when it is first shown. Where it cannot be, this is said in its place, and tried again whenever that is shown or at a press: the rest of the page stays. */
export function part<P extends object = object>(load: Load<P>, frame: Frame = "place"): LazyExoticComponent<ComponentType<P>> {
  return lazy(() => load().catch(() => ({ default: (props: P) => <Missing load={load} frame={frame} props={props} /> })));
}

interface MissingProps<P> {
  readonly load: Load<P>;
  readonly frame: Frame;
  /** What the part would have been given. */
  readonly props: P;
}

function Missing<P extends object>({ load, frame, props }: MissingProps<P>) {
  const [Part, setPart] = useState<ComponentType<P> | null>(null);
  const [attempt, setAttempt] = useState(1);
  const [failed, setFailed] = useState(0);
  useEffect(() => {
    let isLate = false;
    void renewStyles().then(load).then(({ default: found }) => isLate || setPart(() => found), () => isLate || setFailed(attempt));
    return () => {
      isLate = true;
    };
  }, [load, attempt]);
  if (Part !== null) return <Part {...props} />;
  if (frame === "picture") return null;
  const told = (
    <div className="notice" role="alert">
      <Icon name="warning" />
      <h2>This part of the page could not be loaded</h2>
      <p>Check the connection. Nothing else is lost by it; a run goes on.</p>
      <div className="actions">
        <button className="btn" type="button" disabled={failed < attempt} onClick={() => setAttempt(attempt + 1)}>
          Try again
        </button>
        {frame === "dialog" && (
          <button className="btn btn-quiet" type="button" onClick={() => dialogs.setState({ open: null })}>
            Dismiss
          </button>
        )}
      </div>
    </div>
  );
  if (frame === "page") return <main className="about" id="main" tabIndex={-1}>{told}</main>;
  return frame === "dialog" ? <div className="alert">{told}</div> : told;
}

/** Whether a style sheet of this page failed: Chromium gives it a sheet all the same, which nobody may read. */
function isLacking({ sheet }: HTMLLinkElement): boolean {
  try {
    return sheet === null || sheet.cssRules.length === 0;
  } catch {
    return true;
  }
}

/** Style sheets that failed, which are asked for only once by themselves. @throws where one fails again */
async function renewStyles(): Promise<void> {
  const failed = [...document.querySelectorAll<HTMLLinkElement>('link[rel="stylesheet"]')].filter(isLacking);
  await Promise.all(failed.map((link) => {
    const anew = document.createElement("link");
    const isThere = new Promise((resolve, reject) => {
      anew.addEventListener("load", resolve);
      anew.addEventListener("error", reject);
    });
    anew.rel = "stylesheet";
    anew.href = link.href;
    link.replaceWith(anew);
    return isThere;
  }));
}
