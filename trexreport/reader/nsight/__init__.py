"""Read what NVIDIA's Nsight tools export: traces of Nsight Systems, counters of Nsight Compute."""

#: What a SQLite file begins with.
SQLITE_MAGIC = b"SQLite format 3\x00"
#: nsys writes reports as CSV, and prints them as text.
REPORT_SUFFIXES = frozenset({".csv", ".txt"})
