"""The sentence about layers and kernels that only change the type or layout of data."""

from __future__ import annotations

import math
from collections.abc import Sequence

from trexreport.analyzer.analysis import Analysis, Reformat
from trexreport.numbers import counted, format_ms
from trexreport.wording.layers import NAMES_ONLY
from trexreport.wording.shares import percent


def conversion(reformat: Reformat) -> str:
    """Return from what to what data is converted: "FP32 linear → FP16 NHWC8"."""
    if not (reformat.before or reformat.after):
        return "not stated"
    return f"{reformat.before or '?'} → {reformat.after or '?'}"


def reformats_sentence(analysis: Analysis) -> str:
    """Return how many layers and Myelin kernels only convert data, and the time that they take."""
    found = [each for each in analysis.reformats if each.time_ms or each.time_ms is None]
    if analysis.identity.names_only:
        return NAMES_ONLY
    if not found:
        return "No layer only changes the type or layout of data."
    reformats = [each for each in found if each.kind == "reformat"]
    kernels = [each for each in found if each.kind == "kernel"]
    parts = [_of_reformats(analysis, reformats)] if reformats else ["No reformat layer"]
    if kernels:
        parts.append(_of_kernels(analysis, kernels))
    return f"{'; '.join(parts)}."


def _of_reformats(analysis: Analysis, reformats: Sequence[Reformat]) -> str:
    text = f"{counted(len(reformats), 'layer')} only {_verb(reformats, 'change')} the type or layout of data"
    time_ms, share_percent = _cost(analysis, reformats)
    if time_ms is None:
        return text
    subject = "it takes" if len(reformats) == 1 else "together they take"
    return f"{text}; {subject} {percent(share_percent)} of layer time, {format_ms(time_ms)}"


def _of_kernels(analysis: Analysis, kernels: Sequence[Reformat]) -> str:
    only = f"only {_verb(kernels, 'move')} or {_verb(kernels, 'convert')} data"
    _, share_percent = _cost(analysis, kernels)
    if share_percent is None:
        return f"{counted(len(kernels), 'Myelin kernel')} {only}"
    take = f"{_verb(kernels, 'take')} {percent(share_percent)} of layer time"
    return f"{counted(len(kernels), 'Myelin kernel')} that {only} {take}"


def _cost(analysis: Analysis, found: Sequence[Reformat]) -> tuple[float | None, float | None]:
    """Return time and share of layer time of these together, None where none was measured."""
    times = [each.time_ms for each in found if each.time_ms is not None]
    total = analysis.latency.layer_sum_ms
    if not times:
        return None, None
    return math.fsum(times), 100 * math.fsum(times) / total if total else None


def _verb(found: Sequence[object], verb: str) -> str:
    return f"{verb}s" if len(found) == 1 else verb
