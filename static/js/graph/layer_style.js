// How a layer looks in the graph: its color, its label and the marks of its findings.

import { findingsOf } from "../data/report_data.js";
import { SEVERITIES } from "../data/severities.js";
import { h } from "../dom/elements.js";
import { svg } from "../dom/svg.js";
import { formatCount } from "../format/numbers.js";
import { shorten, visible } from "../format/text.js";

// A square, a triangle and a disc, as wide as a layer's name is high.
const FLAGS = { error: "M-6-6H6V6H-6Z", warning: "M0-8L8 6H-8Z", info: "M-6 0a6 6 0 1 0 12 0a6 6 0 1 0-12 0Z" };

export class LayerStyle {
  /** @param {ReportData} data */
  constructor(data) {
    this.data = data;
    this.by = "type";
    this.label = "name";
  }

  /**
   * @param {Layer} layer
   * @returns {Color}
   */
  mark(layer) {
    return this.meaning(layer)[1];
  }

  /**
   * What a layer's color means, and the color.
   * @param {Layer} layer
   * @param {string} [by]
   * @returns {Meaning}
   */
  meaning(layer, by = this.by) {
    const { typeColors, precisionColors, streamColors, boundColors, unknownColor, meanings } = this.data;
    if (meanings?.[by]) return meanings[by](layer);
    const levels = this.data.levels?.[by];
    if (levels) return levels.meanings[levels.of[layer.index]];
    if (by === "precision") return [layer.precision || "precision not stated", precisionColors[layer.precision]];
    if (by === "time") return this.heat(layer.share_percent);
    if (by === "bound") return layer.bound ? [`${layer.bound}-bound`, boundColors[layer.bound]] : ["bound not known", unknownColor];
    if (by === "findings") return this.severity(findingsOf(layer)[0]?.severity);
    if (by === "stream") return layer.stream == null ? ["stream not stated", unknownColor] : [`stream ${layer.stream}`, streamColors[layer.stream]];
    return [layer.type || "type not stated", typeColors[layer.type]];
  }

  /**
   * What the layers of a closed block mean together: colors and their shares of its time, or of its layers where no time is known.
   * @param {number[]} layers
   * @param {number | null | undefined} share The time of the block in percent of all.
   * @returns {[Color, number][]} The largest share first.
   */
  mix(layers, share) {
    if (this.by === "time" && !this.data.meanings?.time) return [[this.heat(share)[1], 1]];
    const found = layers.map((layer) => this.data.layers[layer]);
    if (this.by === "findings") {
      // The worst of them, however short its layer.
      const severity = SEVERITIES.find((each) => found.some((layer) => findingsOf(layer)[0]?.severity === each));
      return [[this.severity(severity)[1], 1]];
    }
    const levels = this.data.levels?.[this.by];
    if (levels) {
      // The worst of them, too.
      const worst = layers.reduce((least, layer) => Math.min(least, levels.of[layer]), levels.meanings.length - 1);
      return [[levels.meanings[worst][1], 1]];
    }
    const timed = found.some((layer) => layer.avg_ms);
    /** @type {Map<Color, number>} */
    const parts = new Map();
    for (const layer of found) {
      const shade = this.mark(layer) ?? this.data.unknownColor;
      parts.set(shade, (parts.get(shade) ?? 0) + (timed ? layer.avg_ms ?? 0 : 1));
    }
    const total = [...parts.values()].reduce((sum, part) => sum + part, 0);
    return [...parts].filter(([, part]) => part > 0).map(([shade, part]) => /** @type {[Color, number]} */ ([shade, part / total])).sort(([, one], [, other]) => other - one);
  }

  /**
   * @param {number | null | undefined} share
   * @returns {Meaning}
   */
  heat(share) {
    const { heat, unknownColor } = this.data;
    if (share == null) return ["not measured", unknownColor];
    const level = heat.findIndex(([low]) => share >= low);
    const [low, shade] = heat[level];
    if (level === 0) return [`≥${low}% of time`, shade];
    return [low ? `${low}–${heat[level - 1][0]}%` : `<${heat[level - 1][0]}%`, shade];
  }

  /**
   * @param {Severity | undefined} severity
   * @returns {Meaning}
   */
  severity(severity) {
    return severity ? [`finding: ${severity}`, severity === "info" ? "var(--muted)" : `var(--${severity})`] : ["no finding", this.data.unknownColor];
  }

