"""Hold several engines against each other: what belongs together, and whether one is faster."""
