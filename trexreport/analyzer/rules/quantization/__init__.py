"""Rules on quantization: where it begins, ends and is interrupted."""
