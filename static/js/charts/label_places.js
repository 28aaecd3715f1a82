// Where names of points are written, so that they cover no other text and as few marks as possible.

/** Height of a line, and the distance of a name from its point; in pixels of the drawing. */
const LINE = 14;
const GAP = 5;
/** Most marks that a name may cover before it is left out. */
const MOST_COVERED = 1;
/** Length of the pieces of a slanted line whose boxes nothing covers. */
const PIECE = 8;

/** @typedef {{ left: number, right: number, top: number, bottom: number }} Box */
/** @typedef {{ x: number, y: number, r: number }} Dot */
/** @typedef {{ x: number, y: number, anchor: "start" | "end" | "middle" }} Place */

/**
 * @param {Box} one
 * @param {Box} other
 * @returns {boolean}
 */
function meets(one, other) {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
}

/**
 * The box of a text.
 * @param {Place} place With the baseline.
 * @param {number} width
 * @returns {Box}
 */
export function boxOf({ x, y, anchor }, width) {
  const left = x - { start: 0, middle: width / 2, end: width }[anchor];
  return { left, right: left + width, top: y - LINE + 3, bottom: y + 3 };
}

/**
 * Boxes that together cover a slanted line.
 * @param {{ x: number, y: number }} from
 * @param {{ x: number, y: number }} to
 * @returns {Box[]}
 */
export function alongLine(from, to) {
  const pieces = Math.max(1, Math.ceil(Math.hypot(to.x - from.x, to.y - from.y) / PIECE));
  const at = (/** @type {number} */ piece) => [from.x + ((to.x - from.x) * piece) / pieces, from.y + ((to.y - from.y) * piece) / pieces];
  return Array.from({ length: pieces }, (_, piece) => {
    const [[x1, y1], [x2, y2]] = [at(piece), at(piece + 1)];
    return { left: Math.min(x1, x2) - 1, right: Math.max(x1, x2) + 1, top: Math.min(y1, y2) - 1, bottom: Math.max(y1, y2) + 1 };
  });
}

/**
 * The best place beside a point for its name.
 * @param {Dot} point
 * @param {number} width Of the name.
 * @param {Box} room All of the name is inside.
 * @param {Box[]} texts None of them is covered.
 * @param {Dot[]} dots Other marks, which are better not covered.
 * @returns {Place | null} Null if there is none.
 */
export function placeBeside({ x, y, r }, width, room, texts, dots) {
  /** @type {Place[]} */
  const places = [
    { x: x + r + GAP, y: y + 4, anchor: "start" },
    { x: x - r - GAP, y: y + 4, anchor: "end" },
    { x, y: y + r + LINE, anchor: "middle" },
    { x, y: y - r - GAP, anchor: "middle" },
  ];
  let best = null;
  let fewest = MOST_COVERED + 1;
  for (const place of places) {
    const box = boxOf(place, width);
    if (box.left < room.left || box.right > room.right || box.top < room.top || box.bottom > room.bottom) continue;
    if (texts.some((text) => meets(text, box))) continue;
    const covered = dots.filter((dot) => meets({ left: dot.x - dot.r, right: dot.x + dot.r, top: dot.y - dot.r, bottom: dot.y + dot.r }, box)).length;
    if (covered < fewest) [best, fewest] = [place, covered];
  }
  return best;
}
