import { useStore } from "zustand";
import { settings } from "../settings.ts";
import { LICENCES } from "./licences.ts";

/** What the page does, how, and where it stops being true. */
export default function About() {
  return (
    <main className="about" id="main" tabIndex={-1}>
      <div>
        <header>
          <h1>About Turnwise</h1>
          <p>
            Turnwise trains a tiny transformer by reinforcement learning, in this browser, to work a refund desk over several turns. It shows
            every attempt, turn by turn, and what credit each turn was given. Nothing is uploaded.
          </p>
        </header>
        <Reading />
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
        makes it less likely. All rows have one scale.
      </li>
      <li>A filled square is an attempt that passed the strict verdict; an open one did not. “Cut off” means that a budget ran out.</li>
      <li>Choosing a turn holds its group on the board and opens it under Why? Live goes back to the newest group.</li>
      <li>pass^k is the chance that all of k attempts at a task succeed, pass@k that any of them does. Bands are 95 % bootstrap intervals over tasks.</li>
      <li>Settings apply at the next start. A run with the same settings and seed repeats itself.</li>
    </ul>
  </section>
);

const KEYS: readonly (readonly [string, string])[] = [
  ["Space", "run, pause, resume"],
  [".", "one update"],
  ["R", "reset to the same seed"],
  ["Shift R", "reset to a new seed"],
  ["Arrows, Home, End", "move from turn to turn on the board"],
];

function Keys() {
  const shortcuts = useStore(settings, (state) => state.shortcuts);
  return (
    <section aria-labelledby="about-keys">
      <h2 id="about-keys">Keyboard</h2>
      <table className="data">
        <thead>
          <tr>
            <th scope="col">Key</th>
            <th scope="col">Does</th>
          </tr>
        </thead>
        <tbody>
          {KEYS.map(([key, does]) => (
            <tr key={key}>
              <th scope="row">
                <kbd>{key}</kbd>
              </th>
              <td>{does}</td>
            </tr>
          ))}
        </tbody>
      </table>
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

const Method = () => (
  <section aria-labelledby="about-method">
    <h2 id="about-method">Method</h2>
    <ul>
      <li>
        Policy: a decoder-only transformer of about 126,000 parameters on kernels of our own, in WebAssembly or WebGPU, in a worker. The shipped
        base policy was trained on demonstrations of an imperfect scripted agent.
      </li>
      <li>
        Rollouts: for each task of an update, a group of attempts is sampled at temperature 1. While decoding is constrained, probabilities are
        over the tokens that can go on to a well-formed tool call.
      </li>
      <li>Reward: 1 when the database ends as it should, else 0. Monitors are shown and never rewarded.</li>
      <li>
        Credit: flat GRPO gives every turn of an attempt (r − mean) / (σ + ε) of its group; the variant of σ stands beside the numbers. A group
        whose rewards are all equal pays no credit and is counted as “no signal”.
      </li>
      <li>Update: clipped importance ratio, token mean, AdamW, gradient clipped to a norm.</li>
      <li>
        Evaluation: held-out tasks of the same distribution, each tried several times. pass^k is C(c, k) / C(n, k) for c of n successes, averaged
        over tasks; pass@k is its dual. The scripted row is an agent in the manner of a prompted one: it follows its instructions, sees only what
        the policy sees, and does not learn.
      </li>
    </ul>
  </section>
);

const Limits = () => (
  <section aria-labelledby="about-limits">
    <h2 id="about-limits">Limits</h2>
    <ul>
      <li>The policy is tiny and speaks a closed vocabulary. What holds here need not hold for a large model.</li>
      <li>Flat credit says how an attempt did against its group, not what a single turn was worth.</li>
      <li>
        Same settings and seed give the same numbers within one arithmetic (simd128, relaxed, WebGPU); between them only within tolerance.
      </li>
      <li>A run lives as long as this page. Closing it loses the run.</li>
    </ul>
  </section>
);

const Licences = () => (
  <section aria-labelledby="about-licences">
    <h2 id="about-licences">Licences</h2>
    <p>Turnwise is MIT-licensed. It contains these libraries:</p>
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
