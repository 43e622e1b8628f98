import { useStore } from "zustand";
import { openDialog } from "../dialog.ts";
import { Icon, Logo, type IconName } from "../icon.tsx";
import { PAGES, type Route } from "../pages.ts";
import { nextTheme, settings, type Theme } from "../settings.ts";

const THEMES: Readonly<Record<Theme, { readonly label: string; readonly icon: IconName }>> = {
  system: { label: "Theme: as the system", icon: "system" },
  dark: { label: "Theme: dark", icon: "moon" },
  light: { label: "Theme: light", icon: "sun" },
};

const NAMED: readonly { readonly route: string; readonly title: string }[] = [
  { route: "play", title: "Play" },
  ...Object.entries(PAGES).flatMap(([route, page]) => ("nav" in page ? [{ route, title: page.nav }] : [])),
];

interface TopBarProps {
  readonly route: Route;
  readonly recipeOpen: boolean;
  readonly onToggleRecipe: () => void;
}

export function TopBar({ route, recipeOpen, onToggleRecipe }: TopBarProps) {
  return (
    <header className="topbar">
      <a className="brand" href="#/play">
        <Logo />
        Turnwise
      </a>
      <nav aria-label="Main">
        <ul>
          {NAMED.map((page) => (
            <li key={page.route}>
              <a href={`#/${page.route}`} aria-current={page.route === route ? "page" : undefined}>
                {page.title}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <div className="topbar-end">
        {route === "play" && (
          <button className="btn recipe-toggle" type="button" aria-expanded={recipeOpen} aria-controls="recipe" onClick={onToggleRecipe}>
            <Icon name="recipe" />
            Recipe
          </button>
        )}
        {route === "play" && (
          <button className="btn share" type="button" aria-label="Share" title="Share (S)" onClick={() => openDialog("share")}>
            <Icon name="link" />
            <span className="share-label">Share</span>
          </button>
        )}
        <button className="btn btn-quiet btn-icon" type="button" aria-label="Keyboard" title="Keyboard (?)" onClick={() => openDialog("keys")}>
          <Icon name="keyboard" />
        </button>
        <ThemeButton />
      </div>
    </header>
  );
}

function ThemeButton() {
  const theme = useStore(settings, (state) => state.theme);
  const { label, icon } = THEMES[theme];
  return (
    <button
      className="btn btn-quiet btn-icon"
      type="button"
      aria-label={label}
      title={label}
      onClick={() => settings.setState({ theme: nextTheme(theme) })}
    >
      <Icon name={icon} />
    </button>
  );
}
