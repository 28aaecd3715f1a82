// The terms with which nodes of the ONNX model are found.

/**
 * @param {ReportData} report
 * @returns {Terms<ModelNode>}
 */
export function nodeTerms(report) {
  const layersOf = (/** @type {ModelNode} */ node) => node.layers.map((each) => report.layers[each]);
  const time = (/** @type {ModelNode} */ node) => (node.layers.length && node.alone_ms != null ? node.alone_ms + (node.shared_ms ?? 0) : null);
  return {
    share: (node) => {
      const most = time(node);
      return most == null || !report.totalMs ? null : (100 * most) / report.totalMs;
    },
    plain: (_, node) => (node.searchText ??= [node.name, node.type, node.module, node.source, ...node.outputs].join("\n").toLowerCase()),
    title: (node) => node.name,
    exact: new Set(),
    texts: {
      node: (node) => [node.name],
      type: (node) => [node.type],
      module: (node) => [node.module],
      class: (node) => [node.class ?? ""],
      source: (node) => [node.source],
      precision: (node) => [node.precision],
      layer: (node) => layersOf(node).map(({ name }) => name),
      finding: (node) => layersOf(node).flatMap(({ findings }) => findings.flatMap(({ finding }) => [finding.id, finding.severity, finding.name])),
      vanished: (node) => [node.reason ?? ""],
    },
    figures: { time, layers: (node) => node.layers.length },
  };
}
