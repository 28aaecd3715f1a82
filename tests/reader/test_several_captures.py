"""Files of several captures in one folder are separated; one is shown, and nothing of the others is lost."""

from __future__ import annotations

import importlib
import json

import pytest

from trexreport.analyzer import analyze
from trexreport.errors import InputError
from trexreport.model import Source
from trexreport.reader import read_engine
from trexreport.reader.file_groups import captures_in

TIME = "[11/21/2026-07:39:40] "
ROLES = {"profile": "profile", "times": "timing", "layers": "graph", "log": "log", "meta": "build-metadata"}


def files(*names, data=None):
    """Return a file of each name, whose first word is its kind."""
    return [
        Source(ROLES[name.split(".")[-2 if name.endswith(".json") else -1].split("_")[0]], name, data or b"")
        for name in names
    ]


def grouped(*names):
    return [sorted(each.name for each in group) for group in captures_in(files(*names))]


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        # A batch sweep, whose numbers are parts of each other.
        (
            [
                "profile_net_1.json",
                "profile_net_16.json",
                "times_net_16.json",
                "times_net_1.json",
                "net_1.log",
            ],
            [
                ["net_1.log", "profile_net_1.json", "times_net_1.json"],
                ["profile_net_16.json", "times_net_16.json"],
            ],
        ),
        # One engine in several runs: its layers are those of all.
        (
            ["layers.json", "profile_b1.json", "profile_b8.json", "bench_b8.log"],
            [["layers.json", "profile_b1.json"], ["bench_b8.log", "layers.json", "profile_b8.json"]],
        ),
        # One is called after what all have in common, the other after more; a third fits none.
        (
            ["layers_m.json", "layers_m_int8.json", "profile_m.json", "profile_m_int8.json", "m_fp8.log"],
            [
                ["layers_m.json", "profile_m.json"],
                ["layers_m_int8.json", "profile_m_int8.json"],
                ["m_fp8.log"],
            ],
        ),
        # Times that two captures have the words of.
        (
            ["profile_a.json", "profile_b.json", "times_a_b.json"],
            [["profile_a.json"], ["profile_b.json"], ["times_a_b.json"]],
        ),
        (["profile_a.json", "times_b.json", "c.log"], [["c.log", "profile_a.json", "times_b.json"]]),
        # Nothing distinguishes these.
        (["profile.json", "profile_trt.json"], []),
    ],
)
def test_names_show_which_files_belong_together(names, expected):
    assert grouped(*names) == expected
    assert sorted(grouped(*reversed(names))) == sorted(expected)


def run(command, ms, version="v8601"):
    times = f"min = {ms} ms, max = {ms} ms, mean = {ms} ms, median = {ms} ms, percentile(99%) = {ms} ms"
    return (
        f"&&&& RUNNING TensorRT.trtexec [TensorRT {version}] # trtexec {command}\n"
        f"{TIME}[I] === Performance summary ===\n{TIME}[I] Throughput: {1000 / ms} qps\n"
        f"{TIME}[I] Latency: {times}\n{TIME}[I] GPU Compute Time: {times}\n"
        f"&&&& PASSED TensorRT.trtexec [TensorRT {version}] # trtexec {command}\n"
    )


def profile(*times):
    rows = [{"name": f"conv{at}", "timeMs": 100 * ms, "averageMs": ms} for at, ms in enumerate(times)]
    return json.dumps([{"count": 100}, *rows])


def layers(*names):
    tensor = {"Dimensions": [1, 8], "Format/Datatype": "Row major linear FP16 format"}
    found = [
        {"Name": name, "LayerType": "Convolution", "Inputs": [{"Name": f"t{at}", **tensor}]}
        | {"Outputs": [{"Name": f"t{at + 1}", **tensor}]}
        for at, name in enumerate(names)
    ]
    return json.dumps({"Layers": found, "Bindings": ["t0", f"t{len(names)}"]})


def batch(size, prefix="x"):
    return f"--loadEngine=m.plan --shapes=x:{size}x8 --exportProfile=/tmp/{prefix}_{size}.json"


def test_a_sweep_is_read_as_captures_of_which_the_fastest_is_shown(tmp_path):
    for size, ms in ((1, 2.0), (8, 4.0), (64, 40.0)):
        (tmp_path / f"x_{size}.json").write_text(profile(ms / 2, ms / 2))
        (tmp_path / f"out{size}.txt").write_text(run(batch(size), ms))
    engine = read_engine(tmp_path)
    assert engine.name == tmp_path.name
    assert [layer.time.avg_ms for layer in engine.layers] == [2.0, 2.0]
    assert [(log.file, log.batch, log.is_shown) for log in engine.logs] == [
        ("out1.txt", 1, False),
        ("out64.txt", 64, False),
        ("out8.txt", 8, True),
    ]
    assert len(engine.sources) == 6
    assert not engine.contradictions
    (note,) = [each for each in engine.notes if each.slug == "several-captures"]
    assert note.message == (
        "There are files of 3 captures: out1.txt, out64.txt and out8.txt; that of out8.txt is shown."
    )
    # The table lists them.
    assert note.severity == "info"


