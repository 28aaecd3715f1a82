// The columns of the table of rows: a time for each engine, then the candidate against the baseline.

import { DASH, formatCount, formatNumber, formatSigned } from "../format/numbers.js";
import { shorten, visible } from "../format/text.js";
import { precisionsOf, valuesOf } from "./comparison_data.js";

// With more engines than this not every one has its column from the start.
const MAX_TIME_COLUMNS = 4;

// How many characters of an engine's name there is room for.
const NAME_WIDTH = 12;

/**
 * Shorten names so that no two are alike.
 * @param {string[]} names
 * @param {number} width
 * @returns {string[]}
 */
export function distinctNames(names, width) {
  const plain = names.map((name) => shorten(name, width));
  const areDistinct = (/** @type {string[]} */ found) => new Set(found).size === found.length;
  if (areDistinct(plain)) return plain;
  // Names that begin and end alike differ in their middle.
  const letters = names.map((name) => [...name]);
  const first = letters[0];
  const differs = first.findIndex((letter, at) => letters.some((each) => each[at] !== letter));
  const same = differs < 0 ? first.length : differs;
  const rests = letters.map((each) => shorten(`…${each.slice(same).join("")}`, width));
  return areDistinct(rests) ? rests : plain.map((name, at) => `${at + 1} ${shorten(name, width - 2)}`);
}

/**
 * @param {ComparisonData} data
 * @returns {Column<ComparedRow>[]}
 */
export function rowColumns(data) {
  const heads = distinctNames(data.engines.map((engine) => visible(engine.name)), NAME_WIDTH);
  const times = data.engines.map((_, index) => ({
    key: `time-${index}`,
    label: `${heads[index]} (ms)`,
    width: 144,
    number: true,
    value: (/** @type {ComparedRow} */ row) => row.sides[index].ms,
    show: formatNumber,
    on: index < MAX_TIME_COLUMNS || index === data.baseline || index === data.focus,
  }));
  const precisions = (/** @type {ComparedRow} */ row) => {
    const [before, after] = [data.baseline, data.candidate].map((engine) => precisionsOf(data, engine, row.sides[engine]).join(", "));
    return before === after ? before : `${before || DASH} | ${after || DASH}`;
  };
  return [
    { key: "index", label: "#", width: 56, number: true, value: (row) => row.index, show: formatCount, on: true },
    { key: "name", label: "Layers", width: 300, value: (row) => (row.others ? `${row.label} and ${row.others} more` : row.label), on: true },
    { key: "module", label: "Module", width: 180, value: (row) => row.module },
    ...times,
    { key: "diff", label: "Difference (ms)", width: 164, number: true, bar: true, value: (row) => row.side.diff, show: formatSigned, on: true },
    { key: "ratio", label: "Ratio", width: 84, number: true, value: (row) => row.side.ratio, show: formatNumber, on: true },
    { key: "mark", label: "Change", width: 92, value: (row) => row.side.mark, on: true },
    { key: "changes", label: "What changed", width: 216, value: (row) => row.side.changes.filter((change) => change !== row.side.mark).join(", "), on: true },
    { key: "precision", label: "Precision", width: 180, value: precisions, on: true },
    { key: "type", label: "Type", width: 128, value: (row) => [...new Set(row.sides.flatMap((side, engine) => valuesOf(data, engine, side, (layer) => layer.type)))].join(", ") },
    { key: "tactic", label: "Tactic", width: 320, value: (row) => valuesOf(data, data.candidate, row.side, (layer) => layer.tactic).join(", ") },
    { key: "matched", label: "Matched by", width: 200, value: (row) => row.side.keys.join(", ") },
  ];
}
