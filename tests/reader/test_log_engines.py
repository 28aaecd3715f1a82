"""Runs of several engines in one log are not mixed: those of one engine are read."""

from __future__ import annotations

import pytest

from samples.generator.build_log import one_line_layers, timed_layer, verbose_layers
from trexreport.reader import read_engine
from trexreport.reader.log_engines import runs_of_one_engine

STAMP = "[11/20/2026-10:00:05] [I] "
FORMATS = {"Half(64,1:8,8,1) -> Half(64,1:8,8,1)": [("sm80_a", "0x0a", 0.02), ("sm80_b", "0x0b", 0.03)]}


def _graph(name):
    tensor = {"Dimensions": [1, 8, 8, 8], "Format/Datatype": "Half"}
    kind = {"Name": name, "LayerType": "CaskConvolution"}
    ends = {"Inputs": [{"Name": "x", **tensor}], "Outputs": [{"Name": "y", **tensor}]}
    return {"Layers": [{**kind, **ends, "TacticValue": "0x0a"}], "Bindings": ["x", "y"]}


def _run(options, *lines, version="v8601", state="PASSED"):
    banner = f"TensorRT.trtexec [TensorRT {version}] # trtexec {options}"
    return "\n".join([f"&&&& RUNNING {banner}", *lines, f"&&&& {state} {banner}", ""])


def _built(options, layer, **changes):
    timed = timed_layer(layer, "CaskConvolution", FORMATS, "8.6")
    return _run(options, *timed, *verbose_layers(_graph(layer), "8.6"), **changes)


def _measured(options, qps, **changes):
    return _run(options, f"{STAMP}=== Performance summary ===", f"{STAMP}Throughput: {qps} qps", **changes)


def _kept(log, beside=()):
    data, notes = runs_of_one_engine(log.encode(), "all.log", beside)
    return data.decode(), notes


def test_build_and_run_of_one_engine_stay_as_they_are():
    log = _built("--onnx=a.onnx --saveEngine=out/a.plan", "a") + _measured("--loadEngine=a.plan", 5)
    assert _kept(log) == (log, [])


def test_of_two_engines_the_measured_one_is_read(tmp_path):
    first = _built("--onnx=a.onnx --saveEngine=a.plan", "a")
    second = _built("--onnx=b.onnx --saveEngine=b.plan", "b") + _measured("--loadEngine=b.plan", 7)
    (tmp_path / "all.log").write_text(first + second)
    engine = read_engine(tmp_path / "all.log")
    assert [layer.name for layer in engine.layers] == ["b"]
    assert [layer.name for layer in engine.tactics.layers] == ["b"]
    assert engine.measurement.throughput_qps == 7
    assert engine.setup.commands == (
        "trtexec --onnx=b.onnx --saveEngine=b.plan",
        "trtexec --loadEngine=b.plan",
    )
    (note,) = [note for note in engine.notes if note.slug == "log-several-engines"]
    assert note.message == (
        "all.log has runs of 2 engines (a.plan TensorRT 8.6.1, b.plan TensorRT 8.6.1); "
        "those of b.plan TensorRT 8.6.1 are shown."
    )
    assert note.severity == "degraded"


def test_of_two_measured_engines_the_first_is_read():
    first, second = (_measured(f"--loadEngine={name}.plan", 5) for name in "ab")
    assert _kept(first + second)[0] == first


def test_one_model_in_two_precisions_is_two_engines():
    first = _built("--onnx=a.onnx --fp16", "a", state="FAILED")
    second = _measured("--onnx=a.onnx --int8", 5)
    data, (note,) = _kept(first + second)
    assert data == second
    assert "(a.onnx --fp16 TensorRT 8.6.1, a.onnx --int8 TensorRT 8.6.1)" in note.message


def test_one_model_built_by_two_versions_is_two_engines():
    logs = [
        _built("--onnx=a.onnx", layer, version=version)
        for layer, version in (("a", "v8601"), ("b", "v101600"))
    ]
    assert _kept("".join(logs))[0] == logs[0]


def test_a_file_that_is_saved_twice_is_of_the_last_build_before_it_is_loaded():
    first, second = (
        _built(f"--onnx=a.onnx --saveEngine=a.plan {flag}", "a") for flag in ("--fp16", "--int8")
    )
    loaded = _measured("--loadEngine=a.plan", 5)
    assert _kept(first + second + loaded)[0] == second + loaded


def test_an_engine_without_a_known_file_is_loaded_under_the_name_of_its_model():
    log = _built("--onnx=net.onnx", "a") + _measured("--loadEngine=/tmp/net_fp16.plan", 5)
    assert _kept(log) == (log, [])


def test_the_engine_that_wrote_the_files_beside_the_log_is_read():
    first = _measured("--loadEngine=a.plan", 5)
    second = _measured("--loadEngine=b.plan --exportLayerInfo=/x/b.graph.json", 6)
    assert _kept(first + second, {"b.graph.json"})[0] == second


def test_a_run_without_its_first_line_is_a_run():
    first = _measured("--loadEngine=a.plan", 5).split("\n", 1)[1]
    second = _measured("--loadEngine=b.plan", 6)
    assert _kept(first + second)[0] == first


def test_text_before_the_first_run_is_kept_with_it():
    log = "$ make\n" + _measured("--loadEngine=a.plan", 5)
    assert _kept(log) == (log, [])


def test_runs_without_commands_stay_together():
    log = "".join(f"&&&& RUNNING TensorRT.trtexec\n{STAMP}Throughput: {qps} qps\n" for qps in (5, 6))
    assert _kept(log) == (log, [])


def test_a_run_that_is_there_twice_is_read_once(tmp_path):
    run = _run("--onnx=a.onnx", *one_line_layers(_graph("a")))
    (tmp_path / "all.log").write_text(run + run)
    engine = read_engine(tmp_path / "all.log")
    assert [layer.name for layer in engine.layers] == ["a"]
    messages = [note.message for note in engine.notes]
    assert "all.log has 1 run twice; each was read once." in messages
    assert not any("engines" in message for message in messages)


@pytest.mark.parametrize("log", ["", "no run\n", "&&&& RUNNING TensorRT", "&&&& RUNNING TensorRT" * 5])
def test_other_text_stays_as_it_is(log):
    assert _kept(log) == (log, [])
