"""Runs of several engines in one log are not mixed: those of one engine are read."""

from __future__ import annotations

import json

import pytest

from samples.generator.build_log import one_line_layers, timed_layer, verbose_layers
from trexreport.errors import InputError
from trexreport.reader import locate, read_engine
from trexreport.reader.log_engines import runs_of_one_engine
from trexreport.reader.log_sources import with_log_run

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


def _measured(options, qps, lines=(), **changes):
    summary = (f"{STAMP}=== Performance summary ===", f"{STAMP}Throughput: {qps} qps", *lines)
    return _run(options, *summary, **changes)


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
        "all.log has runs of 2 engines (a.plan: run 1; b.plan: runs 2, 3); those of b.plan are shown."
    )
    assert note.severity == "degraded"


def test_of_two_measured_engines_the_last_complete_one_is_read():
    first, second = (_measured(f"--loadEngine={name}.plan", 5) for name in "ab")
    assert _kept(first + second)[0] == second
    cut = second[: second.index("&&&& PASSED")]
    assert _kept(first + cut)[0] == first
    assert _kept(cut)[0] == cut


def test_of_several_runs_of_one_engine_the_last_complete_one_is_read(tmp_path):
    build = _built("--onnx=a.onnx --saveEngine=a.plan", "a")
    runs = [_measured("--loadEngine=a.plan", qps) for qps in (5, 6, 7)]
    log = build + "".join(runs)
    data, (note,) = _kept(log)
    assert data == build + runs[2]
    assert note.message == "all.log has 3 measured runs of one engine; run 4 is shown."
    assert note.severity == "info"
    (tmp_path / "all.log").write_text(log[: log.rindex("&&&& PASSED")])
    engine = read_engine(tmp_path / "all.log")
    unfinished = "all.log ends before run 4 does: the last complete run is shown."
    assert unfinished in [note.message for note in engine.notes]
    assert engine.measurement.throughput_qps == 6
    assert [layer.name for layer in engine.layers] == ["a"]


def test_a_part_that_a_log_quotes_and_that_is_not_shown_is_a_warning():
    run = _measured("--onnx=a.onnx --fp16", 5)
    quoted = _measured("--onnx=a.onnx", 4).split("\n", 1)[1].partition("&&&& PASSED")[0]
    data, (note,) = _kept(f"{run}With FP32 it was slower:\n{quoted}")
    assert data == run
    assert note.message == "all.log has 2 measured runs; run 1 is shown."
    assert note.severity == "degraded"


def test_the_run_that_wrote_the_times_beside_the_log_is_read():
    runs = [_measured(f"--loadEngine=a.plan --exportTimes={name}.json", 5) for name in "abc"]
    assert _kept("".join(runs), {"b.json"})[0] == runs[1]


def test_a_build_that_was_repeated_gives_its_own_layers_and_tactics(tmp_path):
    command = "--onnx=a.onnx --saveEngine=a.plan"
    log = _built(command, "first") + _built(command, "second") + _measured("--loadEngine=a.plan", 5)
    (tmp_path / "all.log").write_text(log)
    engine = read_engine(tmp_path / "all.log")
    assert [layer.name for layer in engine.layers] == ["second"]
    assert [layer.name for layer in engine.tactics.layers] == ["second"]
    assert "all.log has 3 runs of one engine; run 2 is shown." in [note.message for note in engine.notes]


def test_a_profile_that_slows_queries_down_is_not_the_measurement_that_is_read():
    plain, profiled = (_measured(f"--loadEngine=a.plan{flag}", 5) for flag in ("", " --dumpProfile"))
    assert _kept(plain + profiled)[0] == plain


def test_the_runs_that_time_and_list_layers_are_kept_beside_the_measurement():
    table = _run("--loadEngine=a.plan --dumpProfile", f"{STAMP}=== Profile (10 iterations ) ===")
    layers = _run("--loadEngine=a.plan --dumpLayerInfo", *one_line_layers(_graph("a")))
    earlier, last = (_measured("--loadEngine=a.plan", qps) for qps in (5, 6))
    assert _kept(table + layers + earlier + last)[0] == table + layers + last


def test_what_a_program_built_between_two_runs_is_of_the_second(tmp_path):
    def built(layer):
        return "\n".join([*verbose_layers(_graph(layer), "8.6"), ""])

    runs = [
        built(name) + _measured("--loadEngine=a.plan", qps) for name, qps in (("a", 5), ("b", 6), ("c", 7))
    ]
    (tmp_path / "all.log").write_text("".join(runs))
    for number, layer in ((None, "c"), (1, "a"), (2, "b"), (3, "c")):
        engine = read_engine(tmp_path / "all.log", log_run=number)
        assert [each.name for each in engine.layers] == [layer], number


def test_what_failed_in_the_end_is_not_left_out():
    build = _built("--onnx=a.onnx --saveEngine=a.plan", "a")
    failed = _run("--loadEngine=a.plan", "[E] out of memory", state="FAILED")
    assert _kept(build + failed) == (build + failed, [])
    assert _kept(failed + build)[0] == build


