// Addresses of layers and findings.

/**
 * A key as an address can hold it: lone surrogates become question marks.
 * @param {string} key
 * @returns {string}
 */
export function linkKey(key) {
  return key.replace(/\p{Surrogate}/gu, "?");
}

/**
 * @param {Finding} finding
 * @returns {string}
 */
export function findingLink(finding) {
  return `#finding-${finding.id}`;
}

/**
 * @param {Layer} layer
 * @returns {string}
 */
export function layerLink(layer) {
  return `#layer=${encodeURIComponent(linkKey(layer.key))}`;
}

/**
 * @param {number} node Of the ONNX model.
 * @returns {string}
 */
export function nodeLink(node) {
  return `#node=${node}`;
}
