"""Rules on measurement."""
