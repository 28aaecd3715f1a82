"""Whether a lower precision brings the speedup that it should, and what lies between."""

from trexreport.analyzer.speedup.explain import Side, explain_speedup

__all__ = ["Side", "explain_speedup"]
