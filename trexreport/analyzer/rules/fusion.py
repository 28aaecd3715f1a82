"""Rules on fusion."""
