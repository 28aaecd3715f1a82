"""Render an analysis as JSON, the whole or its summary, and a comparison."""

from __future__ import annotations

import json
from typing import Any

from trexreport import __version__
from trexreport.analyzer import Analysis
from trexreport.analyzer.analysis import as_json
from trexreport.analyzer.analysis.comparison import Comparison

_DETAILS = ("layers", "tensors", "reformats")


def render_json(analysis: Analysis) -> bytes:
    """Return the whole analysis as JSON in UTF-8; missing values are null, never NaN."""
    return _encoded(as_json(analysis))


def render_summary_json(analysis: Analysis) -> bytes:
    """Return the analysis without its layers and tensors."""
    document = as_json(analysis)
    document["memory"].pop("live_bytes")
    document["layer_count"] = len(analysis.layers)
    return _encoded({key: value for key, value in document.items() if key not in _DETAILS})


def render_comparison_json(comparison: Comparison) -> bytes:
    """Return everything that was compared as JSON."""
    return _encoded(as_json(comparison))


def _encoded(document: dict[str, Any]) -> bytes:
    marked = {"generator": "trexreport", "version": __version__, **document}
    return (json.dumps(marked, indent=1, allow_nan=False) + "\n").encode("ascii")
