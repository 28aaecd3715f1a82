// What a trace and the log of the build show of a layer: its kernels, and what the builder timed.

import { breakable, h } from "../dom/elements.js";
import { formatCount, formatMs, formatPercent } from "../format/numbers.js";
import { shorten, visible } from "../format/text.js";
import { pairs } from "./parts.js";

/** The data has at most this many kernels of a layer. */
const MOST_KERNELS = 20;

/**
 * The kernels that a trace shows of a layer; null without one.
 * @param {PanelKernel[] | undefined} found
 * @returns {HTMLElement | null}
 */
export function kernelList(found) {
  if (!found) return null;
  const rows = found.map(([name, ms, launches, grid, block, registers, stream]) => {
    const launch = [launches === "1" ? "" : `${launches} launches`, `grid ${grid}`, `block ${block}`, registers == null ? "" : `${formatCount(registers)} registers`, stream == null ? "" : `stream ${stream}`];
    return h("p", {}, h("span", { class: "name" }, breakable(`${formatMs(ms)} ${shorten(visible(name), 300)}`)), h("br"), h("span", { class: "muted" }, launch.filter(Boolean).join(" · ")));
  });
  return h("div", {}, ...rows, found.length >= MOST_KERNELS ? h("p", { class: "muted" }, "The section Kernels may list more.") : null);
}

/**
 * What the builder timed for a layer; null without a verbose log of the build.
 * @param {LayerTactics | undefined} found
 * @returns {HTMLElement | null}
 */
export function tacticList(found) {
  if (!found) return null;
  const formats = found.formats.map(([text, outcome, tactics, timed]) =>
    h(
      "p",
      {},
      visible(text),
      h("br"),
      h("span", { class: "muted" }, `${outcome} · ${formatCount(timed)} timed`),
      ...tactics.flatMap(([name, time, chosen]) => [h("br"), h("span", { class: "name" }, h(chosen ? "strong" : "span", {}, breakable(`${formatMs(time)} ${shorten(visible(name), 400)}`)))]),
    ),
  );
  return h(
    "div",
    {},
    pairs([
      ["Chosen, in the build", found.chosen_ms == null ? "not known" : formatMs(found.chosen_ms)],
      ["Second fastest", found.second_ms == null ? null : `${formatMs(found.second_ms)}${found.margin_percent == null ? "" : `, ${found.margin_percent < 0 ? "−" : "+"}${formatPercent(Math.abs(found.margin_percent))}`}`],
      ["Timed", `${formatCount(found.timed ?? 0)}${found.cached ? `, ${formatCount(found.cached)} from the timing cache` : ""}`],
      ["Timing took", found.took ?? null],
    ]),
    ...formats,
    found.more ? h("p", { class: "muted" }, `and ${formatCount(found.more)} more`) : null,
  );
}
