"""Rules on engine."""
