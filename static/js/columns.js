// The columns of the table of layers, and how rows are written for spreadsheets and documents.

const COLUMNS = [
  { key: "index", label: "#", width: 56, number: true, value: (layer) => layer.index, show: formatCount, on: true },
  { key: "name", label: "Name", width: 340, value: (layer) => layer.name, on: true },
  { key: "type", label: "Type", width: 128, value: (layer) => layer.type, on: true },
  { key: "precision", label: "Precision", width: 88, value: (layer) => layer.precision, on: true },
  { key: "out", label: "Output", width: 80, value: (layer) => layer.out },
  { key: "ms", label: "Time, ms", width: 92, number: true, value: (layer) => layer.ms, show: formatNumber, on: true },
  { key: "share", label: "Share, %", width: 128, number: true, bar: true, value: (layer) => layer.share, show: formatNumber, on: true },
  { key: "findings", label: "Findings", width: 184, value: (layer) => findingsOf(layer).map((finding) => finding.code).join(", ") },
  { key: "median", label: "Median, ms", width: 96, number: true, value: (layer) => layer.median, show: formatNumber },
  { key: "moved", label: "Moved", width: 96, number: true, value: (layer) => layer.moved, show: formatBytes, on: true },
  { key: "weights", label: "Weights", width: 96, number: true, value: (layer) => layer.weights, show: formatBytes },
  { key: "gbs", label: "GB/s", width: 80, number: true, value: (layer) => layer.gbs, show: formatNumber },
  { key: "gmac", label: "GMAC", width: 80, number: true, value: (layer) => (layer.work ? layer.work.macs / 1e9 : null), show: formatNumber },
  { key: "tflops", label: "TFLOP/s", width: 84, number: true, value: (layer) => layer.work?.tflops, show: formatNumber },
  { key: "bound", label: "Bound by", width: 88, value: (layer) => layer.bound },
  { key: "reached", label: "Of its roof, %", width: 104, number: true, value: (layer) => layer.reached, show: formatNumber },
  { key: "headroom", label: "Headroom, ms", width: 108, number: true, value: (layer) => layer.headroom, show: formatNumber },
  { key: "gflop", label: "GFLOP", width: 80, number: true, value: (layer) => (layer.flops == null ? null : layer.flops / 1e9), show: formatNumber },
  { key: "stream", label: "Stream", width: 72, number: true, value: (layer) => layer.stream, show: formatCount },
  { key: "tactic", label: "Tactic", width: 320, value: (layer) => layer.tactic, on: true },
  { key: "onnx", label: "Made from", width: 320, value: (layer) => layer.onnx.join(", ") },
];

/** What a spreadsheet may take for the beginning of a formula: also in full width, and behind what it strips. */
const FORMULA_START = /^(?:[\t\r\n]|[\s\u0000-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u2060\ufeff]*[-=+@＝＋－＠])/;

/** What may mean something in a cell of Markdown, as in renderer/markdown_text.py. */
const MARKDOWN_SPECIAL = /[\\`*_[\]<>#|~$&@]|:(?=[\w/+-])|(?<=\bwww)\./gi;
const MARKDOWN_CALL = /\\@(?=\w)|(?:\\#|\bGH-)(?=\d)/gi;

/** Rows and columns as a text that a spreadsheet takes. */
function asCsv(rows, columns) {
  const quote = (value) => {
    const text = value == null ? "" : String(value);
    // A leading apostrophe keeps a spreadsheet from running a name as a formula.
    const safe = typeof value === "string" && FORMULA_START.test(text) ? `'${text}` : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  const lines = rows.map((layer) => columns.map((column) => quote(column.value(layer))).join(","));
  return [columns.map((column) => quote(column.label)).join(","), ...lines].join("\r\n");
}

/** Rows and columns as a text that a document takes. */
function asMarkdown(rows, columns) {
  const escaped = (text) => visible(text).replace(MARKDOWN_SPECIAL, "\\$&").replace(MARKDOWN_CALL, "$&&#8203;");
  const cell = (text) => escaped(text).replace(/\s*\n\s*/g, " ");
  const line = (cells) => `| ${cells.join(" | ")} |`;
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
