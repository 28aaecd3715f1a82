// The columns of the table of rows: a time for each engine, then what the chosen candidate is against the baseline.

// With more engines than this not every one has its column from the start.
const MOST_TIME_COLUMNS = 4;

function rowColumns(data) {
  const times = data.engines.map((engine, index) => ({
    key: `time-${index}`,
    label: `${shorten(visible(engine.name), 12)}, ms`,
    width: 136,
    number: true,
    value: (row) => row.sides[index].ms,
    show: formatNumber,
    on: index < MOST_TIME_COLUMNS || index === data.baseline || index === data.focus,
  }));
  const precisions = (row) => {
    const [before, after] = [data.baseline, data.candidate].map((engine) => precisionsOf(data, engine, row.sides[engine]).join(", "));
    return before === after ? before : `${before || DASH} | ${after || DASH}`;
  };
  return [
    { key: "index", label: "#", width: 56, number: true, value: (row) => row.index, show: formatCount, on: true },
    { key: "name", label: "Layers", width: 300, value: (row) => (row.others ? `${row.label} and ${row.others} more` : row.label), on: true },
    { key: "module", label: "Module", width: 180, value: (row) => row.module },
    ...times,
    { key: "diff", label: "Difference, ms", width: 164, number: true, bar: true, value: (row) => row.side.diff, show: signed, on: true },
    { key: "ratio", label: "Ratio", width: 72, number: true, value: (row) => row.side.ratio, show: formatNumber, on: true },
    { key: "mark", label: "Change", width: 92, value: (row) => row.side.mark, on: true },
    { key: "changes", label: "What changed", width: 216, value: (row) => row.side.changes.join(", "), on: true },
    { key: "precision", label: "Precision", width: 180, value: precisions, on: true },
    { key: "type", label: "Type", width: 128, value: (row) => [...new Set(row.sides.flatMap((side, engine) => valuesOf(data, engine, side, (layer) => layer.type)))].join(", ") },
    { key: "tactic", label: "Tactic", width: 320, value: (row) => valuesOf(data, data.candidate, row.side, (layer) => layer.tactic).join(", ") },
    { key: "matched", label: "Matched by", width: 200, value: (row) => row.side.keys.join(", ") },
  ];
}
