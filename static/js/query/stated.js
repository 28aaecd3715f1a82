// Properties that a file does not state.

/**
 * A property as tables and charts show it; their links search for this text.
 * @param {string | undefined} value
 * @returns {string}
 */
export const stated = (value) => value || "not stated";
