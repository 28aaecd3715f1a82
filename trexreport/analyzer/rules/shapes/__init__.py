"""Rules on shapes: unknown ones, those that the host computes, and those that suit the GPU badly."""
