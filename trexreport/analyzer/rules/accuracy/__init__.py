"""Rules on accuracy: values that differ from those of a reference."""
