import type { TokenRecord } from "#run/run-event.ts";

interface SeenTokensProps {
  readonly tokens: readonly TokenRecord[];
  readonly end: number;
}

/** The context as the policy saw it, token by token; what it had written itself is marked. */
export const SeenTokens = ({ tokens, end }: SeenTokensProps) => (
  <p className="tokens">
    {tokens.slice(0, end).map((token, index) => (
      <Token key={index} token={token} />
    ))}
  </p>
);

function Token({ token: { word, sampled } }: { readonly token: TokenRecord }) {
  if (sampled) return <><mark className="token token-sampled">{word}</mark>{" "}</>;
  return (
    <>
      <span className={word.startsWith("<") ? "token token-marker" : "token"}>{word}</span>{" "}
    </>
  );
}
