// Addresses of layers and findings.

/** A key as an address can hold it: lone surrogates become question marks. */
export function linkKey(key) {
  return key.replace(/\p{Surrogate}/gu, "?");
}

export function findingLink(finding) {
  return `#finding-${finding.id}`;
}

export function layerLink(layer) {
  return `#layer=${encodeURIComponent(linkKey(layer.key))}`;
}