def test_a_log_of_all_runs_is_divided_by_their_commands(tmp_path):
    for size in (1, 8):
        (tmp_path / f"y_{size}.json").write_text(profile(1.0 * size))
    (tmp_path / "all.log").write_text(run(batch(1, "y"), 1.5) + run(batch(8, "y"), 9.0))
    engine = read_engine(tmp_path)
    # 8 items in 9 ms are more than one in 1.5 ms.
    assert engine.measurement.throughput_qps == pytest.approx(1000 / 9)
    assert [layer.time.avg_ms for layer in engine.layers] == [8.0]
    assert sorted(log.batch for log in engine.logs) == [1, 8]


def test_what_has_layers_and_times_is_shown_and_all_are_named(tmp_path):
    (tmp_path / "a.graph.json").write_text(layers("conv0"))
    (tmp_path / "a.profile.json").write_text(profile(9.0))
    (tmp_path / "b.graph.json").write_text(layers("conv0", "conv1"))
    (tmp_path / "c.profile.json").write_text(profile(1.0))
    engine = read_engine(tmp_path)
    assert [layer.time.avg_ms for layer in engine.layers] == [9.0]
    (note,) = [each for each in engine.notes if each.slug == "several-captures"]
    assert "a.graph.json, b.graph.json and c.profile.json; that of a.graph.json is shown." in note.message
    # No table lists them.
    assert note.severity == "degraded"
    assert sorted(each.name for each in engine.other_logs) == ["b.graph.json", "c.profile.json"]


def test_findings_on_layers_of_another_capture_are_found_for_the_folder(tmp_path):
    for name, ms in (("a", 1.0), ("b", 2.0)):
        (tmp_path / f"{name}.profile.json").write_text(profile(ms))
        (tmp_path / f"{name}.log").write_text(run(f"--loadEngine={name}.plan", ms))
    region = json.dumps([{"count": 100}, {"name": "{ForeignNode[p...q]}", "timeMs": 200.0, "averageMs": 2.0}])
    (tmp_path / "b.profile.json").write_text(region)
    analysis = analyze(read_engine(tmp_path))
    assert [(each.file, each.code) for each in analysis.log_findings] == [("b.log", "TRX902")]
    (found,) = [each for each in analysis.lint.findings if each.code == "TRX825"]
    assert found.message.startswith("TRX902 in b.log: {ForeignNode[p...q]} hides the operations")


def test_query_times_without_logs_decide(tmp_path):
    for name, ms in (("a", 3.0), ("b", 2.0)):
        queries = [{"startComputeMs": 9.0 * at, "computeMs": ms, "latencyMs": ms} for at in range(30)]
        (tmp_path / f"{name}.timing.json").write_text(json.dumps(queries))
    engine = read_engine(tmp_path)
    assert {log.file: (log.compute_ms, log.is_shown) for log in engine.logs} == {
        "a.timing.json": (3.0, False),
        "b.timing.json": (2.0, True),
    }


def test_files_that_nothing_distinguishes_are_refused(tmp_path):
    (tmp_path / "profile.json").write_text(profile(1.0))
    (tmp_path / "profile_trt.json").write_text(profile(2.0))
    with pytest.raises(InputError, match=r"profile\.json and profile_trt\.json are both profile files"):
        read_engine(tmp_path)


def test_times_of_another_run_beside_an_engine_are_a_capture_of_their_own(tmp_path):
    (tmp_path / "x.engine.graph.json").write_text(layers("conv0"))
    (tmp_path / "x.engine.profile.json").write_text(profile(2.0))
    (tmp_path / "later.profile.json").write_text(profile(3.0))
    engine = read_engine(tmp_path)
    assert [layer.time.avg_ms for layer in engine.layers] == [2.0]
    assert [each.name for each in engine.other_logs] == ["later.profile.json"]


