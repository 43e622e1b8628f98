import { useEffect } from "react";
import { EXHIBIT_IDS, EXHIBITS } from "#run/gallery/registry.ts";
import { sentence } from "../format.ts";
import { ExhibitCard } from "./exhibit-card.tsx";
import { OwnCard } from "./own-card.tsx";
import { useOwnExhibits } from "./own.ts";
import "../styles/gallery.css";

/** Rewards that were had without doing the task, each to be trained again here. `#/gallery/ID` goes to one of them. */
export default function Gallery() {
  const own = useOwnExhibits(({ exhibits }) => exhibits);
  const fault = useOwnExhibits((state) => state.fault);
  useEffect(() => {
    const id = location.hash.split("/")[2];
    if (id !== undefined) document.getElementById(`exhibit-${id}`)?.scrollIntoView();
  }, []);
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
      <section className="exhibits" aria-label="Exhibits">
        {EXHIBIT_IDS.map((id) => (
          <ExhibitCard key={id} id={id} exhibit={EXHIBITS[id]} />
        ))}
      </section>
      <section className="own" aria-labelledby="own-title">
        <h2 id="own-title">Yours</h2>
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
