// Boxes in the coordinates of a drawing.

export function touches(box, view) {
  return box.x <= view.x + view.w && box.x + box.w >= view.x && box.y <= view.y + view.h && box.y + box.h >= view.y;
}

export function within(box, other) {
  return box.x >= other.x && box.x + box.w <= other.x + other.w && box.y >= other.y && box.y + box.h <= other.y + other.h;
}

export function boundsOf(points) {
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return { x, y, w: Math.max(...xs) - x, h: Math.max(...ys) - y };
}
