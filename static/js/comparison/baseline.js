// The baseline that a reader chooses: for the ranking and the aligned layers; verdicts are against the stated one.

import { byId, find, findAll } from "../dom/elements.js";
import { DASH, formatSignedPercent } from "../format/numbers.js";

/** The list of engines, where the page has one. */
export function baselineList() {
  return byId("baseline");
}

/**
 * Show in the ranking by how much each engine differs from the baseline.
 * @param {number} baseline
 */
export function showRanking(baseline) {
  const rows = findAll("#ranking tbody tr");
  const timeOf = (/** @type {HTMLElement} */ row) => (row.dataset.ms ? Number(row.dataset.ms) : null);
  const base = rows.find((row) => Number(row.dataset.engine) === baseline);
  const before = base ? timeOf(base) : null;
  const first = document.querySelector("#baseline option[selected]");
  const head = document.querySelector("#ranking thead th:last-child");
  if (head) head.textContent = !first || Number(first.getAttribute("value")) === baseline ? "Verdict" : `Verdict against ${first.textContent}`;
  for (const row of rows) {
    const time = timeOf(row);
    row.classList.toggle("is-baseline", row === base);
    find(row, ".change-cell").textContent = row === base ? "baseline" : time != null && before ? formatSignedPercent(100 * (time / before - 1)) : DASH;
  }
}
