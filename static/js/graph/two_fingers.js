// Two fingers on a drawing: apart and together to zoom it, beside each other to move it. One finger is the browser's.

/** Less than this apart, in pixels, fingers say nothing about a scale. */
const LEAST_APART = 24;

/**
 * How far two fingers are apart, and the point between them.
 * @param {ArrayLike<{ clientX: number, clientY: number }>} touches
 * @returns {{ apart: number, x: number, y: number }} In pixels of the window.
 */
export function fingersAt(touches) {
  const [one, other] = [touches[0], touches[1]];
  const apart = Math.max(LEAST_APART, Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY));
  return { apart, x: (one.clientX + other.clientX) / 2, y: (one.clientY + other.clientY) / 2 };
}

/**
 * Let two fingers zoom and move what is in a pane.
 * @param {HTMLElement} view
 * @param {{ moved: (dx: number, dy: number) => void, zoomed: (factor: number, x: number, y: number) => void, ended: () => void }} actions In pixels of the view.
 */
export function watchTwoFingers(view, { moved, zoomed, ended }) {
  /** @type {ReturnType<typeof fingersAt> | null} */
  let last = null;
  const begin = (/** @type {TouchEvent} */ event) => {
    last = event.touches.length === 2 ? fingersAt(event.touches) : null;
    // Otherwise the browser zooms the page.
    if (last && event.cancelable) event.preventDefault();
  };
  const follow = (/** @type {TouchEvent} */ event) => {
    if (!last || event.touches.length !== 2) return;
    if (event.cancelable) event.preventDefault();
    const now = fingersAt(event.touches);
    const box = view.getBoundingClientRect();
    zoomed(now.apart / last.apart, now.x - box.left, now.y - box.top);
    moved(now.x - last.x, now.y - last.y);
    last = now;
  };
  const end = () => {
    if (last) ended();
    last = null;
  };
  view.addEventListener("touchstart", begin, { passive: false });
  view.addEventListener("touchmove", follow, { passive: false });
  view.addEventListener("touchend", end);
  view.addEventListener("touchcancel", end);
}
