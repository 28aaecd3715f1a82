"""Each figure of a whole engine: limits on both sides of its value, and unknown values."""

from __future__ import annotations

import dataclasses
import json
import math
from pathlib import Path

import pytest
from budget_engines import AFTER, BEFORE, SAMPLES, budget_of, checked, outcome, outcomes

from trexreport.analyzer import analyze
from trexreport.analyzer.budget.check import check_budget
from trexreport.analyzer.budget.figures import FIGURES
from trexreport.analyzer.comparison.compare_engines import figures_of
from trexreport.reader import read_engine
from trexreport.wording.budget import limit_reason

#: The samples state neither their size nor, by themselves, their accuracy.
KNOWN = [
    key for key in FIGURES if key not in ("engine-size-mib", "output-error-percent", "error-increase-percent")
]


@pytest.mark.parametrize("sample", [BEFORE, AFTER], ids=["before", "after"])
@pytest.mark.parametrize("key", KNOWN)
def test_each_limit_on_both_sides_of_its_bound(key, sample):
    bound = FIGURES[key].bound
    value = outcome(f"{key} = {{ {bound} = 0 }}", sample).value
    worse = -math.inf if bound == "max" else math.inf
    assert outcome(f"{key} = {value!r}", sample).state == "held"
    if value:
        tighter = math.nextafter(value, worse)
        assert outcome(f"{key} = {tighter!r}", sample).state == "broken"


def test_the_figures_are_those_of_a_comparison():
    engine, analysis = checked(BEFORE)
    figures = figures_of(engine, analysis)
    found = outcomes("\n".join(f"{key} = 0" for key in KNOWN), BEFORE)
    values = {key: each.value for key, each in found.items()}
    assert values["latency-ms"] == figures.latency_ms
    assert values["latency-p99-ms"] == figures.latency_p99_ms
    assert values["compute-ms"] == figures.compute_ms
    assert values["compute-p99-ms"] == figures.compute_p99_ms
    assert values["throughput-qps"] == figures.throughput_qps
    assert values["layer-sum-ms"] == pytest.approx(figures.layer_sum_ms)
    assert values["weights-mib"] * 2**20 == figures.weights_bytes
    assert values["peak-activations-mib"] * 2**20 == figures.peak_live_bytes
    assert (values["layers"], values["reformats"]) == (figures.layers, figures.reformats)
    share = 100 * figures.reformat_ms / figures.layer_sum_ms
    assert values["reformat-share-percent"] == pytest.approx(share)


def layers_in(precision, *records):
    """Return layers of the same kind that read a precision, after a reformat from it to FP16."""
    form = {"FP32": "Row major linear FP32", "FP16": "Row major linear FP16 format", "": ""}[precision]
    return [
        {
            "Name": name,
            "LayerType": kind,
            "Inputs": [{"Name": f"{name} in", "Dimensions": [1, 8], "Format/Datatype": form}],
            "Outputs": [{"Name": f"{name} out", "Dimensions": [1, 8], "Format/Datatype": form}],
        }
        for name, kind in records
    ]


def capture_of(capture, layers, times=None, **files):
    if times:
        rows = [
            {"name": layer["Name"], "averageMs": time}
            for layer, time in zip(layers, times, strict=True)
            if time is not None
        ]
        files["profile"] = [{"count": 10}, *rows]
    engine = read_engine(capture(graph={"Layers": layers, "Bindings": []}, **files))
    return engine, analyze(engine)


def test_a_reformat_that_reads_fp32_is_no_fp32_layer(capture):
    layers = [
        *layers_in("FP32", ("reformat", "Reformat"), ("scale", "Scale")),
        *layers_in("FP16", ("conv", "Convolution")),
    ]
    engine = capture_of(capture, layers, [1.0, 2.0, 5.0])
    found = outcomes("fp32-layers = 0\nfp32-share-percent = 20\nreformats = 0", engine)
    assert (found["fp32-layers"].value, found["fp32-layers"].layers) == (1, ["scale"])
    assert found["fp32-share-percent"].value == pytest.approx(25)
    assert (found["reformats"].value, found["reformats"].layers) == (1, ["reformat"])


def test_a_precision_that_is_not_stated_is_not_taken_for_another(capture):
    layers = [*layers_in("", ("a", "kgen")), *layers_in("FP32", ("b", "kgen"))]
    engine = capture_of(capture, layers, [1.0, 1.0])
    found = outcome("fp32-layers = 1", engine)
    assert (found.state, found.value, found.at_least) == ("unknown", 1, True)
    assert limit_reason(found) == "The precision of 1 layer is not stated."
    assert outcome("fp32-layers = 0", engine).state == "broken"


def test_what_the_profile_leaves_out_makes_a_sum_a_lower_bound_and_a_share_unknown(capture):
    engine = capture_of(capture, layers_in("FP32", ("a", "Scale"), ("b", "Scale")), [2.0, None])
    found = outcomes("layer-sum-ms = 3\nfp32-share-percent = 100", engine)
    assert {each.state for each in found.values()} == {"unknown"}
    assert found["layer-sum-ms"].value == 2
    assert found["fp32-share-percent"].value is None
    assert limit_reason(found["layer-sum-ms"]) == "The profile lacks 1 layer."
    assert outcome("layer-sum-ms = 1.9", engine).state == "broken"


