// The columns of the table of rows: a time for each engine, then the candidate against the baseline.

import { DASH, formatCount, formatNumber, formatSigned } from "../format/numbers.js";
import { shorten, visible } from "../format/text.js";
import { fitted } from "../table/arrange.js";
import { changesOf, precisionsOf, valuesOf } from "./comparison_data.js";
import { contributionOf } from "./contributions.js";

// With more engines than this not every one has its column from the start.
const MAX_TIME_COLUMNS = 6;

// What changed gives its room to the times of further engines.
const MIN_CHANGES = 160;

/** On a phone the difference has no bar, so that what changed is beside it. */
const PHONE_WIDTHS = /** @type {Record<string, number>} */ ({ diff: 92 });

/** With as many engines names and times take only the room that they need, so that all are in view on a laptop. */
const MANY_ENGINES = 5;
const FEWEST = /** @type {Record<string, number>} */ ({ name: 232, time: 88 });

// How many characters of an engine's name there is room for.
const NAME_WIDTH = 12;

/**
 * The end of a name from a joint between its words, such as "…before"; the name itself where there is room for it.
 * @param {string} name
 * @param {number} width
 * @param {number} alike How many characters at its beginning all names share.
 * @returns {string} Nothing where no end fits that says something.
 */
function lastWords(name, width, alike) {
  if (name.length <= width) return name;
  const begin = /[^]*[^\p{L}\p{N}](?=[\p{L}\p{N}]*$)/u.exec(name.slice(0, alike));
  const end = name.slice(Math.max(name.length - width + 1, (begin?.[0].length ?? 0) - 1));
  const from = /[^\p{L}\p{N}](?=[\p{L}\p{N}])/u.exec(end);
  const words = from ? end.slice(from.index + 1).replace(/^([^(]*)\)$/, "$1") : "";
  return words.length < 3 ? "" : `…${words}`;
}

/**
 * Shorten names so that no two are alike.
 * @param {string[]} names
 * @param {number} width
 * @returns {string[]}
 */
export function distinctNames(names, width) {
  const letters = names.map((name) => [...name]);
  const first = letters[0];
  const differs = first.findIndex((letter, at) => letters.some((each) => each[at] !== letter));
  const same = differs < 0 ? first.length : differs;
  const ends = names.map((name) => lastWords(name, width, first.slice(0, same).join("").length));
  if (ends.every(Boolean) && new Set(ends).size === ends.length) return ends;
  const plain = names.map((name) => shorten(name, width));
  const areDistinct = (/** @type {string[]} */ found) => new Set(found).size === found.length;
  if (areDistinct(plain)) return plain;
  // Names that begin and end alike differ in their middle.
  const rests = letters.map((each) => shorten(`…${each.slice(same).join("")}`, width));
  return areDistinct(rests) ? rests : plain.map((name, at) => `${at + 1} ${shorten(name, width - 2)}`);
}

/** The columns that stay in view. */
const FROZEN = ["index", "name", "diff"];

/** How the values of a column are written, by its kind. @type {Record<string, ((value: any) => string) | undefined>} */
const WRITERS = { count: formatCount, number: formatNumber, time: formatNumber, difference: formatSigned };

/**
 * The value of each column of a row, by the column's key; headings and the rest come with the data.
 * @param {ComparisonData} data
 * @returns {Record<string, (row: ComparedRow, engine: number) => any>}
 */
function rowValues(data) {
  const precisions = (/** @type {ComparedRow} */ row) => [data.baseline, data.candidate].map((engine) => precisionsOf(data, engine, row.sides[engine]).join(", "));
  return {
    index: (row) => row.index,
    name: (row) => (row.moreLayers ? `${row.label} and ${row.moreLayers} more` : row.label),
    diff: (row) => row.side.diff,
    contribution: (row) => (data.step ? contributionOf(data, row, data.step) : null),
    changes: (row) => changesOf(data, row).filter((change) => change !== row.side.status).map((change) => change.replace(/ changed$/, "")).join(", "),
    time: (row, engine) => row.sides[engine].ms,
    status: (row) => row.side.status,
    ratio: (row) => row.side.ratio,
    precision: (row) => {
      const [before, after] = precisions(row);
      return before === after ? before : `${before || DASH} | ${after || DASH}`;
    },
    module: (row) => row.module,
    block: (row) => row.block,
    type: (row) => [...new Set(row.sides.flatMap((side, engine) => valuesOf(data, engine, side, (layer) => layer.type)))].join(", "),
    tactic: (row) => valuesOf(data, data.candidate, row.side, (layer) => layer.tactic).join(", "),
    matched: (row) => row.side.keys.join(", "),
  };
}

/**
 * @param {ComparisonData} data
 * @param {(text: string) => number} [measure] Returns the width of a text in pixels; an estimate if not given.
 * @returns {Column<ComparedRow>[]}
 */
export function rowColumns(data, measure) {
  const heads = distinctNames(data.engines.map((engine) => visible(engine.name)), NAME_WIDTH);
  const values = rowValues(data);
  // At most this wide, and no wider than their texts.
  const fit = (/** @type {Column<ComparedRow>[]} */ found) => fitted(found, data.rows, ["name", "changes", "status", "precision"], measure);
  const isShown = (/** @type {number} */ engine) => engine < MAX_TIME_COLUMNS || engine === data.baseline || engine === data.focus;
  return fit(data.rowColumns.flatMap((column) => {
    const unit = column.unit ? ` (${column.unit})` : "";
    const widest = column.key === "changes" ? Math.max(MIN_CHANGES, column.width - 92 * (data.engines.length - 2)) : column.width;
    const fewest = data.engines.length < MANY_ENGINES ? undefined : FEWEST[column.key];
    const common = { ...(fewest ? { width: fewest, roomyWidth: widest } : { width: widest }), phoneWidth: PHONE_WIDTHS[column.key], number: column.isNumber, bar: column.kind === "difference", frozen: FROZEN.includes(column.key), minor: column.key === "index", show: WRITERS[column.kind] };
    const value = values[column.key];
    if (!column.ofEachEngine) return [{ ...common, key: column.key, label: column.heading + unit, value: (/** @type {ComparedRow} */ row) => value(row, data.candidate), on: column.on }];
    return heads.map((head, engine) => ({ ...common, key: `${column.key}-${engine}`, label: head + unit, value: (/** @type {ComparedRow} */ row) => value(row, engine), on: column.on && isShown(engine) }));
  }));
}
