import type { TokenRecord } from "#run/run-event.ts";
import { fixed } from "../format.ts";
import { Icon } from "../icon.tsx";

/** Below this a probability has no digits to show. */
const LEAST = 0.005;

const probabilityText = (probability: number): string => (probability > 0 && probability < LEAST ? "<0.01" : fixed(probability));

/** Every sampled token with the legal tokens it was drawn from, and their probabilities under the policy that drew it. */
export const ChosenTokens = ({ tokens }: { readonly tokens: readonly TokenRecord[] }) => (
  <table className="options">
    <thead>
      <tr>
        <th scope="col">Token</th>
        <th scope="col">
          <span className="vh">p as a bar</span>
        </th>
        <th scope="col">p</th>
        <th scope="col">ln p</th>
      </tr>
    </thead>
    {tokens.map((token, index) => (
      <Choice key={index} token={token} />
    ))}
  </table>
);

function Choice({ token: { word, logprob, alternatives } }: { readonly token: TokenRecord }) {
  if (alternatives === undefined) {
    return (
      <tbody>
        <Alternative word={word} logprob={logprob} isChosen note="the only legal token" />
      </tbody>
    );
  }
  const rest = 1 - alternatives.reduce((sum, alternative) => sum + Math.exp(alternative.logprob), 0);
  return (
    <tbody>
      {alternatives.map((alternative) => (
        <Alternative key={alternative.word} {...alternative} isChosen={alternative.word === word} note={null} />
      ))}
      {rest >= LEAST && (
        <tr>
          <th scope="row">all others</th>
          <td>
            <Bar probability={rest} />
          </td>
          <td>{probabilityText(rest)}</td>
          <td />
        </tr>
      )}
    </tbody>
  );
}

interface AlternativeProps {
  readonly word: string;
  readonly logprob: number;
  readonly isChosen: boolean;
  readonly note: string | null;
}

function Alternative({ word, logprob, isChosen, note }: AlternativeProps) {
  const probability = Math.exp(logprob);
  return (
    <tr className={isChosen ? "is-chosen" : undefined}>
      <th scope="row">
        {isChosen && <Icon name="confirm" />}
        <span className="mono">{word}</span>
        {isChosen && <span className="vh">, chosen</span>}
        {note !== null && <span className="vh">, {note}</span>}
      </th>
      <td>
        <Bar probability={probability} />
      </td>
      <td>{probabilityText(probability)}</td>
      <td>{fixed(logprob)}</td>
    </tr>
  );
}

const Bar = ({ probability }: { readonly probability: number }) => (
  <svg className="prob" aria-hidden="true">
    <rect className="prob-track" width="100%" height="8" />
    <rect className="prob-fill" width={`${(probability * 100).toFixed(1)}%`} height="8" />
  </svg>
);
