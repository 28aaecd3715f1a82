"""Repeated measurements of an engine are read as separate runs."""

from __future__ import annotations

import json
import zipfile

import pytest
from test_locate import GRAPH, LOG

from trexreport.errors import InputError
from trexreport.model import Engine, Layer, QueryTimes
from trexreport.reader import add_runs, read_engine
from trexreport.reader.roles import role_of_name, run_number, split_name


def timing(*latencies):
    return json.dumps([{"latencyMs": each, "computeMs": each / 2} for each in latencies])


@pytest.fixture
def folder(tmp_path):
    """A capture with four runs, of which the tenth was written first."""
    for name, content in {
        "x.engine.timing.10.json": timing(10),
        "x.engine.graph.json": GRAPH,
        "x.engine.timing.json": timing(1, 1.5),
        "x.engine.timing.2.json": timing(2),
        "x.engine.timing.3.json": timing(3),
        "x.engine.timing.2.log": LOG,
        "other.engine.timing.2.json": timing(7),
    }.items():
        (tmp_path / name).write_text(content)
    return tmp_path


def runs(engine):
    return [run.latency_ms for run in (engine.queries, *engine.more_runs)]


@pytest.mark.parametrize(
    ("name", "prefix", "role", "number"),
    [
        ("x.engine.timing.2.json", "x.engine", "timing-run", 2),
        ("x.engine.timing.12.log", "x.engine", "log", 12),
        ("X.TIMING.2.JSON", "X", "timing-run", 2),
        ("x.timing.json", "x", "timing", 1),
        ("x.timing.two.json", None, None, 1),
        ("x.timing.²2.json", None, None, 1),
    ],
)
def test_the_name_gives_role_and_number_of_the_run(name, prefix, role, number):
    assert split_name(name) == (prefix, role)
    assert role_of_name(name) == role
    assert run_number(name) == number


def test_numbered_files_are_runs_in_the_order_of_their_numbers(folder):
    for path in (folder, folder / "x.engine.graph.json"):
        engine = read_engine(path)
        assert runs(engine) == [(1, 1.5), (2,), (3,), (10,)]
        assert engine.queries.compute_ms == (0.5, 0.75)
        (note,) = (note for note in engine.notes if note.slug == "several-runs")
        assert "measured 4 times" in note.message


def test_an_archive_and_a_report_keep_all_runs(folder, tmp_path):
    from trexreport.api import render

    engine = read_engine(folder)
    page = tmp_path / "report.html"
    render(engine, interactive_charts=False).save(page)
    archive = tmp_path / "x.tea"
    with zipfile.ZipFile(archive, "w") as members:
        for source in engine.sources:
            members.writestr(source.name, source.data)
    assert runs(read_engine(page)) == runs(read_engine(archive)) == runs(engine)


def test_a_stated_timing_file_is_the_only_one(folder, tmp_path):
    own = tmp_path / "mine.json"
    own.write_text(timing(5))
    assert runs(read_engine(folder, files={"timing": own})) == [(5,)]


def test_a_run_without_queries_is_none(folder):
    (folder / "x.engine.timing.2.json").write_text("[]")
    (folder / "x.engine.timing.3.json").write_text("no JSON")
    engine = read_engine(folder)
    assert runs(engine) == [(1, 1.5), (10,)]
    assert {"timing-empty", "file-left-out"} <= {note.slug for note in engine.notes}


def test_the_lowest_number_is_the_first_run_where_none_is_without(folder):
    (folder / "x.engine.timing.json").unlink()
    assert runs(read_engine(folder)) == [(2,), (3,), (10,)]


def test_times_alone_are_a_run(folder):
    assert runs(read_engine(folder / "x.engine.timing.2.json")) == [(2,)]


def engine_of(*names, times=(1.0,), tactic="", name="e"):
    layers = tuple(Layer(at, each, each, tactic=tactic) for at, each in enumerate(names))
    return Engine(name, layers, queries=QueryTimes(times) if times else None)


def test_further_captures_are_runs_of_an_engine():
    engine = engine_of("a", "b", times=(1.0, 2.0))
    joined = add_runs(engine, [engine_of("a", "b", times=(3.0,)), engine_of(times=(4.0,))])
    assert runs(joined) == [(1.0, 2.0), (3.0,), (4.0,)]
    assert joined.layers == engine.layers
    assert not joined.notes
    assert joined.sittings == 3
    later = add_runs(engine_of("a", times=()), [engine])
    assert (runs(later), later.sittings) == ([(1.0, 2.0)], 1)


