"""A log that states a part of a profile's layers gives types and shapes of these."""

from __future__ import annotations

import json

import pytest

from trexreport.analyzer import analyze
from trexreport.model import PART
from trexreport.reader import read_engine

LISTED = 10


def name_of(at):
    return f"Conv_{at} + Relu_{at + 1}"


def listed(at, name=""):
    kind = "CudaDepthwiseConvolution" if at % 3 == 1 else "CaskConvolution"
    tensors = f"t{at}[Int8(1,32,64,64)] -> t{at + 1}[Int8(1,32,64,64)]"
    return f"Layer({kind}): {name or name_of(at)}, Tactic: 0x{at + 1:016x}, {tensors}"


def read(tmp_path, lines, layers):
    log = ["[02/08/2023-15:25:35] [V] [TRT] Engine Layer Information:", *lines, ""]
    (tmp_path / "m.log").write_text("\n".join(log))
    rows = [
        {"name": name, "timeMs": 10.0, "averageMs": 0.1, "medianMs": 0.1, "percentage": 100 / len(layers)}
        for name in layers
    ]
    (tmp_path / "m.profile.json").write_text(json.dumps([{"count": 100}, *rows]))
    engine = read_engine(tmp_path)
    return engine, {note.slug: note.message for note in engine.notes}


PROFILED = [name_of(at) for at in range(30)]


def test_a_cut_log_states_what_it_lists_of_a_profile(tmp_path):
    lines = [listed(at) for at in range(LISTED - 1)] + [listed(LISTED, "PWN(Add_133)")]
    engine, notes = read(tmp_path, lines, PROFILED)
    assert len(engine.layers) == len(PROFILED)
    known = [layer for layer in engine.layers if layer.type]
    assert [layer.name for layer in known] == PROFILED[: LISTED - 1]
    assert {layer.precision for layer in known} == {"INT8"}
    assert known[1].subtype == "CudaDepthwiseConvolution"
    assert "9 of 30" in notes[PART]
    # What an unknown layer writes seems to be an input of the engine, and may be part of any peak.
    assert not engine.bindings
    memory = analyze(engine).memory
    assert memory.activations_unknown >= len(PROFILED) - len(known)


@pytest.mark.parametrize(
    "lines",
    [
        [listed(at, f"other_{at}") if at % 2 else listed(at) for at in range(20)],
        [listed(at) for at in reversed(range(LISTED))],
        [listed(at) for at in range(3)],
    ],
    ids=["other names", "another order", "few"],
)
def test_a_log_of_another_build_states_nothing_of_a_profile(tmp_path, lines):
    engine, notes = read(tmp_path, lines, PROFILED)
    assert not any(layer.type for layer in engine.layers)
    assert PART not in notes
    assert "log-other-layers" in notes
