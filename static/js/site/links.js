// Addresses of pages of the site.

/**
 * @param {SiteEngine} engine
 * @returns {string}
 */
export function pageOf(engine) {
  return `engines/${engine.address}.html`;
}

/**
 * Where two engines are compared.
 * @param {SiteData} data
 * @param {SiteEngine[]} pair The baseline first.
 * @returns {string}
 */
export function comparisonLink(data, [before, after]) {
  const made = data.compared.some(([first, second]) => first === before.index && second === after.index);
  return made ? `compare/${before.address}--${after.address}.html` : `compare.html#a=${before.address}&b=${after.address}`;
}
