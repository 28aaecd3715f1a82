"""Rules on quantization."""
