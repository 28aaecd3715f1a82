// The filter language: "type:Reformat time>1% precision:fp32 -noop /conv[0-9]+/".

import { compilePattern } from "./pattern.js";

/** @type {Record<string, (left: number, right: number) => boolean>} */
const COMPARISONS = {
  "<": (left, right) => left < right,
  ">": (left, right) => left > right,
  "<=": (left, right) => left <= right,
  ">=": (left, right) => left >= right,
};

/** @type {Record<string, number>} */
const FACTORS = { k: 1e3, K: 1e3, M: 1e6, G: 1e9, T: 1e12 };

/**
 * Split a query at blanks, but not within quotes (where a quote is doubled) or slashes.
 * @param {string} text
 * @returns {string[]}
 */
export function splitQuery(text) {
  return text.match(/-?\/(?:\\.|[^/\\])+\/(?=\s|$)|(?:[^\s"]|"(?:[^"]|"")*"?)+/g) ?? [];
}

/**
 * Return a function that returns whether an item fits.
 * @throws {Error} The query is wrong; the message says why.
 * @param {string} text
 * @param {any} data
 * @param {Terms<any>} terms
 * @returns {(item: any) => boolean}
 */
export function compileQuery(text, data, terms) {
  const tests = splitQuery(text).map((term) => compileTerm(term, data, terms));
  return (item) => tests.every((test) => test(item));
}

/**
 * Whether a text has a term of the language, not words alone.
 * @param {string} text
 * @param {Terms<any>} terms
 * @returns {boolean}
 */
export function hasTerms(text, terms) {
  return splitQuery(text).some((term) => {
    const [, name = "", sign] = /^-?(\w+)(:|[<>])/.exec(term) ?? [];
    return Object.hasOwn(sign === ":" ? terms.texts : terms.figures, name);
  });
}

/**
 * What looks like a term of the language and is none, in words; empty without any.
 * @param {string} text
 * @param {Terms<any>} terms
 * @returns {string}
 */
export function unknownTerms(text, terms) {
  const names = splitQuery(text).flatMap((term) => {
    const [, name, sign] = /^-?([a-z_]+)(:|[<>])./i.exec(term) ?? [];
    return name && !Object.hasOwn(sign === ":" ? terms.texts : terms.figures, name) ? [`${name}${sign}`] : [];
  });
  return names.length ? `not a filter term: ${[...new Set(names)].join(", ")}` : "";
}

/**
 * @param {string} term
 * @param {any} data
 * @param {Terms<any>} terms
 * @returns {(item: any) => boolean}
 */
function compileTerm(term, data, terms) {
  if (term.startsWith("-") && term.length > 1) {
    const test = compileTerm(term.slice(1), data, terms);
    return (item) => !test(item);
  }
  if (/^\/.+\/$/s.test(term)) {
    const fits = compileExpression(term);
    return (item) => fits(terms.title(item));
  }
  const comparison = term.match(/^(\w+)(<=|>=|<|>)(.*)$/s);
  if (comparison && Object.hasOwn(terms.figures, comparison[1])) return compileComparison(comparison, terms);
  const field = term.match(/^(\w+):(.+)$/s);
  if (field && Object.hasOwn(terms.texts, field[1])) return compileField(field[1], field[2], data, terms);
  const word = unquoted(term).toLowerCase();
  return (item) => terms.plain(data, item).includes(word);
}

/**
 * @param {string} term
 * @returns {(text: string) => boolean}
 */
function compileExpression(term) {
  try {
    return compilePattern(term.slice(1, -1));
  } catch (error) {
    throw new Error(`${term}: ${/** @type {Error} */ (error).message}`);
  }
}

/**
 * @param {string[]} comparison
 * @param {Terms<any>} terms
 * @returns {(item: any) => boolean}
 */
function compileComparison([term, name, operator, text], terms) {
  const found = text.match(/^(-?[\d.]+)([kKMGT])?(%|ms)?$/);
  if (!found || Number.isNaN(Number(found[1]))) throw new Error(`${term}: a number is missing, as in ${name}>1${name === "time" ? "%" : "M"}`);
  const limit = Number(found[1]) * (FACTORS[found[2]] ?? 1);
  const value = found[3] === "%" ? terms.share : terms.figures[name];
  return (item) => {
    const left = value(item);
    return left != null && COMPARISONS[operator](left, limit);
  };
}

/**
 * @param {string} name
 * @param {string} text
 * @param {any} data
 * @param {Terms<any>} terms
 * @returns {(item: any) => boolean}
 */
function compileField(name, text, data, terms) {
  const isQuoted = /^".*"?$/s.test(text);
  const wanted = isQuoted ? [unquoted(text).toLowerCase()] : text.toLowerCase().split(",").filter(Boolean);
  const exact = isQuoted || terms.exact.has(name);
  if (text === "*") return (item) => terms.texts[name](item, data).some(Boolean);
  return (item) =>
    terms.texts[name](item, data).some((value) => {
      const lowered = value.toLowerCase();
      return wanted.some((each) => (exact ? lowered === each : lowered.includes(each)));
    });
}

/**
 * @param {string} text
 * @returns {string}
 */
export function unquoted(text) {
  return text.replace(/^"|"$/g, "").replaceAll('""', '"');
}

/**
 * @param {string} text
 * @returns {string}
 */
export function quoted(text) {
  return `"${text.replaceAll('"', '""')}"`;
}
