// Small helpers for drawings: elements, texts that fit, routes.

const SVG = "http://www.w3.org/2000/svg";

/** Create an element of a drawing. */
function s(tag, attributes, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) if (value != null) element.setAttribute(name, value);
  element.append(...children.flat().filter((child) => child != null));
  return element;
}

const measuring = document.createElement("canvas").getContext("2d");

/** Shorten a text in its middle until it fits into so many pixels. */
function fitted(text, room, size = 12, weight = "") {
  const seen = visible(text);
  measuring.font = `${weight} ${size}px system-ui, sans-serif`;
  if (seen.length * size * 0.35 <= room && measuring.measureText(seen).width <= room) return seen;
  let [low, high] = [1, Math.min(seen.length, 200)];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (measuring.measureText(shorten(seen, middle)).width <= room) low = middle;
    else high = middle - 1;
  }
  return shorten(seen, low);
}

/** A route with rounded corners. */
function routed(points, radius = 6) {
  const parts = [`M${points[0][0]} ${points[0][1]}`];
  const toward = ([x, y], [toX, toY]) => {
    const length = Math.hypot(toX - x, toY - y) || 1;
    const part = Math.min(radius / length, 0.5);
    return `${x + (toX - x) * part} ${y + (toY - y) * part}`;
  };
  for (let at = 1; at < points.length - 1; at += 1) {
    const corner = points[at];
    parts.push(`L${toward(corner, points[at - 1])}Q${corner[0]} ${corner[1]} ${toward(corner, points[at + 1])}`);
  }
  const [x, y] = points.at(-1);
  return `${parts.join("")}L${x} ${y}`;
}

/** The head of an arrow that ends at the last point, coming from the one before. */
function arrowHead(points) {
  const [[beforeX, beforeY], [x, y]] = points.slice(-2);
  const length = Math.hypot(x - beforeX, y - beforeY) || 1;
  const [ux, uy] = [(x - beforeX) / length, (y - beforeY) / length];
  return `M${x} ${y}L${x - 6 * ux - 3 * uy} ${y - 6 * uy + 3 * ux}L${x - 6 * ux + 3 * uy} ${y - 6 * uy - 3 * ux}Z`;
}

/** The points of a flat list of coordinates, moved by (x, y). */
function pointsOf(flat, x = 0, y = 0) {
  const points = [];
  for (let at = 0; at < flat.length; at += 2) points.push([flat[at] + x, flat[at + 1] + y]);
  return points;
}
