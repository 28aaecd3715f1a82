// Whether an interactive chart has the room that its texts need: they keep their size where its marks move together.

/** About how wide a letter is, in pixels. */
const LETTER_OF_CHART = 6;

/**
 * Where the legend ends, in pixels: its places are those of the drawing.
 * @param {any} layout
 * @returns {number}
 */
function legendEnd({ annotations = [], margin }) {
  const texts = annotations.filter((/** @type {any} */ each) => each.x === 0 && each.y === 1);
  return Math.max(0, ...texts.map((/** @type {any} */ { text, xshift = 0 }) => (margin?.l ?? 0) + xshift + LETTER_OF_CHART * text.length));
}

/**
 * Whether the names of points end inside the chart, and what is left of a point right of the numbers of the axis.
 * @param {any} layout
 * @param {number} width
 * @returns {boolean}
 */
function namesFit({ annotations = [], margin, xaxis }, width) {
  const { l: left = 0, r: right = 0 } = margin ?? {};
  const [low, high] = xaxis?.range ?? [0, 1];
  return annotations.every((/** @type {any} */ { text, x, xref, yref, xanchor, xshift = 0, ax = 0 }) => {
    if (xref !== "x" || yref !== "y") return true;
    const at = left + ((x - low) / (high - low)) * (width - left - right) + xshift + ax;
    const length = LETTER_OF_CHART * text.length;
    if (xanchor === "right") return at - length >= left;
    return xanchor !== "center" || (at - length / 2 >= 0 && at + length / 2 <= width);
  });
}

/**
 * In a narrower column the drawing that the page came with is easier to read.
 * @param {any} layout
 * @param {number} width
 * @returns {boolean}
 */
export function hasRoom(layout, width) {
  const { l: left = 0, r: right = 0 } = layout.margin ?? {};
  return left + right <= 0.75 * width && legendEnd(layout) <= width && namesFit(layout, width);
}
