"""Documents of several phases: what they take together, and the report of each."""
