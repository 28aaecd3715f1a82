// The baseline and the candidate that a reader chooses: kept in the address, by their numbers as `--baseline` takes them.

import { byId, targetOf } from "../dom/elements.js";
import { announce, onState, setState } from "../state/state.js";
import { baselineList, showRanking } from "./baseline.js";
import { setBaseline, setCandidate } from "./comparison_data.js";

/**
 * The position of an engine that an address names; what the page came with where it names none.
 * @param {string} text A number from 1.
 * @param {number} count
 * @param {number} stated
 * @returns {number}
 */
export function chosenEngine(text, count, stated) {
  const number = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  return number >= 1 && number <= count ? number - 1 : stated;
}

/**
 * What the address says of baseline and candidate; two that are one engine are as the page came with them.
 * @param {Pick<State, "baseline" | "candidate">} now
 * @param {ComparisonData} data
 * @returns {{ baseline: number, candidate: number }}
 */
export function chosenPair(now, data) {
  const baseline = chosenEngine(now.baseline, data.engines.length, data.statedBaseline);
  const candidate = chosenEngine(now.candidate, data.engines.length, data.focus);
  if (candidate !== baseline) return { baseline, candidate };
  // The candidate takes the place of a baseline that it becomes.
  return { baseline, candidate: baseline === data.statedBaseline ? data.focus : data.statedBaseline };
}

/**
 * Follow the lists of engines, and the address.
 * @param {ComparisonData} data
 * @param {import("./row_table.js").RowTable | null} table
 */
export function watchChoices(data, table) {
  const keep = (/** @type {{ baseline: number, candidate: number }} */ { baseline, candidate }) =>
    setState({ baseline: baseline === data.statedBaseline ? "" : String(baseline + 1), candidate: candidate === data.focus ? "" : String(candidate + 1) });
  byId("candidate")?.addEventListener("change", (event) => keep({ baseline: data.baseline, candidate: Number(targetOf(event).value) }));
  baselineList()?.addEventListener("change", (event) => {
    const baseline = Number(targetOf(event).value);
    keep({ baseline, candidate: data.candidate === baseline ? data.baseline : data.candidate });
  });
  onState((now, changed) => {
    if (!changed.baseline && !changed.candidate) return;
    show(data, table, chosenPair(now, data));
    announce({ selection: true });
  });
}

/**
 * @param {ComparisonData} data
 * @param {import("./row_table.js").RowTable | null} table
 * @param {{ baseline: number, candidate: number }} pair
 */
function show(data, table, { baseline, candidate }) {
  if (baseline === data.baseline && candidate === data.candidate) return;
  setBaseline(data, baseline);
  setCandidate(data, candidate);
  table?.refresh();
  const list = baselineList();
  if (list) list.value = String(baseline);
  for (const option of byId("candidate")?.querySelectorAll("option") ?? []) option.disabled = Number(option.value) === baseline;
  if (byId("candidate")) byId("candidate").value = String(candidate);
  showRanking(baseline);
}
