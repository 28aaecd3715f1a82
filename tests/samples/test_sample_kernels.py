"""The kernels of the sample belong to its layers, and leave the GPU idle where they were made to."""

from __future__ import annotations

from pathlib import Path

from trexreport.analyzer import analyze
from trexreport.reader import read_engine

FOLDER = Path(__file__).resolve().parents[2] / "samples"
NAME = "resnet18-int8-before"


def test_every_kernel_has_its_layer_and_the_gpu_waits_for_the_cpu():
    kernels = FOLDER / "kernels" / f"{NAME}.kernels.json"
    analysis = analyze(read_engine(FOLDER / NAME, files={"kernels": kernels}), with_blocks=False)
    found = analysis.kernels
    assert "synthetic" in found.file
    assert (found.queries, found.matched_percent) == (3, 100.0)
    assert [each is not None for each in found.layers] == [bool(each.avg_ms) for each in analysis.layers]
    assert {"host", "launch", "copy"} <= {each.cause for each in found.idle}
    assert not analysis.contradictions


def test_every_layer_with_a_time_has_counted_bytes():
    files = {role: FOLDER / "kernels" / f"{NAME}.{role}.json" for role in ("kernels", "counters")}
    analysis = analyze(read_engine(FOLDER / NAME, files=files), with_blocks=False)
    found = analysis.counters
    assert "synthetic" in found.file
    assert [each.layer for each in found.layers] == [each.index for each in analysis.layers if each.avg_ms]
    assert found.matched == found.kernels
    assert 80 < found.total_percent < 130
    assert 100 < found.operations_percent < 110