@pytest.mark.parametrize("name", ["x.graph.json", "layers.json"])
def test_folders_below_that_hold_logs_are_named(name, tmp_path):
    (tmp_path / name).write_text(layers("conv0"))
    for folder, text in (("logs", run("--loadEngine=m.plan", 1.0)), ("notes", "Read me first.")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.txt").write_text(text)
    (note,) = [each for each in read_engine(tmp_path).notes if each.slug == "folders-not-read"]
    assert note.message == "Logs or other files of captures in the folder logs were not read."


def queries(ms):
    times = {"computeMs": ms, "latencyMs": ms}
    return json.dumps([{"startComputeMs": 9.0 * at, **times} for at in range(30)])


def test_a_log_of_all_captures_names_none_of_them(tmp_path):
    built = f"{TIME}[I] Engine built in 9.5 sec.\n"
    command = "[TensorRT v8601] # trtexec --onnx=m.onnx --saveEngine=m.plan"
    (tmp_path / "build.log").write_text(
        f"&&&& RUNNING TensorRT.trtexec {command}\n{built}&&&& PASSED TensorRT.trtexec {command}\n"
    )
    for size, ms in ((1, 2.0), (8, 4.0)):
        (tmp_path / f"profile_b{size}.json").write_text(profile(ms))
        (tmp_path / f"times_b{size}.json").write_text(queries(ms))
    engine = read_engine(tmp_path)
    assert sorted(log.file for log in engine.logs) == ["profile_b1.json", "profile_b8.json"]
    assert [each.name for each in engine.other_logs] == ["profile_b1.json"]
    (note,) = [each for each in engine.notes if each.slug == "several-captures"]
    assert "profile_b1.json and profile_b8.json; that of profile_b8.json is shown." in note.message


@pytest.mark.parametrize(
    ("name", "text"), [("profile", profile(1.0)), ("layers", layers("conv0")), ("times", queries(1.0))]
)
def test_of_several_captures_one_that_is_not_cut_off_is_shown(name, text, tmp_path):
    (tmp_path / f"{name}_a.json").write_text(text[:-2])
    (tmp_path / f"{name}_b.json").write_text(text)
    engine = read_engine(tmp_path)
    (note,) = [each for each in engine.notes if each.slug == "several-captures"]
    assert f"that of {name}_b.json is shown" in note.message
    (note,) = [each for each in engine.notes if each.slug == "capture-cut-off"]
    assert note.message == f"{name}_a.json is cut off."


def test_a_file_that_ends_in_utf_16_is_whole(tmp_path):
    (tmp_path / "profile_a.json").write_text(profile(1.0) + "\r\n", encoding="utf-16")
    (tmp_path / "profile_b.json").write_text(profile(2.0))
    assert not [each for each in read_engine(tmp_path).notes if each.slug == "capture-cut-off"]


def test_names_in_the_advice_are_quoted(tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"profile of {name}.json").write_text(profile(len(name) + ord(name)))
    (note,) = [each for each in read_engine(tmp_path).notes if each.slug == "several-captures"]
    assert "trexreport compare 'profile of a.json' 'profile of b.json'." in note.hint


def test_two_files_of_a_kind_that_no_capture_has_twice_are_refused(tmp_path):
    paths = []
    for number in (1, 2):
        args = {"op_name": "Conv", "provider": "CPUExecutionProvider"}
        events = [
            {"cat": "Session", "name": "model_run", "ph": "X", "ts": 0, "dur": 900, "args": {}},
            {"cat": "Node", "name": "n_kernel_time", "ph": "X", "ts": 0, "dur": 90 * number, "args": args},
        ]
        paths.append(tmp_path / f"p{number}.json")
        paths[-1].write_text(json.dumps(events))
    with pytest.raises(InputError, match=r"p1\.json and p2\.json are both execution files"):
        read_engine(tmp_path)


def test_many_captures_are_separated_once(tmp_path, monkeypatch):
    """A folder of a thousand would take minutes, were it done for each file."""
    calls = []
    locate = importlib.import_module("trexreport.reader.locate")
    counted = locate.captures_in
    monkeypatch.setattr(locate, "captures_in", lambda sources: calls.append(1) or counted(sources))
    for number in range(9):
        (tmp_path / f"profile_{number}.json").write_text(profile(1.0 + number))
        (tmp_path / f"times_{number}.json").write_text(queries(1.0 + number))
    assert len(read_engine(tmp_path).logs) == 9
    assert calls == [1]


def test_of_very_many_files_below_the_first_folders_are_named(tmp_path):
    (tmp_path / "x.graph.json").write_text(layers("conv0"))
    for number in reversed(range(220)):
        (tmp_path / f"{number:03}").mkdir()
        (tmp_path / f"{number:03}" / "a.log").write_text(run("--loadEngine=m.plan", 1.0))
    (tmp_path / "000" / "a.log").unlink()
    # A folder that is called as a file is none.
    (tmp_path / "000" / "a.profile.json").mkdir()
    (note,) = [each for each in read_engine(tmp_path).notes if each.slug == "folders-not-read"]
    assert "in the folders 001, 002, 003" in note.message
    assert "196 more" in note.message
