import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, test } from "vitest";
import { CREDIT_ASSIGNERS } from "#algorithms/credit/registry.ts";
import { OBJECTIVES } from "#algorithms/objectives/registry.ts";
import { REWARD_SOURCES } from "#algorithms/rewards/registry.ts";
import type { Explained } from "#ui/about/formulas/entry.ts";
import { ExplainedList } from "#ui/about/explained-list.tsx";
import { CREDIT_FORMULAS } from "#ui/about/formulas/credit.ts";
import { OBJECTIVE_FORMULAS, TERM_FORMULAS } from "#ui/about/formulas/objectives.ts";
import { REWARD_FORMULAS } from "#ui/about/formulas/rewards.ts";

const LISTS = [
  ["credit", CREDIT_ASSIGNERS, CREDIT_FORMULAS],
  ["objectives", OBJECTIVES, OBJECTIVE_FORMULAS],
  ["rewards", REWARD_SOURCES, REWARD_FORMULAS],
] as const;

describe.each(LISTS)("%s", (_name, registry, explained) => {
  test("every entry stands in the list under its title, with a formula and a word on it", () => {
    const markup = renderToStaticMarkup(<ExplainedList registry={registry} explained={explained} />);
    const articles = markup.split("<article>").slice(1);
    expect(articles.map((article) => /<h4>(.*?)<\/h4>/.exec(article)?.[1])).toEqual(Object.values(registry).map(({ title }) => title));
    for (const article of articles) {
      expect(article).toContain("<math");
      expect(/<p>(.*?)<\/p>/.exec(article)?.[1]?.length).toBeGreaterThan(20);
    }
  });

  test("formulas are read out in words: no sign is left to a screen reader's guess", () => {
    const spoken = Object.values<Explained>(explained).flatMap(({ formula }) => formula.map(({ text }) => text));
    expect(spoken.filter((text) => /[^\w\s(),]/.test(text))).toEqual([]);
  });
});

test("the terms beside an objective are read out in words too", () => {
  for (const { text } of TERM_FORMULAS) expect(text).not.toMatch(/[^\w\s(),]/);
});