  /**
   * The meanings of the present colors in the order of all legends; undefined if they have none.
   * @returns {string[] | undefined}
   */
  ordered() {
    const { typeColors, precisionColors, streamColors, boundColors, meanings, levels } = this.data;
    if (levels?.[this.by]) return levels[this.by].meanings.map(([text]) => text);
    if (meanings?.[this.by]) return undefined;
    if (this.by === "type") return Object.keys(typeColors);
    if (this.by === "precision") return Object.keys(precisionColors);
    if (this.by === "findings") return [...SEVERITIES.map((severity) => this.severity(severity)[0]), this.severity(undefined)[0]];
    if (this.by === "bound") return Object.keys(boundColors).map((bound) => `${bound}-bound`);
    return this.by === "stream" ? Object.keys(streamColors).map((stream) => `stream ${stream}`) : undefined;
  }

  /**
   * Every meaning that occurs among the layers that are drawn, with its color: shares of time from slow to fast, classes in the order of all legends, others by frequency.
   * @param {(layer: number) => boolean} isDrawn
   * @returns {Meaning[]}
   */
  legend(isDrawn) {
    /** @type {Map<string, { count: number, shade: Color }>} */
    const found = new Map();
    for (const layer of this.data.layers) {
      if (!isDrawn(layer.index)) continue;
      const [text, shade] = this.meaning(layer);
      const entry = found.get(text);
      if (entry) entry.count += 1;
      else found.set(text, { count: 1, shade });
    }
    const byTime = this.by === "time" && !this.data.meanings?.time;
    const order = [...this.data.heat.map(([, shade]) => shade), this.data.unknownColor];
    const entries = [...found].sort(([, left], [, right]) => right.count - left.count).map(([text, { shade }]) => /** @type {Meaning} */ ([text, shade]));
    const known = this.ordered();
    const place = (/** @type {string[]} */ all, /** @type {string} */ text) => (all.includes(text) ? all.indexOf(text) : all.length);
    // What is not stated is last.
    if (known) return entries.sort(([left], [right]) => place(known, left) - place(known, right));
    return byTime ? entries.sort(([, left], [, right]) => order.indexOf(left) - order.indexOf(right)) : entries;
  }

  /**
   * The entries of a legend, the first 14.
   * @param {(layer: number) => boolean} isDrawn
   * @returns {HTMLElement[]}
   */
  legendItems(isDrawn) {
    const most = 14;
    const entries = byShade(this.legend(isDrawn));
    const swatch = (/** @type {Color} */ shade) => svg("svg", { class: "swatch", viewBox: "0 0 10 10", "aria-hidden": "true" }, svg("rect", { width: 10, height: 10, fill: shade }));
    const shown = entries.slice(0, most).map(([text, shade]) => h("span", {}, swatch(shade), shorten(visible(text), 60)));
    if (entries.length > most) shown.push(h("span", {}, `and ${formatCount(entries.length - most)} more`));
    return shown;
  }

  /**
   * @param {Layer} layer
   * @returns {string}
   */
  text(layer) {
    if (this.label === "tactic") return layer.tactic || "no tactic";
    if (this.label === "onnx") return layer.origins.join(" + ") || layer.name;
    return layer.operations.length ? layer.operations.join(" ") : layer.name;
  }

  /**
   * Mark a layer that has findings with the sign of the most severe one, on the corner of its box.
   * @param {Element} node
   * @param {Layer} layer
   * @param {number} width
   */
  flag(node, layer, width) {
    const findings = findingsOf(layer);
    if (!findings.length) return;
    const worst = findings[0].severity;
    node.classList.add(`has-${worst}`);
    node.append(svg("path", { class: `flag flag-${worst}`, d: FLAGS[worst], transform: `translate(${width})` }));
    const titles = findings.slice(0, 8).map(({ code, severity, title }) => `\n${severity} ${visible(code)}: ${shorten(visible(title), 200)}`);
    node.querySelector("title")?.append(...titles);
  }
}

/**
 * Each color once, with all that it means.
 * @param {Meaning[]} entries
 * @returns {Meaning[]}
 */
export function byShade(entries) {
  /** @type {Map<Color, string[]>} */
  const texts = new Map();
  for (const [text, shade] of entries) texts.set(shade, [...(texts.get(shade) ?? []), text]);
  return [...texts].map(([shade, all]) => [all.join(", "), shade]);
}
