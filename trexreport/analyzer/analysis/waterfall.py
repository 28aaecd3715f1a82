"""The way from the baseline's total layer time to a candidate's, in steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Literal

from trexreport.lazy_dataclass import dataclass

#: What the steps between two sums of layers are grouped by; the last two need the ONNX model of both engines.
WaterfallKind = Literal["type", "output precision", "block", "cause", "module", "source line"]


@dataclass(frozen=True)
class Step:
    """One part of the difference between two sums of layers.

    Attributes:
        difference_ms: `candidate_ms` minus `baseline_ms`; 0 where that is rounding noise.
        baseline_ms, candidate_ms: Time of the layers concerned, in the baseline and in the candidate.
        baseline_layers, candidate_layers: How many those are, without structural ones that take no time.
    """

    name: str
    difference_ms: float
    baseline_ms: float
    candidate_ms: float
    baseline_layers: int
    candidate_layers: int


@dataclass(frozen=True)
class Waterfall:
    """The way from the baseline's total layer time to a candidate's; the steps add up to the difference.

    Attributes:
        by: What the steps are.
        steps: The largest first, whatever its sign; "Missing rows" are layers that a profile does not list.
    """

    by: WaterfallKind
    baseline_ms: float
    candidate_ms: float
    difference_ms: float
    steps: list[Step]


@dataclass(frozen=True)
class LayerSteps:
    """Of which step of a waterfall each layer of an engine is a part.

    Attributes:
        names: Of the steps. A layer of several modules or source lines is a part of a step of their names.
        layers: For each layer, the position of its step in `names`.
    """

    names: Sequence[str]
    layers: Sequence[int] = field(repr=False)
