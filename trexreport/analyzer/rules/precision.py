"""Rules on precision."""
