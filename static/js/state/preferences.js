// What the reader chose for all reports, such as the theme, kept in the browser's storage.

/**
 * Save a choice.
 * @param {string} name
 * @param {string} choice
 */
export function savePreference(name, choice) {
  try {
    localStorage.setItem(name, choice);
  } catch {
    // A page from a file may have no storage; the choice then lasts as long as the page.
  }
}

/**
 * Return what was saved, empty if there is nothing.
 * @param {string} name
 * @returns {string}
 */
export function readPreference(name) {
  try {
    return localStorage.getItem(name) ?? "";
  } catch {
    return "";
  }
}

/**
 * Return the saved choice, or the first of the choices if none is saved.
 * @param {string} name
 * @param {string[]} choices
 * @returns {string}
 */
export function loadPreference(name, choices) {
  const stored = readPreference(name);
  return choices.includes(stored) ? stored : choices[0];
}
