"""Rules on matrix multiplications that are not convolutions."""
