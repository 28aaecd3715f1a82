// A finding as the text of an issue, in Markdown.

import { find, findAll, targetOf } from "../dom/elements.js";
import { copyText } from "../dom/messages.js";
import { formatMs } from "../format/numbers.js";
import { shorten } from "../format/text.js";
import { escaped } from "../table/markdown.js";

const MAX_LAYERS = 20;

/**
 * Copy the finding whose button is clicked.
 * @param {ReportData} data
 */
export function watchIssueButtons(data) {
  addEventListener("click", (event) => {
    const details = /** @type {HTMLElement | null} */ (targetOf(event).closest?.(".copy-issue")?.closest("details.finding") ?? null);
    const finding = details && data.findings.find(({ id }) => `finding-${id}` === details.id);
    if (finding) copyText(issueText(data, finding, partsOf(details)), "issue");
  });
}

/**
 * What the page says of a finding.
 * @param {HTMLElement} details
 * @returns {IssueParts}
 */
function partsOf(details) {
  const text = (/** @type {string} */ selector) => find(details, selector)?.textContent?.replace(/\s+/g, " ").trim() ?? "";
  return {
    headline: text(".headline"),
    savings: text("summary .gain"),
    facts: findAll("#overview .facts li").map((each) => each.textContent?.trim() ?? ""),
    texts: findAll("dl > div", details).map((each) => [find(each, "dt").textContent ?? "", findAll("dd", each).map((line) => line.textContent ?? "").join("\n")]),
    // A path on this computer is not an address for others.
    address: /^https?:$/.test(location.protocol) ? `${location.href.split("#")[0]}#${details.id}` : "",
  };
}

/**
 * A finding as Markdown: what, where, why and what to do.
 * @param {Pick<ReportData, "layers"> & { engine?: string }} data
 * @param {Pick<Finding, "code" | "name" | "places">} finding
 * @param {IssueParts} parts
 * @returns {string}
 */
export function issueText(data, finding, { headline, savings, facts, texts, address }) {
  const layers = [...new Set(finding.places.flatMap(([indices]) => indices))].map((index) => data.layers[index]);
  const rows = layers.slice(0, MAX_LAYERS).map((layer) => `| ${escaped(shorten(layer.name, 200)).replace(/\s+/g, " ")} | ${escaped(layer.type)} | ${escaped(layer.precision)} | ${formatMs(layer.avg_ms)} |`);
  const table = rows.length ? ["", "| Layer | Type | Precision | Time |", "| --- | --- | --- | --: |", ...rows] : [];
  const more = layers.length > rows.length ? ["", `${layers.length - rows.length} more layers.`] : [];
  return [
    `### ${escaped(headline)}`,
    "",
    `${escaped(finding.code)} ${escaped(finding.name)}. ${escaped(savings)}`,
    "",
    escaped([data.engine ?? "", ...facts].filter(Boolean).join(" · ")),
    ...table,
    ...more,
    ...texts.flatMap(([label, text]) => ["", `**${escaped(label)}.** ${escaped(text)}`]),
    ...(address ? ["", address] : []),
    "",
  ].join("\n");
}