@pytest.mark.parametrize(
    ("key", "reason"),
    [
        ("latency-ms", "No file states it; trtexec --exportTimes or the log of trtexec does."),
        ("latency-p99-ms", "No file states it; trtexec --exportTimes or the log of trtexec does."),
        ("compute-ms", "No file states it; trtexec --exportTimes or the log of trtexec does."),
        ("throughput-qps", "No file states it; the log of trtexec does."),
        ("layer-sum-ms", "The layers were not measured; trtexec --exportProfile does that."),
        ("reformat-share-percent", "The layers were not measured; trtexec --exportProfile does that."),
        ("fp32-share-percent", "The layers were not measured; trtexec --exportProfile does that."),
        ("output-error-percent", "No file states it; `--accuracy` gives one."),
        ("error-increase-percent", "No file states it; `--accuracy` gives one."),
        (
            "engine-size-mib",
            "No file states it; the log of the build or of a run does, or `trexreport collect`.",
        ),
    ],
)
@pytest.mark.parametrize(("unknown", "severity"), [("off", ""), ("warn", "warn"), ("error", "error")])
def test_a_missing_file_does_not_let_a_limit_pass(capture, key, reason, unknown, severity):
    engine = capture_of(capture, layers_in("FP32", ("a", "Scale")))
    bound = FIGURES[key].bound
    found = outcome(f'{key} = {{ {bound} = 100, unknown = "{unknown}" }}', engine)
    assert (found.state, found.severity, found.value, limit_reason(found)) == (
        "unknown",
        severity,
        None,
        reason,
    )


@pytest.mark.parametrize(
    "key",
    [
        "weights-mib",
        "peak-activations-mib",
        "reformats",
        "reformat-share-percent",
        "fp32-layers",
        "fp32-share-percent",
    ],
)
def test_names_alone_show_no_layer_types(capture, key):
    engine = read_engine(capture(graph={"Layers": ["conv1", "reformat"]}))
    found = outcome(f"{key} = 0", (engine, analyze(engine)))
    assert (found.state, found.value) == ("unknown", None)
    assert limit_reason(found).startswith("The layer information has names only")


def test_a_percentile_that_trtexec_left_out_is_not_known():
    engine, analysis = checked(BEFORE)
    whole = dataclasses.replace(analysis.latency.end_to_end, percentiles={"90": 1.0})
    latency = dataclasses.replace(analysis.latency, end_to_end=whole)
    found = outcome("latency-p99-ms = 99", (engine, dataclasses.replace(analysis, latency=latency)))
    assert (found.state, limit_reason(found)[:29]) == ("unknown", "trtexec's figures leave this ")


@pytest.mark.parametrize(
    ("stated", "value", "remark"),
    [
        ({"Engine size": "25.5 MiB", "Loaded engine size": "26 MiB"}, 25.5, ""),
        (
            {"Engine size": "0 MiB", "Loaded engine size": "26 MiB"},
            26,
            "The log of a run states it in whole MiB.",
        ),
        ({"Engine size": "1.2.3 MiB"}, None, "No file states it"),
        ({"Engine size": "many MiB"}, None, "No file states it"),
    ],
)
def test_the_engine_size_is_what_a_log_says(stated, value, remark):
    engine, analysis = checked(BEFORE)
    memory = dataclasses.replace(analysis.memory, stated=stated)
    found = outcome("engine-size-mib = 1", (engine, dataclasses.replace(analysis, memory=memory)))
    assert found.value == value
    assert limit_reason(found).startswith(remark)


def test_the_engine_size_is_read_from_the_build_log(capture):
    log = "[I] Created engine with size: 12.5 MiB\n&&&& RUNNING TensorRT.trtexec # trtexec\n"
    engine = capture_of(capture, layers_in("FP32", ("a", "Scale")), log=log)
    assert outcome("engine-size-mib = 12.5", engine).state == "held"
    assert outcome("engine-size-mib = 12.4", engine).state == "broken"


@pytest.mark.parametrize(
    ("size_bytes", "value"), [(3 << 20, 3), (1, 2**-20), (0, None), (-1, None), ("3 MiB", None), (None, None)]
)
def test_the_engine_size_is_read_from_the_capture_manifest(capture, tmp_path, size_bytes, value):
    manifest = {"schema": "trexreport-capture", "schema_version": 1, "engine": {"size_bytes": size_bytes}}
    (tmp_path / "x.capture.json").write_text(json.dumps(manifest))
    engine = capture_of(capture, layers_in("FP32", ("a", "Scale")))
    assert outcome("engine-size-mib = 3", engine).value == value


