import { CREDIT_ASSIGNERS } from "#algorithms/credit/registry.ts";
import { OBJECTIVES } from "#algorithms/objectives/registry.ts";
import { REWARD_SOURCES } from "#algorithms/rewards/registry.ts";
import { line, sub } from "../inspector/formulas/math.tsx";
import { ExplainedList } from "./explained-list.tsx";
import { CREDIT_FORMULAS } from "./formulas/credit.ts";
import { OBJECTIVE_FORMULAS, TERM_FORMULAS } from "./formulas/objectives.ts";
import { REWARD_FORMULAS } from "./formulas/rewards.ts";
import { Choose, Formula, Frac, Id, Num, Op, Sub, Words } from "./mathml.tsx";

export const Method = () => (
  <section aria-labelledby="about-method">
    <h2 id="about-method">Method</h2>
    <h3>Policy and rollouts</h3>
    <ul>
      <li>
        A decoder-only transformer of about 126,000 parameters on kernels of our own, in WebAssembly or WebGPU, in a worker. The shipped base
        policy was trained on demonstrations of an imperfect scripted agent.
      </li>
      <li>
        For each task of an update a group of attempts is sampled at temperature 1. While decoding is constrained, probabilities are over the
        tokens that can go on to a well-formed tool call.
      </li>
      <li>Monitors, such as a needless question, are shown and never rewarded.</li>
    </ul>
    <h3>Reward</h3>
    <p>What an attempt is paid: R at its end, r with a turn. Success on every chart is always the strict verdict, whatever is paid for.</p>
    <ExplainedList registry={REWARD_SOURCES} explained={REWARD_FORMULAS} />
    <h3>Credit</h3>
    <p>
      Which turn deserves it. A bar over a letter is the mean of those compared, n their number, σ their standard deviation: population (÷ N),
      sample (÷ (N − 1), as verl has it), or none, then nothing is divided. For rewards 1, 0, 1, 0 flat credit is ±1.00, ±0.87 and ±0.50. The
      variant stands beside the numbers; a group whose rewards are all equal pays no
      credit under schemes that compare its attempts, and is stamped “no signal”; truth, the dial or a critic may still pay its turns.
    </p>
    <ExplainedList registry={CREDIT_ASSIGNERS} explained={CREDIT_FORMULAS} />
    <h3>Truth: skill and luck</h3>
    <p>What schemes are judged by. V is the chance of success given what the policy has seen so far, Q the same once it has chosen.</p>
    <Formula text="skill t equals Q of h and a minus V of h">{line(sub("skill", "t"), "=", "Q", "(", "h", ",", "a", ")", "−", "V", "(", "h", ")").node}</Formula>
    <Formula text="luck t equals V of the next h minus Q of h and a">{line(sub("luck", "t"), "=", "V", "(", "h′", ")", "−", "Q", "(", "h", ",", "a", ")").node}</Formula>
    <Formula text="start plus sum of skill and luck equals the outcome">{line("V", "(", sub("h", "0"), ")", "+", "Σ", "(", "skill", "+", "luck", ")", "=", "outcome").node}</Formula>
    <ul>
      <li>Skill is what the choice was worth, luck what environment and customer did. Their sum closes the gap from start to outcome, always.</li>
      <li>
        Both are under the current policy: asking is worth little to an agent that cannot use the answer. They are of success, 0 or 1, whatever
        is trained on.
      </li>
      <li>
        What was hidden is drawn again from all worlds that agree with what was seen. “Exact” is said only where all of them were gone through;
        else K continuations are sampled with common random numbers, and ± says how far the truth may lie.
      </li>
      <li>A sign counts as wrong only where the interval of skill excludes zero. Given the hidden state is a second view: it pays lucky guesses.</li>
    </ul>
    <h3>Agreement</h3>
    <p>
      The cosine between two gradients of the same attempts: one weighs each turn by the credit that is trained with, the other by its skill. Both are
      summed over groups first, as in a batch made of them. 1: the update goes where truth would send it; 0: across it; below 0: against it. It is
      over the groups measured so far, the newest 24 at most, and n says how many: those that the trainer came to while it ran, and those that
      were looked at while it rested. So another look, or a quicker machine, gives another number; wrong signs are counted over the same groups.
    </p>
    <Formula text="agreement equals g paid dot g skill over the lengths of g paid and g skill">
      <Words>agreement</Words>
      <Op>=</Op>
      <Frac>
        {line(sub("g", "paid"), "·", sub("g", "skill")).node}
        {line("|", sub("g", "paid"), "|", "|", sub("g", "skill"), "|").node}
      </Frac>
    </Formula>
    <h3>Objective</h3>
    <p>
      What an optimiser step makes smaller, averaged over tokens, sequences or a constant. π is the probability of a sampled token among the legal
      ones, A the credit of its turn.
    </p>
    <ExplainedList registry={OBJECTIVES} explained={OBJECTIVE_FORMULAS} />
    <p>Any of them takes terms for entropy H, for KL to the policy the run started from, and for a value head:</p>
    {TERM_FORMULAS.map(({ text, node }) => (
      <Formula key={text} text={text}>
        {node}
      </Formula>
    ))}
    <p>The gradient is shortened to a norm and goes through AdamW.</p>
    <h3>Reliability</h3>
    <p>
      Held-out tasks are tried n times each. With c successes at a task, the chances that all of k attempts pass, and that any of them does, are
      averaged over tasks:
    </p>
    <Formula text="pass hat k equals C of c and k over C of n and k">
      <Words>pass^</Words>
      <Id>k</Id>
      <Op>=</Op>
      <Frac>
        <Choose of="c" take="k" />
        <Choose of="n" take="k" />
      </Frac>
    </Formula>
    <Formula text="pass at k equals 1 minus C of n minus c and k over C of n and k">
      <Words>pass@</Words>
      <Id>k</Id>
      <Op>=</Op>
      <Num>1</Num>
      <Op>−</Op>
      <Frac>
        <Choose of="n−c" take="k" />
        <Choose of="n" take="k" />
      </Frac>
    </Formula>
    <p>
      Bands are 95 % bootstrap intervals over tasks, the unit that varies; with fewer than 20 tasks only the band of the current policy is drawn. “Scripted” is an agent
      in the manner of a prompted one: it follows its instructions, sees only what the policy sees, and does not learn.
    </p>
    <h3>Signal and alarms</h3>
    <p>KL is the k3 estimate from the sampled tokens, with ρ the ratio of the current to the sampling probability:</p>
    <Formula text="k3 equals rho minus 1 minus the natural logarithm of rho">
      <Sub>
        <Id>k</Id>
        <Num>3</Num>
      </Sub>
      <Op>=</Op>
      <Id>ρ</Id>
      <Op>−</Op>
      <Num>1</Num>
      <Op>−</Op>
      <Id>ln</Id>
      <Id>ρ</Id>
    </Formula>
    <p>Alarms come from runs that went wrong. They are signs, not verdicts:</p>
    <ul>
      <li>KL per update above 0.01: the steps are too large.</li>
      <li>Groups in which no turn gets credit rising, or nearly all, while success is below 0.7: little is left to learn from.</li>
      <li>Entropy below 0.02 nats at success below 0.7: the policy has collapsed.</li>
      <li>pass^1 within 0.05 of pass^8 below 0.7: the policy became deterministic, it fails the same tasks every time.</li>
      <li>An entropy bonus while the gradient norm is below 0.05: entropy can run away.</li>
    </ul>
  </section>
);
