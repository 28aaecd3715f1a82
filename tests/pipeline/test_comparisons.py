"""A comparison of captures is what comparing their engines gives, without the layers as they were read."""

from __future__ import annotations

import weakref
from pathlib import Path

import pytest

from trexreport.errors import InputError, UsageError
from trexreport.pipeline import comparisons
from trexreport.pipeline.captures import CaptureInput, read_with_runs
from trexreport.pipeline.comparisons import ComparisonInput, compare_engines
from trexreport.pipeline.settings import Settings

SAMPLES = Path(__file__).parents[2] / "samples"
PATHS = tuple(str(SAMPLES / f"resnet18-int8-{when}") for when in ("before", "after"))


def test_captures_compare_as_their_engines_do(monkeypatch):
    given = []
    compare = Settings.compare

    def noted(self, engines, *arguments, **options):
        given.extend(engines)
        return compare(self, engines, *arguments, **options)

    monkeypatch.setattr(Settings, "compare", noted)
    of_paths = ComparisonInput(PATHS).compare(Settings(), ["json"], [])
    assert [engine.layers for engine in given] == [(), ()]
    engines = [read_with_runs(CaptureInput((path,)), (), ()) for path in PATHS]
    assert all(engine.layers for engine in engines)
    of_engines = compare_engines(engines, Settings(), ["json"])
    assert of_paths.render("json") == of_engines.render("json")
    assert (of_paths.shown, of_paths.sources) == (of_engines.shown, of_engines.sources)


def test_an_engine_to_show_that_is_none_is_refused_before_anything_is_read(monkeypatch):
    monkeypatch.setattr(comparisons, "read_with_runs", None)
    with pytest.raises(UsageError, match="There is no engine 2 to show"):
        ComparisonInput(PATHS, shown=2).compare(Settings(), ["json"], [])


def test_one_engine_as_it_was_read_is_in_memory_at_a_time(monkeypatch):
    """Else a comparison of large engines takes a quarter more memory."""
    read, left = [], []

    def noted(*arguments):
        left.append([each for each in read if each() is not None])
        engine = read_with_runs(*arguments)
        read.append(weakref.ref(engine))
        return engine

    monkeypatch.setattr(comparisons, "read_with_runs", noted)
    compared = ComparisonInput(PATHS).compare(Settings(), ["html"], [])
    assert left == [[], []]
    stated = {key for analysis in compared.analyses for layer in analysis.layers for key in layer.attributes}
    assert "LayerType" in stated
    assert stated.isdisjoint({"Inputs", "Outputs", "Constants"})


def test_a_comparison_without_a_graph_keeps_no_analyses():
    assert not ComparisonInput(PATHS).compare(Settings(), ["json", "md"], []).analyses
    assert len(ComparisonInput(PATHS).compare(Settings(), ["json", "html"], []).analyses) == 2


def test_runs_of_one_log_are_compared(tmp_path):
    stamp = "[01/02/2025-03:04:05] [I]"
    runs = [
        f"&&&& {{}} TensorRT.trtexec [TensorRT v8601] # trtexec --onnx=m.onnx{flag}\n"
        f"{stamp} Throughput: {qps} qps\n"
        f"{stamp} GPU Compute Time: min = {ms} ms, max = {ms} ms, mean = {ms} ms, median = {ms} ms, "
        f"percentile(99%) = {ms} ms\n"
        for flag, qps, ms in (("", 500, 2.0), (" --fp16", 1000, 1.0))
    ]
    log = tmp_path / "all.log"
    log.write_text(
        "".join(run.format("RUNNING") + run.split("\n")[0].format("PASSED") + "\n" for run in runs)
    )
    inputs = ComparisonInput((f"{log}#1", f"{log}#2"))
    compared = inputs.compare(Settings(), ["json"], [])
    engines = compared.comparison.engines
    assert [each.name for each in engines] == ["all (all.log#1)", "all (all.log#2)"]
    assert [each.latency.gpu_compute.median_ms for each in engines] == [2.0, 1.0]
    with pytest.raises(UsageError, match="one of the input files"):
        inputs.compare(Settings(), ["json"], [str(log)])
    with pytest.raises(InputError, match="not exist"):
        CaptureInput((f"{log}#last",)).read()
