"""How much an accuracy file may hold: more would fill the memory."""

from __future__ import annotations

#: Saved outputs are text of base64, and are in memory twice while they are read.
LARGEST_BYTES = 256 * 2**20
#: A model of 20,000 nodes has about as many tensors.
MOST_TENSORS = 100_000
MOST_ITERATIONS = 10_000
MOST_TRIALS = 10_000
LONGEST_NAME = 4_096
#: Figures beyond are damage: no tensor of 32-bit floating-point numbers has such a norm.
LARGEST_FIGURE = 1e60
