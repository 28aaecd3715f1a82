// The theme of the page: that of the system, light or dark.

import { byId } from "../dom/elements.js";
import { loadPreference, savePreference } from "../state/preferences.js";

const THEMES = ["system", "light", "dark"];
const THEME_PREFERENCE = "trexreport-theme";

let currentTheme = "system";

/**
 * @param {string} theme
 * @param {Charts} [charts]
 */
function setTheme(theme, charts) {
  currentTheme = theme;
  if (theme === "system") document.documentElement.removeAttribute("data-theme");
  else document.documentElement.dataset.theme = theme;
  byId("toggle-theme").textContent = `Theme: ${theme}`;
  charts?.repaint();
}

export function restoreTheme() {
  setTheme(loadPreference(THEME_PREFERENCE, THEMES));
}

/** @param {Charts} charts */
export function nextTheme(charts) {
  setTheme(THEMES[(THEMES.indexOf(currentTheme) + 1) % THEMES.length], charts);
  savePreference(THEME_PREFERENCE, currentTheme);
}
