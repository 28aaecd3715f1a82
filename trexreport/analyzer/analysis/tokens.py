"""How many tokens a query of a language model computes."""

from __future__ import annotations

import math
from collections import Counter

from trexreport.analyzer.analysis import Analysis

#: Scores of fewer classes may be those of something else than a vocabulary.
MIN_CLASSES = 16384
_INDICES = ("INT32", "INT64")


def tokens_per_query(analysis: Analysis) -> int | None:
    """Return the tokens that a query computes; None where that is unknown, or no language model.

    An output has the scores of a vocabulary, and an input of indices as many elements as most matrix
    multiplications have rows: a mask of all earlier tokens has more.
    """
    work = [each.work for each in analysis.layers if each.work is not None]
    rows = Counter(each.m for each in work if each.kind == "matrix multiplication" and each.batch == 1)
    most = max(rows, key=lambda each: rows[each], default=0)
    written = (each.dimensions[-1:] for each in analysis.bindings if each.mode == "output")
    read = [each for each in analysis.bindings if each.mode == "input" and each.format.startswith(_INDICES)]
    writes_scores = any(max(each, default=0) >= MIN_CLASSES for each in written)
    is_read = any(min(each.dimensions, default=0) > 0 and math.prod(each.dimensions) == most for each in read)
    return most if most and writes_scores and is_read else None
