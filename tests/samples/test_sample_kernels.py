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
