"""Rules on the measurement: whether it can be trusted, and what besides the GPU limits the engine."""
