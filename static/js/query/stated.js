// Properties that a file does not state.

/** A property as tables and charts show it; their links search for this text. */
export const stated = (value) => value || "not stated";
