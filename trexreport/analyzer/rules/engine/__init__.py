"""Rules on the engine as a whole: what its file does not show, and what its TensorRT version requires."""
