"""The sentence about convolutions and matrix products."""

from __future__ import annotations

from trexreport.analyzer.analysis import Analysis
from trexreport.numbers import counted, format_count, format_number
from trexreport.wording.layers import NAMES_ONLY
from trexreport.wording.shares import percent


def work_sentence(analysis: Analysis) -> str:
    """Return how many operations the layers do, how fast, and of how many layers that is not known."""
    found = analysis.multiplications
    if analysis.identity.names_only:
        return NAMES_ONLY
    if not found.layers:
        return "No layer of this engine is known as a convolution or matrix product."
    if not found.counted:
        return f"The operations of {_multiplying(found.layers)} are not known: their shapes leave them open."
    what = f"{format_number(found.macs / 1e9)} billion multiply-accumulate operations"
    if found.tflops is not None:
        what += f" at {format_number(found.tflops)} TFLOP/s on average"
    missing = found.layers - found.counted
    if not missing:
        return f"{_multiplying(found.counted)} {'does' if found.counted == 1 else 'do'} {what}."
    text = f"{format_count(found.counted)} of {_multiplying(found.layers)} could be counted: {what}"
    if found.uncounted_percent is None:
        return f"{text}."
    verb = "the other one takes" if missing == 1 else "the others take"
    return f"{text}; {verb} {percent(found.uncounted_percent)} of layer time."


def _multiplying(count: int) -> str:
    return counted(count, "convolution or matrix product", "convolutions and matrix products")
