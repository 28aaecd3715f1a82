"""Rules on reformat."""
