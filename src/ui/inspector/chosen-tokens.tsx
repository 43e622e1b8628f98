import type { TokenRecord } from "#run/run-event.ts";
import { fixed } from "../format.ts";

/** The sampled tokens with their probability under the policy that sampled them, among the legal tokens. */
export const ChosenTokens = ({ tokens }: { readonly tokens: readonly TokenRecord[] }) => (
  <table className="options">
    <thead>
      <tr>
        <th scope="col">Token</th>
        <th scope="col">
          <span className="vh">p as a bar</span>
        </th>
        <th scope="col">p</th>
        <th scope="col">log p</th>
      </tr>
    </thead>
    <tbody>
      {tokens.map((token, index) => (
        <ChosenToken key={index} token={token} />
      ))}
    </tbody>
  </table>
);

function ChosenToken({ token: { word, logprob } }: { readonly token: TokenRecord }) {
  const probability = Math.exp(logprob);
  return (
    <tr>
      <th scope="row" className="mono">
        {word}
      </th>
      <td>
        <svg className="prob" aria-hidden="true">
          <rect className="prob-track" width="100%" height="8" />
          <rect className="prob-fill" width={`${probability * 100}%`} height="8" />
        </svg>
      </td>
      <td>{fixed(probability)}</td>
      <td>{fixed(logprob, 3)}</td>
    </tr>
  );
}
