// The sizes and distances of a large engine's graph, in its own coordinates: pixels at scale 1.

export const BLOCK_SIZE = { width: 288, height: 60, few: 26 };
/** The height of an open block's head. */
export const HEADER_HEIGHT = 26;
export const FRAME_PADDING = 10;
/** Between two items, without lines that run there. */
export const ITEM_GAP = 24;
/** Between lines that run sideways, and between lines that run up or down. */
export const TRACK_STEP = 6;
export const LANE_STEP = 8;

/** The scale at which names can be read well. */
export const READABLE = 0.8;
