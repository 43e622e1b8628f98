import type { Entry } from "#algorithms/entry.ts";
import type { Explained } from "./formulas/entry.ts";
import { Formula } from "./mathml.tsx";

interface ExplainedListProps<R extends Readonly<Record<string, Entry>>> {
  readonly registry: R;
  readonly explained: { readonly [K in keyof R]: Explained };
}

/** Every entry of a registry by its title, with its formula and a word on it. */
export const ExplainedList = <R extends Readonly<Record<string, Entry>>>({ registry, explained }: ExplainedListProps<R>) => (
  <div className="explained">
    {Object.keys(registry).map((id: keyof R & string) => {
      const { formula, says } = explained[id];
      return (
        <article key={id}>
          <h4>{registry[id]?.title}</h4>
          {formula.map((line) => (
            <Formula key={line.text} text={line.text}>
              {line.node}
            </Formula>
          ))}
          <p>{says}</p>
        </article>
      );
    })}
  </div>
);
