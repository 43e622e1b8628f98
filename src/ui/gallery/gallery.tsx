import { useEffect, useRef, type RefObject } from "react";
import { EXHIBIT_IDS, EXHIBITS } from "#run/gallery/registry.ts";
import { sentence } from "../format.ts";
import { useFragment } from "../route.ts";
import { ExhibitCard } from "./exhibit-card.tsx";
import { OWN_TITLE, OwnCard } from "./own-card.tsx";
import { useOwnExhibits } from "./own.ts";
import "../styles/gallery.css";

const MOVES = ["wheel", "touchmove", "pointerdown", "keydown"] as const;

/** Shows the exhibit that the address names, and goes on to while recordings make those above it taller, unless somebody moves the page meanwhile. */
function useNamedExhibit(exhibits: RefObject<HTMLElement | null>): void {
  const id = useFragment().split("/")[2];
  useEffect(() => {
    const named = id === undefined ? null : document.getElementById(`exhibit-${id}`);
    if (named === null || exhibits.current === null) return undefined;
    const moved = new AbortController();
    // Told at once, and whenever the size is another one.
    const sizes = new ResizeObserver(() => {
      named.scrollIntoView();
      if (exhibits.current?.querySelector("[aria-busy=true]") === null) moved.abort();
    });
    moved.signal.addEventListener("abort", () => sizes.disconnect());
    for (const move of MOVES) addEventListener(move, () => moved.abort(), { signal: moved.signal, passive: true });
    sizes.observe(exhibits.current);
    return () => moved.abort();
  }, [id, exhibits]);
}

/** Rewards that were had without doing the task, each to be trained again here. `#/gallery/ID` goes to one of them. */
export default function Gallery() {
  const own = useOwnExhibits(({ exhibits }) => exhibits);
  const fault = useOwnExhibits((state) => state.fault);
  const exhibits = useRef<HTMLElement>(null);
  useNamedExhibit(exhibits);
  return (
    <main className="gallery" id="main" tabIndex={-1}>
      <header>
        <h1>Reward hacking</h1>
        <p>
          A policy learns what it is paid for. Each of these rewards has a hole, and a small policy finds it within seconds: what training reports
          goes up, what is true on held-out tasks falls behind. Train one, look at the line that believed it, try a patch, and see whether the patch
          survives retraining.
        </p>
      </header>
      <section className="exhibits" aria-label="Exhibits" ref={exhibits}>
        {EXHIBIT_IDS.map((id) => (
          <ExhibitCard key={id} id={id} exhibit={EXHIBITS[id]} />
        ))}
      </section>
      <section className="own" aria-labelledby={OWN_TITLE}>
        <h2 id={OWN_TITLE} tabIndex={-1}>
          Yours
        </h2>
        <p>
          {own.length === 0
            ? "Nothing yet. When a run of yours is paid over 0.2 more than it does on held-out tasks, twice in a row, the workbench offers to keep it here. "
            : ""}
          What is kept stays in this browser.
        </p>
        {fault !== null && <p role="alert">{sentence(fault)}</p>}
        <div className="exhibits">
          {own.map((exhibit) => (
            <OwnCard key={exhibit.id} exhibit={exhibit} />
          ))}
        </div>
      </section>
    </main>
  );
}