def test_kernels_of_myelin_make_the_weights_a_lower_bound(tmp_path):
    source = SAMPLES / "transformer-trt10-myelin" / "transformer-trt10-myelin.engine.graph.json"
    graph = json.loads(source.read_text())
    first, second, *_ = (layer for layer in graph["Layers"] if layer["LayerType"] == "gemm")
    del first["Constants"], second["Constants"]
    sample = tmp_path / "x.graph.json"
    sample.write_text(json.dumps(graph))
    found = outcome("weights-mib = 1000", sample)
    assert (found.state, found.at_least) == ("unknown", True)
    assert "2 layers may own weights" in limit_reason(found)
    assert outcome("weights-mib = 700", sample).state == "broken"


def test_tensors_of_unknown_size_make_the_peak_a_lower_bound():
    sample = SAMPLES / "detector-trt11"
    assert limit_reason(outcome("peak-activations-mib = 1000", sample)) == "12 tensors are of unknown size."
    assert outcome("peak-activations-mib = 30", sample).state == "broken"


def test_a_peak_without_any_tensor_is_unknown(capture):
    layer = {"Name": "a", "LayerType": "Convolution", "Inputs": [], "Outputs": []}
    engine = read_engine(capture(graph={"Layers": [layer]}))
    found = outcome("peak-activations-mib = 1000", (engine, analyze(engine)))
    assert found.state == "unknown"
    assert limit_reason(found)


def test_a_peak_of_inputs_and_outputs_alone_is_known(capture):
    sides = {
        side: [{"Name": name, "Dimensions": [1024, 1024], "Format/Datatype": "Row major linear FP32"}]
        for side, name in (("Inputs", "in"), ("Outputs", "out"))
    }
    graph = {"Layers": [{"Name": "a", "LayerType": "Scale"} | sides], "Bindings": ["in", "out"]}
    engine = read_engine(capture(graph=graph))
    found = outcome("peak-activations-mib = 1000", (engine, analyze(engine)))
    assert (found.state, limit_reason(found)) == ("held", "")


def test_several_runs_count_together():
    engine, analysis = checked(BEFORE)
    slower = dataclasses.replace(
        engine.queries, compute_ms=tuple(4 * each for each in engine.queries.compute_ms)
    )
    found = outcome("compute-ms = 1", (dataclasses.replace(engine, more_runs=(slower,)), analysis))
    single = outcome("compute-ms = 1", BEFORE)
    assert found.value == pytest.approx(2 * single.value, rel=0.05)
    assert limit_reason(found) == "Geometric mean of 2 runs."


def test_every_real_engine_can_be_checked(engines_folder):
    text = "\n".join(f"{key} = 1" for key in FIGURES)
    folders = sorted(each for each in Path(engines_folder).iterdir() if each.is_dir())
    assert folders
    for path in folders:
        found = outcomes(text, path)
        assert len(found) == len(FIGURES)
        for each in found.values():
            assert (each.value is None) <= (each.state == "unknown")
            assert each.state != "unknown" or limit_reason(each)


def engine_of_log(tmp_path, *lines):
    command = "trtexec --onnx=net.onnx"
    path = tmp_path / "build.log"
    path.write_text("\n".join([f"&&&& RUNNING TensorRT.trtexec [TensorRT v8502] # {command}", *lines, ""]))
    engine = read_engine(path)
    return engine, analyze(engine)


def judged(limits, checked_engine):
    found = check_budget(budget_of(f"[budget]\n{limits}"), checked_engine)
    return found, {each.title.key: each for each in found.outcomes}


def test_layers_that_no_file_lists_are_unknown_and_not_none(tmp_path):
    record = "[08/23/2023-08:34:51] [I] "
    lines = [f"{record}=== Performance summary ===", f"{record}Throughput: 10 qps"]
    lines += ["&&&& PASSED TensorRT.trtexec [TensorRT v8502] # trtexec --onnx=net.onnx"]
    of_layers = ["layer-sum-ms", "weights-mib", "peak-activations-mib", "layers", "reformats", "fp32-layers"]
    of_layers += ["reformat-share-percent", "fp32-share-percent"]
    limits = "\n".join(f"{key} = 0" for key in of_layers)
    _, found = judged(limits, engine_of_log(tmp_path, *lines))
    assert set(found) == set(of_layers)
    assert {each.state for each in found.values()} == {"unknown"}
    assert {limit_reason(each) for each in found.values()} == {
        "There is no layer information; trtexec --exportLayerInfo writes it."
    }


def test_a_failed_run_fails_every_budget(tmp_path):
    failed = "&&&& FAILED TensorRT.trtexec [TensorRT v8502] # trtexec --onnx=net.onnx"
    engine = engine_of_log(tmp_path, "[08/23/2023-08:34:51] [E] Engine set up failed", failed)
    check, found = judged("latency-ms = 1", engine)
    assert check.failed
    assert found["failed-runs"].state == "broken"
    assert "Engine set up failed" in limit_reason(found["failed-runs"])
    allowed, found = judged("failed-runs = 1", engine)
    assert not allowed.failed
    assert found["failed-runs"].state == "held"
