"""Rules on memory: how much of the time its bandwidth limits, and which tensors take most of it."""
