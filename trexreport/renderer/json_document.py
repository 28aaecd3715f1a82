"""Render an analysis, phases or a comparison as JSON, the whole or a summary."""

from __future__ import annotations

import json

from trexreport import __version__
from trexreport.analyzer import Analysis
from trexreport.analyzer.analysis.comparison import Comparison
from trexreport.analyzer.analysis.phases import PhasesReport
from trexreport.analyzer.analysis.phases_comparison import PhasesComparison
from trexreport.renderer.packing import encoded_apart
from trexreport.wording.json_sentences import members_and_sentences

_DETAILS = ("layers", "tensors", "reformats", "tactics", "kernels", "counters")
#: How many items of a list are encoded together: more would need much memory at once.
_ITEMS_AT_A_TIME = 256
_MARKS = {"generator": "trexreport", "version": __version__}


def render_json(facts: Analysis | Comparison | PhasesReport | PhasesComparison) -> bytes:
    """Return everything that is known as JSON; missing values are null, never NaN.

    Each item of each list is in a line of its own, such as a layer or a row: one can look for it with grep
    and compare two documents with diff. A line for every value would make them twice as long, and Python
    encodes several times as slowly what it has to indent.
    """
    document = members_and_sentences(facts)
    # What is encoded here is a tree: it needs no search for cycles.
    encoder = json.JSONEncoder(allow_nan=False, check_circular=False, default=members_and_sentences)
    encode = encoder.encode
    # As bytes, so that of a large document only its lines and the whole are in memory at once.
    lines = [b"{"]
    for key, value in {**_MARKS, **document}.items():
        start = f"{encode(key)}: "
        if isinstance(value, (list, tuple)) and value:
            lines.append(f"{start}[".encode("ascii"))
            for at in range(0, len(value), _ITEMS_AT_A_TIME):
                texts = encoded_apart(value[at : at + _ITEMS_AT_A_TIME], encoder)
                lines += [f"{text},".encode("ascii") for text in texts]
            lines[-1] = lines[-1][:-1]
            lines.append(b"],")
        else:
            lines.append(f"{start}{encode(value)},".encode("ascii"))
    lines[-1] = lines[-1][:-1]
    lines.append(b"}\n")
    return b"\n".join(lines)


def render_summary_json(analysis: Analysis) -> bytes:
    """Return the analysis without its layers and tensors, indented, as it is short and read in terminals."""
    document = {key: value for key, value in members_and_sentences(analysis).items() if key not in _DETAILS}
    document["memory"] = {
        key: value for key, value in members_and_sentences(analysis.memory).items() if key != "live_bytes"
    }
    document["layer_count"] = len(analysis.layers)
    text = json.dumps({**_MARKS, **document}, indent=1, allow_nan=False, default=members_and_sentences)
    return f"{text}\n".encode("ascii")


def render_phases_summary_json(report: PhasesReport) -> bytes:
    """Return what phases take together, without their analyses, indented."""
    document = {**_MARKS, **members_and_sentences(report)}
    del document["analyses"]
    text = json.dumps(document, indent=1, allow_nan=False, default=members_and_sentences)
    return f"{text}\n".encode("ascii")
