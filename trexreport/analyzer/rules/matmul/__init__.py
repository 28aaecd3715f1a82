"""Rules on matrix multiplications that are no convolutions."""
