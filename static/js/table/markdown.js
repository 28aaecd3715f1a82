// Rows and columns as a Markdown table.

import { DASH } from "../format/numbers.js";
import { visible } from "../format/text.js";

/** What may mean something in a cell of Markdown, as in renderer/markdown_text.py. */
const MARKDOWN_SPECIAL = /[\\`*_[\]<>#|~$&@]|:(?=[\w/+-])|(?<=\bwww)\./gi;
const MARKDOWN_MENTION = /\\@(?=\w)|(?:\\#|\bGH-)(?=\d)/gi;

/**
 * A text in which nothing is Markdown.
 * @param {string} text
 * @returns {string}
 */
export function escaped(text) {
  return visible(text).replace(MARKDOWN_SPECIAL, "\\$&").replace(MARKDOWN_MENTION, "$&&#8203;");
}

/**
 * Rows and columns as a text that a document takes.
 * @param {any[]} rows
 * @param {Column<any>[]} columns
 * @returns {string}
 */
export function asMarkdown(rows, columns) {
  const cell = (/** @type {string} */ text) => escaped(text).replace(/\s*\n\s*/g, " ");
  const line = (/** @type {string[]} */ cells) => `| ${cells.join(" | ")} |`;
  const rule = line(columns.map((column) => (column.number ? "--:" : "---")));
  const body = rows.map((layer) =>
    line(
      columns.map((column) => {
        const value = column.value(layer);
        return cell(column.show ? column.show(value) : value || DASH);
      }),
    ),
  );
  return [line(columns.map((column) => cell(column.label))), rule, ...body].join("\n");
}
