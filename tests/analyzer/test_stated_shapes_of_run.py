"""The shapes of a run that its log does not list are those that its command states."""

from __future__ import annotations

from trexreport.analyzer.identity import identify
from trexreport.model import Setup
from trexreport.model.engine import Engine


def test_a_log_without_bindings_has_the_shapes_of_its_options():
    commands = (
        "trtexec --onnx=m.onnx --optShapes=x:1x3x8x8 --buildOnly",
        "trtexec --loadEngine=m.plan --shapes='x':2x3x8x8,mask:2x8",
    )
    found = identify(Engine(name="m", layers=(), setup=Setup(commands=commands)))
    assert [(each.name, each.dimensions) for each in found.inputs] == [("x", [2, 3, 8, 8]), ("mask", [2, 8])]
    assert found.batch == 2
