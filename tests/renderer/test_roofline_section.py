"""The layers that the section on the roofline lists."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from trexreport.analyzer import analyze
from trexreport.reader import read_engine
from trexreport.renderer.sections import roofline_layers

SAMPLES = Path(__file__).parents[2] / "samples"


def test_layers_with_headroom_and_with_products_are_listed():
    analysis = analyze(read_engine(SAMPLES / "resnet18-int8-before"))
    found = roofline_layers(analysis)
    held, working = ({layer.index for layer in layers} for layers in (found.held, found.working))
    assert held == {each.index for each in analysis.layers if each.roof and (each.roof.headroom_ms or 0) > 0}
    assert working == {each.index for each in analysis.layers if each.work is not None}
    assert held
    assert working


def test_an_engine_without_layers_lists_none():
    analysis = analyze(read_engine(SAMPLES / "resnet18-int8-before"))
    assert roofline_layers(dataclasses.replace(analysis, layers=[])) == ([], [], False, False)
