import { createStore } from "zustand/vanilla";

export type Theme = "system" | "dark" | "light";

/** Habits of this browser, not of a run. */
export interface Settings {
  readonly theme: Theme;
  readonly shortcuts: boolean;
}

const KEY = "turnwise.settings";
const THEMES: readonly Theme[] = ["system", "dark", "light"];

/** As the page is built; what this browser remembers comes with `followSettings`. */
const INITIAL: Settings = { theme: "system", shortcuts: true };

function stored(): Settings {
  try {
    const [theme, shortcuts] = (localStorage.getItem(KEY) ?? "").split(" ");
    return { theme: THEMES.find((known) => known === theme) ?? INITIAL.theme, shortcuts: shortcuts !== "off" };
  } catch {
    return INITIAL;
  }
}

export const settings = createStore<Settings>(() => INITIAL);

function apply({ theme, shortcuts }: Settings): void {
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
  try {
    localStorage.setItem(KEY, `${theme} ${shortcuts ? "on" : "off"}`);
  } catch {
    // Storage may be forbidden; the settings then last as long as the page.
  }
}

/** Puts the settings into effect, now and whenever they change. */
export function followSettings(): void {
  settings.setState(stored());
  apply(settings.getState());
  settings.subscribe(apply);
}

export const nextTheme = (theme: Theme): Theme => THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? "system";
