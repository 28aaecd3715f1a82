"""What the API backend leaves is a capture like trtexec's, with each layer's times on top."""

from __future__ import annotations

import json
import re
import statistics

import pytest

from trexreport.analyzer import analyze
from trexreport.errors import UsageError
from trexreport.reader import read_engine
from trexreport.renderer.charts.catalog import report_charts
from trexreport.renderer.html import render_html
from trexreport.renderer.html_options import HtmlOptions

#: Version to the flags that its model needs: all have layers in FP16, and that of 8.6.1 has weights of INT8.
VERSIONS = {
    "8.6.1": ("--fp16", "--int8"),
    "10.0.1": ("--fp16",),
    "10.16.0": ("--fp16",),
    "11.4.0": (
        "--minShapes=images:1x3x640x640",
        "--optShapes=images:4x3x640x640",
        "--maxShapes=images:8x3x640x640",
    ),
}


@pytest.mark.parametrize(("version", "flags"), VERSIONS.items())
def test_every_panel_of_a_report_has_data(api, version, flags):
    journal = api.collect(version, *flags)
    engine = read_engine(api.folder)
    analysis = analyze(engine)
    assert engine.contradictions == ()
    assert journal.versions["tensorrt"] == version
    assert analysis.identity.gpu == "NVIDIA H100 PCIe"
    assert analysis.identity.tensorrt_version == version
    assert analysis.identity.model == "model.onnx"
    precisions = {"8.6.1": "FP32+FP16+INT8", "11.4.0": "Strongly Typed"}.get(version, "FP32+FP16")
    assert analysis.identity.precisions == precisions
    assert {"Device", "Model", "Builder", "Build figures", "Inference"} <= set(analysis.settings)
    assert analysis.latency.throughput_qps > 0
    assert analysis.latency.gpu_compute.mean_ms > 0
    assert analysis.latency.layer_sum_ms > 0
    assert analysis.stability.queries >= 12
    assert analysis.memory.activations_bytes > 0
    assert analysis.roofline.gpu is not None
    assert analysis.bindings
    charts = set(report_charts(analysis))
    assert {"by-layer", "by-type", "queries", "distribution", "samples", "live-memory"} <= charts
    page = render_html(analysis, engine.sources, HtmlOptions(interactive_charts=False)).decode()
    # A capture of the collector has no accuracy files, whose rules are skipped.
    assert not re.findall(r"This capture has no|Run trtexec with|No file states (?!the accuracy)", page)
    # What the double's model lacks by design: no layer of it is degraded by the capture.
    assert not {"no-profile", "no-timing", "no-setup", "file-left-out"} & {note.slug for note in engine.notes}


def test_layers_have_their_times_in_every_iteration(plain):
    engine = read_engine(plain.folder)
    timed = [layer for layer in engine.layers if layer.time]
    assert len(timed) > 90
    assert {len(layer.time.samples_ms) for layer in timed} == {engine.profiled_iterations}
    for layer in timed:
        assert layer.time.avg_ms == pytest.approx(statistics.fmean(layer.time.samples_ms), abs=2e-6)
        assert layer.time.median_ms == pytest.approx(statistics.median(layer.time.samples_ms), abs=2e-6)


def test_the_total_layer_time_fits_the_query_time(api):
    api.collect("8.6.1")
    analysis = analyze(read_engine(api.folder))
    assert analysis.latency.layer_sum_ms == pytest.approx(analysis.latency.gpu_compute.mean_ms, rel=0.05)


def test_query_times_agree_with_the_summary_of_the_log(api):
    api.collect("10.0.1", "--percentile=50,99")
    engine = read_engine(api.folder)
    compute = engine.queries.compute_ms
    stated = engine.measurement.summary["GPU Compute Time"]
    assert stated.mean_ms == pytest.approx(statistics.fmean(compute), rel=1e-4)
    assert stated.median_ms == pytest.approx(statistics.median(compute), rel=1e-4)
    assert stated.max_ms == pytest.approx(max(compute), rel=1e-4)
    assert set(stated.percentiles) == {50.0, 99.0}
    assert engine.measurement.throughput_qps == pytest.approx(
        len(compute) / engine.measurement.walltime_s, rel=1e-4
    )


def test_transfers_are_measured_where_they_are_wanted(api):
    api.collect("11.4.0", "--includeDataTransfers", "--shapes=images:2x3x640x640")
    queries = read_engine(api.folder).queries
    assert min(queries.h2d_ms) > 0 < min(queries.d2h_ms)
    for latency, h2d, compute, d2h in zip(
        queries.latency_ms, queries.h2d_ms, queries.compute_ms, queries.d2h_ms, strict=True
    ):
        assert latency == pytest.approx(h2d + compute + d2h, abs=4e-6)


