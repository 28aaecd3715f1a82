// Boxes in the coordinates of a drawing.

/**
 * @param {Box} box
 * @param {Box} view
 * @returns {boolean}
 */
export function touches(box, view) {
  return box.x <= view.x + view.w && box.x + box.w >= view.x && box.y <= view.y + view.h && box.y + box.h >= view.y;
}

/**
 * @param {Box} box
 * @param {Box} other
 * @returns {boolean}
 */
export function within(box, other) {
  return box.x >= other.x && box.x + box.w <= other.x + other.w && box.y >= other.y && box.y + box.h <= other.y + other.h;
}

/**
 * @param {Point[]} points
 * @returns {Box}
 */
export function boundsOf(points) {
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return { x, y, w: Math.max(...xs) - x, h: Math.max(...ys) - y };
}
