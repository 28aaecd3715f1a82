"""The whole comparison as JSON."""

from __future__ import annotations

import json

from trexreport import __version__
from trexreport.analyzer.analysis import as_json
from trexreport.analyzer.analysis.comparison import Comparison


def render_comparison_json(comparison: Comparison) -> bytes:
    """Return everything that was compared; missing values are null, never NaN."""
    document = {"version": __version__, **as_json(comparison)}
    return (json.dumps(document, indent=1, allow_nan=False) + "\n").encode("ascii")
