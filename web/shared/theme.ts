/** Colour theme, remembered by this browser. */
import { useStore } from "zustand";
import { createStore } from "zustand/vanilla";
import { storedText, storeText } from "./stored-text.ts";

const themes = ["system", "light", "dark"] as const;

/** A theme; `system` follows the setting of the operating system. */
type Theme = (typeof themes)[number];

const storageKey = "restante.theme";
const current = createStore<Theme>(load);

/** Applies the stored theme to the page. */
export function applyTheme(): void {
  document.documentElement.dataset["theme"] = current.getState();
}

/** Returns the theme and a function that selects the next one. */
export function useTheme(): readonly [Theme, () => void] {
  const theme = useStore(current);
  const selectNext = (): void => {
    current.setState(themes[(themes.indexOf(theme) + 1) % themes.length] ?? "system", true);
    applyTheme();
    storeText(storageKey, current.getState());
  };
  return [theme, selectNext];
}

/** Returns whether the page is dark. */
export function isPageDark(): boolean {
  const theme = current.getState();
  return theme === "system" ? matchMedia("(prefers-color-scheme: dark)").matches : theme === "dark";
}

function load(): Theme {
  const stored = storedText(storageKey);
  return themes.find((theme) => theme === stored) ?? "system";
}
