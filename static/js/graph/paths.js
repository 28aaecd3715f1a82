// Paths of lines in a drawing.

/**
 * A route with rounded corners.
 * @param {Point[]} points
 * @param {number} [radius]
 * @returns {string}
 */
export function roundedPath(points, radius = 6) {
  const parts = [`M${points[0][0]} ${points[0][1]}`];
  const toward = (/** @type {Point} */ [x, y], /** @type {Point} */ [toX, toY]) => {
    const length = Math.hypot(toX - x, toY - y) || 1;
    const part = Math.min(radius / length, 0.5);
    return `${x + (toX - x) * part} ${y + (toY - y) * part}`;
  };
  for (let at = 1; at < points.length - 1; at += 1) {
    const corner = points[at];
    parts.push(`L${toward(corner, points[at - 1])}Q${corner[0]} ${corner[1]} ${toward(corner, points[at + 1])}`);
  }
  const [x, y] = points[points.length - 1];
  return `${parts.join("")}L${x} ${y}`;
}

/**
 * The head of an arrow that ends at the last point, coming from the one before.
 * @param {Point[]} points
 * @returns {string}
 */
export function arrowHead(points) {
  const [[beforeX, beforeY], [x, y]] = points.slice(-2);
  const length = Math.hypot(x - beforeX, y - beforeY) || 1;
  const [ux, uy] = [(x - beforeX) / length, (y - beforeY) / length];
  return `M${x} ${y}L${x - 6 * ux - 3 * uy} ${y - 6 * uy + 3 * ux}L${x - 6 * ux + 3 * uy} ${y - 6 * uy - 3 * ux}Z`;
}

/**
 * The points of a flat list of coordinates, moved by (x, y).
 * @param {number[]} flat
 * @param {number} [x]
 * @param {number} [y]
 * @returns {Point[]}
 */
export function pointsOf(flat, x = 0, y = 0) {
  /** @type {Point[]} */
  const points = [];
  for (let at = 0; at < flat.length; at += 2) points.push([flat[at] + x, flat[at + 1] + y]);
  return points;
}

/**
 * @param {Point[]} points
 * @returns {string}
 */
export function straight(points) {
  return `M${points.map((point) => point.join(" ")).join("L")}`;
}

/**
 * The steps from each point of a flat list of coordinates to the next.
 * @param {number[]} flat
 * @returns {string}
 */
export function relative(flat) {
  let text = "";
  for (let at = 2; at < flat.length; at += 2) text += `l${flat[at] - flat[at - 2]} ${flat[at + 1] - flat[at - 1]}`;
  return text;
}
