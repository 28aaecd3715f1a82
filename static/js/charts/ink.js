// The color of a text on a color.

/**
 * Black or white, whichever is read better on a color "#rrggbb"; the page's own color, as null, on others.
 * @param {string} shade
 * @returns {string | null}
 */
export function inkOn(shade) {
  const parts = /^#([\da-f]{2})([\da-f]{2})([\da-f]{2})$/i.exec(shade)?.slice(1).map((part) => parseInt(part, 16) / 255);
  if (!parts) return null;
  const [red, green, blue] = parts.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  // Where black and white have the same contrast (WCAG 2.1).
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? "#000000" : "#ffffff";
}
