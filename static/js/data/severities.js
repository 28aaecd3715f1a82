// The severities of findings.

/** From the most severe to the least. */
export const SEVERITIES = /** @type {Severity[]} */ (["error", "warning", "info"]);
