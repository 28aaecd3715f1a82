// Work that waits for the next frame.

/**
 * Return a function that lets an action run in the next frame, once however often it is called before.
 * @param {() => void} action
 * @returns {() => void}
 */
export function oncePerFrame(action) {
  let waiting = false;
  return () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      action();
    });
  };
}
