import { useStore } from "zustand";
import { openDialog } from "../dialog.ts";
import { Icon } from "../icon.tsx";
import { settings } from "../settings.ts";
import { LICENCES } from "./licences.ts";
import { Method } from "./method.tsx";

/** What the page does, how, and where it stops being true. */
export default function About() {
  return (
    <main className="about" id="main" tabIndex={-1}>
      <div>
        <header>
          <h1>Help and method</h1>
          <p>
            Turnwise trains a tiny transformer by reinforcement learning, in this browser, in tasks of several turns: a refund desk, Sokoban,
            and code that runs in a sandbox. It shows every attempt, turn by turn, and what credit each turn was given. Nothing is uploaded.
          </p>
        </header>
        <Reading />
        <Cases />
        <Keys />
        <Method />
        <Limits />
        <Licences />
      </div>
    </main>
  );
}

const Reading = () => (
  <section aria-labelledby="about-reading">
    <h2 id="about-reading">Reading the screen</h2>
    <ul>
      <li>The board shows one group: attempts at the same task by the same policy. A row is an attempt, a chip is a turn.</li>
      <li>
        The bar under a turn is its credit: up, right and solid where the update makes that turn more likely, down, left and hatched where it
        makes it less likely. All rows of a scheme have one scale; schemes are drawn times a factor that makes their mean square that of truth, told
        at the foot of the board (“Flat ×0.12”), where a press draws all on one raw scale. Numbers stay as they are.
      </li>
      <li>
        The layers beside that line are the weights of the update that is shown: to download, or to go on from there. Of a long run the newest are
        kept, the evaluated ones and every so many of the rest.
      </li>
      <li>A filled square is an attempt that passed the strict verdict; an open one did not. “Cut off” means that a budget ran out.</li>
      <li>
        Choosing a turn holds its group on the board and opens it: what the policy saw and chose, what changed in the database, which messages
        passed. Live goes back to the newest group.
      </li>
      <li>
        The line at the foot of the page goes through the updates: board, charts and numbers then show that update. A dot on it is an evaluation,
        a tick below it a checkpoint. Very old groups of a long run are kept only now and then.
      </li>
      <li>
        Under Reliability, solid is the chance that all of k attempts pass, dashed that any does; hatched is the gain over the base policy. The
        steps below are the tasks, sorted; Recount shows every attempt as a dot and adds the point up again.
      </li>
      <li>
        The gallery shows rewards that are had without doing the task, each with the line that believes it and with patches to train again. A run of
        yours that is paid over 0.2 more than it does on held-out tasks can be kept there.
      </li>
      <li>Settings apply at the next start. A run with the same settings and seed repeats itself.</li>
    </ul>
  </section>
);

const Cases = () => (
  <section aria-labelledby="about-cases">
    <h2 id="about-cases">Real cases</h2>
    <p>
      The refund desk is a small shop of our own. <a href="#/data">Cases</a> opens tasks of τ-bench, the benchmark it follows, with the same
      tools and error texts: replay what its authors hold for right, or act as the agent yourself.
    </p>
  </section>
);

function Keys() {
  const shortcuts = useStore(settings, (state) => state.shortcuts);
  return (
    <section aria-labelledby="about-keys">
      <h2 id="about-keys">Keyboard</h2>
      <p>
        Single keys act in the workbench, never while something is typed, and can be switched off. Everything they do is a button too.
      </p>
      <button className="btn" type="button" onClick={() => openDialog("keys")}>
        <Icon name="keyboard" />
        All keys
      </button>
      <div className="switch">
        <label htmlFor="shortcuts">Single-key shortcuts</label>
        <input
          id="shortcuts"
          type="checkbox"
          role="switch"
          checked={shortcuts}
          onChange={(event) => settings.setState({ shortcuts: event.target.checked })}
        />
      </div>
    </section>
  );
}

const Limits = () => (
  <section aria-labelledby="about-limits">
    <h2 id="about-limits">Limits</h2>
    <ul>
      <li>The policy is tiny and speaks a closed vocabulary. What holds here need not hold for a large model.</li>
      <li>
        Truth is measured for the groups that are looked at, not for all that are trained on, and costs far more environment steps than the group
        itself; the board says how many. Where it is branched it is an estimate.
      </li>
      <li>
        Schemes that learn a second network (critic, iStar, PRIME, learned rewards) fit a small one on few attempts. That one does badly here does
        not say that the scheme does.
      </li>
      <li>Two schemes may differ on every turn and still learn alike: over many groups much of the difference averages out.</li>
      <li>Three small environments, each with one base policy: a difference between two runs is no result without more seeds and an interval.</li>
      <li>
        Same settings and seed give the same numbers within one arithmetic (simd128, relaxed, WebGPU); between them only within tolerance.
      </li>
    </ul>
  </section>
);

const Licences = () => (
  <section aria-labelledby="about-licences">
    <h2 id="about-licences">Licences</h2>
    <p>Turnwise is MIT-licensed. What is delivered with it, to the page, its workers and its offline cache, contains these libraries:</p>
    <div>
      {LICENCES.map(({ library, text }) => (
        <details key={library}>
          <summary>{library}</summary>
          <pre tabIndex={0} role="group" aria-label={`Licence of ${library}`}>
            {text}
          </pre>
        </details>
      ))}
    </div>
  </section>
);