def test_without_them_there_are_none(plain):
    queries = read_engine(plain.folder).queries
    assert set(queries.h2d_ms) == set(queries.d2h_ms) == {0.0}
    assert queries.latency_ms == queries.compute_ms


def test_a_build_shows_its_progress(plain):
    fractions = [
        each[1] for each in plain.progress.messages if isinstance(each, tuple) and each[1] is not None
    ]
    assert fractions
    assert all(0 <= each <= 1 for each in fractions)
    assert plain.progress.messages[0] == "build"
    assert "timing done" in plain.progress.messages


def test_precisions_of_the_version_are_used_and_named(api):
    api.collect("10.16.0", "--fp16", "--bf16")
    assert analyze(read_engine(api.folder)).identity.precisions == "FP32+FP16+BF16"


def test_tensorrt_11_explains_precisions_before_anything_runs(api):
    with pytest.raises(UsageError, match="strongly typed"):
        api.collect("11.4.0", "--fp16")
    assert not api.path("").exists()


def test_a_model_without_quantization_gets_made_up_ranges_and_says_so(api):
    journal = api.collect("8.6.1", "--int8", fault="float")
    assert any("ranges are made up" in warning for warning in journal.runs[0].warnings)
    journal = api.collect("8.6.1", "--int8", force=True)
    assert journal.runs[0].warnings == []


def test_the_timing_cache_is_kept_and_used_again(api):
    api.collect("10.16.0")
    cache = api.folder / "timing.cache"
    assert cache.read_bytes() == b"measured "
    api.collect("10.16.0", force=True)
    assert cache.read_bytes() == b"measured measured "
    assert "Loaded 9 bytes of timing cache" in api.text(".build.log")


def test_a_timing_cache_of_another_tensorrt_is_replaced(api):
    api.folder.mkdir()
    (api.folder / "timing.cache").write_bytes(b"foreign")
    journal = api.collect("10.16.0")
    assert (api.folder / "timing.cache").read_bytes() == b"measured "
    assert any("a new one is begun" in warning for warning in journal.runs[0].warnings)


def test_an_engine_is_measured_as_it_is(api):
    api.collect("10.16.0")
    engine = api.path("")
    engine.rename(api.folder.parent / "kept.engine")
    api.folder = api.folder.parent / "second"
    journal = api.collect("10.16.0", source=api.folder.parent / "kept.engine")
    assert [run.command.title for run in journal.runs] == ["profile", "timing"]
    assert (api.folder / "kept.engine.samples.json").is_file()


def test_where_no_graph_can_be_captured_queries_are_launched_one_by_one(api):
    journal = api.collect("10.16.0", fault="capture")
    timing = journal.runs[-1]
    assert any(warning.startswith("CUDA graph capture failed") for warning in timing.warnings)
    assert len(api.json(".timing.json")) >= 12


def test_an_engine_without_detailed_verbosity_is_named(api):
    journal = api.collect("10.16.0", "--profilingVerbosity=layer_names_only")
    assert any("few details" in warning for warning in journal.runs[1].warnings)
    assert read_engine(api.folder).names_only


def test_flags_that_only_trtexec_knows_are_refused_before_anything_runs(api):
    with pytest.raises(UsageError, match=r"does not know --dumpRefit.*--backend trtexec"):
        api.collect("10.16.0", "--dumpRefit")
    assert not list(api.folder.glob("*.log"))


def test_inputs_may_come_from_files(api):
    data = api.folder.parent / "ids.bin"
    data.write_bytes(bytes(512 * 8))
    api.collect("10.16.0", f"--loadInputs=input_ids:{data}")
    assert f"Using values loaded from {data} for input input_ids" in api.text(".timing.log")


def test_both_optimization_profiles_are_built_and_the_second_can_be_measured(api):
    flags = [
        f"--{which}Shapes=images:{size}x3x640x640"
        for profile in ((1, 4, 8), (1, 1, 2))
        for which, size in zip(("min", "opt", "max"), profile, strict=True)
    ]
    api.collect("11.4.0", "--profile=0", *flags[:3], "--profile=1", *flags[3:], "--useProfile=1")
    log = api.text(".profile.log")
    assert "Model input images (profile 1): min=1x3x640x640, opt=1x3x640x640, max=2x3x640x640" in log
    assert "Optimization Profile Index: 1" in log


def test_the_manifest_names_the_program_and_its_files(plain):
    manifest = plain.json(".capture.json")
    assert manifest["complete"] is True
    text = json.dumps(manifest)
    assert "trexreport.collector.tensorrt_api" in text
    assert "samples.json" in text


def test_a_file_of_the_users_is_not_taken_for_tensorrt(api, monkeypatch):
    monkeypatch.chdir(api.folder.parent)
    (api.folder.parent / "tensorrt.py").write_text("raise SystemExit('the wrong one')")
    assert api.collect("10.16.0").versions["tensorrt"] == "10.16.0"
