"""Rules on fusion: work that runs as several kernels, or in one kernel more than needed."""
