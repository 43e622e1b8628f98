import { Choose, Formula, Frac, Id, Num, Op, Over, Row, Sub, Words } from "./mathml.tsx";

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
      <li>Reward is 1 when the check that decides was passed, else 0. Monitors are shown and never rewarded.</li>
    </ul>
    <h3>Credit</h3>
    <p>Flat GRPO gives every turn of an attempt the same number, its reward against those of its group:</p>
    <Formula text="A of i equals r of i minus the mean r, divided by sigma plus epsilon">
      <Sub>
        <Id>A</Id>
        <Id>i</Id>
      </Sub>
      <Op>=</Op>
      <Frac>
        <Row>
          <Sub>
            <Id>r</Id>
            <Id>i</Id>
          </Sub>
          <Op>−</Op>
          <Over>
            <Id>r</Id>
            <Op>¯</Op>
          </Over>
        </Row>
        <Row>
          <Id>σ</Id>
          <Op>+</Op>
          <Id>ε</Id>
        </Row>
      </Frac>
    </Formula>
    <p>
      With the population σ and rewards 1, 0, 1, 0 that is ±1.00; with the sample σ it would be ±0.87, without σ ±0.50. The variant stands
      beside the numbers. A group whose rewards are all equal pays no credit and is stamped “no signal”.
    </p>
    <h3>Update</h3>
    <p>Each sampled token is weighed by the ratio of its probability now to that at sampling, clipped:</p>
    <Formula text="L equals minus the minimum of rho A and rho prime A">
      <Id>L</Id>
      <Op>=</Op>
      <Op>−</Op>
      <Id>min</Id>
      <Op>(</Op>
      <Id>ρ</Id>
      <Id>A</Id>
      <Op>,</Op>
      <Id>ρ′</Id>
      <Id>A</Id>
      <Op>)</Op>
    </Formula>
    <Formula text="rho prime equals rho clipped to between 1 minus epsilon low and 1 plus epsilon high">
      <Id>ρ′</Id>
      <Op>=</Op>
      <Id>clip</Id>
      <Op>(</Op>
      <Id>ρ</Id>
      <Op>,</Op>
      <Num>1</Num>
      <Op>−</Op>
      <Sub>
        <Id>ε</Id>
        <Words>low</Words>
      </Sub>
      <Op>,</Op>
      <Num>1</Num>
      <Op>+</Op>
      <Sub>
        <Id>ε</Id>
        <Words>high</Words>
      </Sub>
      <Op>)</Op>
    </Formula>
    <p>The mean over tokens goes through AdamW, the gradient shortened to a norm.</p>
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
      <li>Groups without signal rising, or nearly all, while success is below 0.7: little is left to compare.</li>
      <li>Entropy below 0.02 nats at success below 0.7: the policy has collapsed.</li>
      <li>pass^1 within 0.05 of pass^8 below 0.7: the policy became deterministic, it fails the same tasks every time.</li>
      <li>An entropy bonus while the gradient norm is below 0.05: entropy can run away.</li>
    </ul>
  </section>
);
