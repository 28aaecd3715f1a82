"""Rules on shapes."""
