// Addresses of pages of the site.

/**
 * @param {SiteEngine} engine
 * @returns {string}
 */
export function pageOf(engine) {
  return `engines/${engine.address}.html`;
}

/**
 * Where two engines are compared, the earlier one as the baseline: rows are in the order of dates, the latest first.
 * @param {SiteData} data
 * @param {SiteEngine[]} pair
 * @returns {string}
 */
export function comparisonLink(data, pair) {
  const [after, before] = [...pair].sort((one, other) => one.index - other.index);
  const made = data.compared.some(([first, second]) => first === before.index && second === after.index);
  return made ? `compare/${before.address}--${after.address}.html` : `compare.html#a=${before.address}&b=${after.address}`;
}