@pytest.mark.parametrize(("number", "qps"), [(1, 5), (2, 6), (4, 7)])
def test_a_run_is_chosen_by_its_number(tmp_path, number, qps):
    build = _built("--onnx=b.onnx --saveEngine=b.plan", "b")
    first, second = (_measured("--loadEngine=a.plan", qps) for qps in (5, 6))
    (tmp_path / "all.log").write_text(first + second + build + _measured("--loadEngine=b.plan", 7))
    engine = read_engine(tmp_path / "all.log", log_run=number)
    assert engine.measurement.throughput_qps == qps
    assert [layer.name for layer in engine.layers] == (["b"] if number == 4 else [])
    # The file in a report is cut, so that reading it again shows the same.
    (source,) = engine.sources
    (tmp_path / "again.log").write_bytes(source.data)
    assert read_engine(tmp_path / "again.log").measurement.throughput_qps == qps


def test_the_choice_of_a_run_is_noted_and_names_nothing(tmp_path):
    log = "".join(_measured(f"--loadEngine={name}.plan", 5) for name in ("secret", "other"))
    (tmp_path / "secret.log").write_text(log)
    capture = with_log_run(locate([tmp_path / "secret.log"], None), 1)
    (note,) = [note for note in capture.notes if note.slug == "log-run"]
    assert note.message == "Of a log with 2 runs, run 1 is shown, as asked for."
    assert not any("secret" in f"{each.message}{each.source}" for each in capture.notes)


@pytest.mark.parametrize(
    ("runs", "number", "stated"), [(2, 3, "has 2 runs"), (1, 2, "no log with several runs")]
)
def test_a_run_that_is_not_in_the_log_is_an_error(tmp_path, runs, number, stated):
    log = "".join(_measured("--loadEngine=a.plan", qps) for qps in range(runs))
    (tmp_path / "all.log").write_text(log)
    with pytest.raises(InputError, match=stated):
        read_engine(tmp_path / "all.log", log_run=number)


def test_the_times_of_the_last_run_do_not_contradict_the_log(tmp_path):
    """A file that two runs wrote in turn has the last one, and so has what the log shows."""
    for name, ms in (("a", 2.0), ("b", 20.0)):
        queries = [
            {
                "startComputeMs": 0.0,
                "endComputeMs": ms,
                "computeMs": ms,
                "h2dMs": 0.0,
                "d2hMs": 0.0,
                "latencyMs": ms,
            }
        ] * 200
        (tmp_path / "x.timing.json").write_text(json.dumps(queries))
        text = f"min = {ms} ms, max = {ms} ms, mean = {ms} ms, median = {ms} ms, percentile(99%) = {ms} ms"
        run = _measured(
            f"--loadEngine={name}.plan --exportTimes=x.timing.json",
            1000 / ms,
            lines=[f"{STAMP}GPU Compute Time: {text}"],
        )
        with (tmp_path / "x.timing.log").open("a") as file:
            file.write(run)
    engine = read_engine(tmp_path)
    assert engine.measurement.throughput_qps == 50
    assert not [note for note in engine.notes if note.slug.startswith("contradiction")]


def test_one_model_in_two_precisions_is_two_engines():
    first = _built("--onnx=a.onnx --fp16", "a", state="FAILED")
    second = _measured("--onnx=a.onnx --int8", 5)
    data, (note,) = _kept(first + second)
    assert data == second
    assert "(a.onnx --fp16: run 1; a.onnx --int8: run 2)" in note.message


def test_one_model_built_by_two_versions_is_two_engines():
    logs = [
        _built("--onnx=a.onnx", layer, version=version)
        for layer, version in (("a", "v8601"), ("b", "v101600"))
    ]
    assert _kept("".join(logs))[0] == logs[1]


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
    assert _kept(first + second)[0] == second
    assert _kept(first + second.replace("PASSED", "FAILED"))[0] == first


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


def test_a_summary_that_is_quoted_behind_a_run_is_one_to_choose(tmp_path):
    quoted = f"On another machine:\n{STAMP}=== Performance summary ===\n{STAMP}Throughput: {{}} qps\n"
    log = _measured("--onnx=a.onnx", 10) + quoted.format(20) + quoted.format(30)
    path = tmp_path / "a.log"
    path.write_text(log)
    engine = read_engine(path)
    assert engine.measurement.throughput_qps == 10
    assert "log-unfinished" not in {note.slug for note in engine.notes}
    for number, qps in enumerate((10, 20, 30), 1):
        data, _ = runs_of_one_engine(log.encode(), "all.log", (), number)
        assert data.count(b"Throughput") == 1
        assert f"Throughput: {qps} qps" in data.decode()
    with pytest.raises(InputError):
        runs_of_one_engine(log.encode(), "all.log", (), 4)


@pytest.mark.parametrize(("times", "count"), [((3.0, 3.9), 2), ((3.0, 3.1), 0)])
def test_two_runs_of_one_engine_with_different_times_are_two_measurements(tmp_path, times, count):
    line = STAMP + "GPU Compute Time: min = {0} ms, max = {0} ms, mean = {0} ms, median = {0} ms"
    runs = [_measured("--loadEngine=a.plan", round(1000 / ms), [line.format(ms)]) for ms in times]
    (tmp_path / "a.log").write_text("".join(runs))
    engine = read_engine(tmp_path / "a.log")
    assert [log.compute_ms for log in engine.logs] == list(times)[:count]
