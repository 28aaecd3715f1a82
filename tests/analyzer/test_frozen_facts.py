"""An analysis is complete when it exists: nothing is assigned after construction."""

from __future__ import annotations

import dataclasses
import typing

import pytest

from trexreport.analyzer import analyze
from trexreport.analyzer.analysis import Analysis
from trexreport.model import Engine

#: Created tens of thousands of times; the type checker alone holds that nothing is assigned to them.
BULK = {
    "Gain",
    "GainBasis",
    "GainPart",
    "KernelFacts",
    "LayerCounters",
    "LayerErrorFacts",
    "LayerFacts",
    "LayerKernels",
    "LayerRoof",
    "OnnxNodeFacts",
    "OnnxQuantization",
    "Operation",
    "TensorAccuracy",
    "TensorErrorFacts",
    "TensorFacts",
    "TensorUse",
    "TimelineCall",
    "TimelineCopy",
    "TimelineGap",
    "TimelineRun",
}


def types_in(kind, found):
    """Collect the dataclasses that a type's fields lead to, by name."""
    if dataclasses.is_dataclass(kind) and kind.__name__ not in found:
        found[kind.__name__] = kind
        for hint in typing.get_type_hints(kind).values():
            types_in(hint, found)
    for part in typing.get_args(kind):
        types_in(part, found)
    return found


def test_all_types_of_an_analysis_are_frozen():
    found = types_in(Analysis, {})
    assert set(found) > BULK
    assert {name for name, kind in found.items() if not kind.__dataclass_params__.frozen} == BULK


def test_a_finished_analysis_refuses_changes():
    analysis = analyze(Engine("e", ()))
    with pytest.raises(dataclasses.FrozenInstanceError):
        analysis.lint = None