def test_an_engine_without_further_captures_stays_as_it_is():
    engine = Engine("a", (Layer(0, "x", "x"),))
    assert add_runs(engine, []) is engine


def test_the_times_of_a_joined_run_are_kept_as_a_source(folder, tmp_path):
    first = read_engine(folder / "x.engine.timing.json")
    joined = add_runs(first, [read_engine(folder / "x.engine.timing.2.json")])
    assert [(source.role, source.name) for source in joined.sources] == [
        ("timing", "x.engine.timing.json"),
        ("timing-run", "x.engine.timing.2.json"),
    ]


def test_another_build_gives_a_note_and_another_engine_is_refused():
    engine = engine_of("a", "b", "c", tactic="one")
    for other in (engine_of("a", "b", "c", tactic="two"), engine_of("a", "b", "d", tactic="one")):
        (note,) = add_runs(engine, [other]).notes
        assert note.slug == "run-of-another-build"
    with pytest.raises(InputError, match="not a further run of e: of its layers 1 are those of the engine"):
        add_runs(engine, [engine_of("a", "y", "z")])
    with pytest.raises(InputError, match="other holds no times of queries"):
        add_runs(engine, [engine_of("a", "b", "c", times=(), name="other")])


def log_of(options, median_ms, warm_up_ms):
    """Return the part of trtexec's log that states a command, how long it warmed up, and what it measured."""
    command = f"trtexec {options}"
    return f"""&&&& RUNNING TensorRT.trtexec [TensorRT v100300] # {command}
[11/22/2026-10:00:00] [I] === Inference Options ===
[11/22/2026-10:00:00] [I] Warmup: {warm_up_ms}ms
[11/22/2026-10:00:01] [I] === Performance summary ===
[11/22/2026-10:00:01] [I] GPU Compute Time: min = 0.5 ms, max = 9 ms, mean = 3 ms, median = {median_ms} ms
&&&& PASSED TensorRT.trtexec [TensorRT v100300] # {command}
"""


@pytest.mark.parametrize(
    ("build", "run", "median_ms"),
    [
        ("--onnx=m.onnx --saveEngine=m.plan", "--loadEngine=m.plan", 2.0),
        ("--onnx=m.onnx", "--loadEngine=m.plan --dumpProfile --separateProfileRun", 2.0),
        ("--onnx=m.onnx", "--loadEngine=m.plan --exportProfile=p.json", 1.0),
        ("--loadEngine=m.plan", "--loadEngine=m.plan --useCudaGraph", 1.0),
        ("--onnx=m.onnx", "--onnx=m.onnx --fp16", 1.0),
    ],
)
def test_of_two_logs_the_one_that_loaded_the_engine_counts(tmp_path, build, run, median_ms):
    (tmp_path / "x.build.log").write_text(log_of(build, 1.0, 200))
    (tmp_path / "x.run.log").write_text(log_of(run, 2.0, 500))
    engine = read_engine(tmp_path)
    assert engine.measurement.summary["GPU Compute Time"].median_ms == median_ms
    assert engine.setup.inference_options["Warmup"] == ("500ms" if median_ms == 2 else "200ms")
    stated = [note.message for note in engine.notes if note.slug == "measured-again"]
    assert len(stated) == (median_ms == 2)
    assert all("x.run.log and x.build.log" in message for message in stated)


@pytest.mark.parametrize("first", ["", "--exportProfile=p.json"])
def test_warnings_are_those_of_the_run_that_counts(tmp_path, first):
    for name, options in (("a.log", first), ("b.log", "" if first else "--exportProfile=p.json")):
        text = log_of(f"--loadEngine=m.plan {options}", 1.0, 200)
        warning = f"[11/22/2026-10:00:02] [W] * The time of {options or 'the run'} is unstable."
        (tmp_path / name).write_text(text.replace("&&&& PASSED", f"{warning}\n&&&& PASSED"))
    engine = read_engine(tmp_path)
    assert engine.measurement.warnings == ("The time of the run is unstable.",)
    (message,) = [note.message for note in engine.notes if note.slug == "measured-again"]
    assert message.startswith("b.log and a.log" if first else "a.log and b.log")
