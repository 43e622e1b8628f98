import type { ENVIRONMENTS } from "#environments/registry.ts";
import { useDraft } from "../workbench-context.ts";

/** Pages on which a person does what the policy is to learn, by environment. */
const BY_HAND: Readonly<Partial<Record<keyof typeof ENVIRONMENTS, { readonly href: string; readonly text: string }>>> = {
  sokoban: { href: "#/level", text: "Play a level by hand" },
};

/** The way there, for the environment that is set. */
export function ByHand() {
  const page = useDraft(({ config }) => BY_HAND[config.environment.id]);
  return page === undefined ? null : (
    <p>
      <a href={page.href}>{page.text}</a>
    </p>
  );
}
