"""Check what a collector leaves, when all goes well and when not, with the double of trtexec."""

from __future__ import annotations

import datetime as dt
import json
import os
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
from front_ends import ultralytics_engine

from trexreport.analyzer import analyze
from trexreport.api import render
from trexreport.collector import collect as collect_module
from trexreport.collector import process
from trexreport.collector.collect import Options, collect
from trexreport.collector.gpu import GpuOptions
from trexreport.collector.jobs import Job
from trexreport.collector.trtexec import TrtexecBackend
from trexreport.collector.versions import Version
from trexreport.errors import InputError, OutputError, ToolFailedError, UsageError
from trexreport.reader import read_engine
from trexreport.reader.roles import role_of_name
from trexreport.resources import resource_folder

pytestmark = pytest.mark.skipif(os.name != "posix", reason="trexreport collects on POSIX systems")

VERSIONS = ("8.4.3", "8.5.3", "8.6.1", "9.3.0", "10.0.1", "10.7.0", "10.13.3", "10.16.0", "11.0.0", "11.1.0")
SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "capture.schema.json").read_text())
UNWATCHED = Options(gpu=GpuOptions(watches=False))
DATA = {"m.engine", "m.engine.graph.json", "m.engine.profile.json", "m.engine.timing.json"}
LOGS = {"m.engine.build.log", "m.engine.profile.log", "m.engine.timing.log"}
TREX = {"m.engine.build.metadata.json", "m.engine.profile.metadata.json"}
MANIFEST = "m.engine.capture.json"
WHOLE = DATA | LOGS | TREX | {MANIFEST, "timing.cache"}


class Progress:
    """Keeps the messages that a user would see."""

    def __init__(self):
        self.messages = []
        self.lines = []

    def begin(self, title):
        self.messages.append(f"begin {title}")

    def advance(self, text, fraction=None):
        assert fraction is None or 0 <= fraction <= 1
        self.messages.append(text)

    def line(self, text):
        self.lines.append(text)

    def end(self, text):
        self.messages.append(f"end {text}")


@pytest.fixture
def run(double, model, tmp_path):
    """Return a function that collects into "out" with a version of the double."""

    def run(*arguments, version="10.16.0", source=model, runs=1, options=UNWATCHED, progress=None, **wishes):
        double.wish(version, **wishes)
        job = Job(str(source), str(tmp_path / "out"), arguments, runs=runs)
        backend = TrtexecBackend(double.program, Version.parse(version))
        return collect(job, backend, progress or Progress(), options)

    return run


def names(folder):
    return {path.name for path in folder.iterdir()}


def manifest(folder):
    """Return the manifest, which is as its schema says, however the collector ended."""
    found = json.loads((folder / MANIFEST).read_text())
    jsonschema.validate(found, SCHEMA)
    return found


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.mark.parametrize("version", VERSIONS)
def test_a_capture_of_each_version_is_whole(run, tmp_path, version):
    run("shapes=x:1x3x224x224", version=version)
    assert names(tmp_path / "out") == WHOLE
    written = manifest(tmp_path / "out")
    assert written["complete"] is True
    assert written["failure"] is None
    assert [each["title"] for each in written["runs"]] == ["build", "profile", "timing"]
    assert all(each["finished"] and each["exit_status"] == 0 for each in written["runs"])
    assert written["versions"]["tensorrt"] == version
    assert written["gpu"]["name"] == "NVIDIA L4"


def test_a_capture_has_the_structure_of_its_model(run, tmp_path, model):
    model.write_bytes((resource_folder("samples") / "models" / "resnet18-int8-before.onnx").read_bytes())
    run()
    written = manifest(tmp_path / "out")
    engine = read_engine(tmp_path / "out")
    assert names(tmp_path / "out") == {*WHOLE, "m.engine.onnx-structure.json"}
    assert engine.onnx.file == "m.onnx"
    assert engine.onnx.sha256 == written["source"]["sha256"]
    # It stays with the engine that was built of it, and goes with one that is of another model.
    run(source=tmp_path / "out" / "m.engine", options=replace(UNWATCHED, force=True))
    assert "m.engine.onnx-structure.json" in names(tmp_path / "out")
    model.write_text("another")
    run(options=replace(UNWATCHED, force=True))
    assert names(tmp_path / "out") == WHOLE


@pytest.mark.parametrize(
    ("version", "arguments"),
    [
        # What the samples were built with; anything else contradicts their layers.
        ("8.4.3", ["fp16", "int8", "shapes=input:32x3x224x224"]),
        ("8.6.1", ["fp16", "int8", "shapes=input:32x3x224x224"]),
        ("10.16.0", ["shapes=input_ids:1x512"]),
        ("11.1.0", ["shapes=images:4x3x640x640"]),
    ],
)
def test_a_report_of_a_capture_has_data_in_every_part(run, tmp_path, version, arguments):
    run(*arguments, version=version)
    engine = read_engine(tmp_path / "out")
    assert engine.contradictions == ()
    assert [note for note in engine.notes if note.slug in {"capture-incomplete", "file-left-out"}] == []
    assert engine.setup.tensorrt_version == version
    assert engine.setup.device["Selected Device"] == "NVIDIA L4"
    assert engine.setup.build_options["Profiling verbosity"] == "2"
    assert engine.setup.inference_options["Iterations"] == "100"
    assert engine.measurement.throughput_qps > 0
    assert len(engine.queries) > 50
    assert engine.engine_metadata["Engine SHA-256"] == manifest(tmp_path / "out")["engine"]["sha256"]
    analysis = analyze(engine)
    assert analysis.latency.layer_sum_ms > 0
    assert analysis.identity.gpu == "NVIDIA L4"
    for part in ("latency", "memory", "roofline", "stability", "groups", "layers"):
        assert getattr(analysis, part, "none such"), part
    assert analysis.roofline.gpu
    # What a section without data says, and the first screen in place of a figure.
    page = render(engine, interactive_charts=False).html.decode()
    for lack in ("Run trtexec with", "no times of single queries", "<dd>–</dd>"):
        assert lack not in page


def test_the_files_are_of_the_naming_convention(run, tmp_path):
    run(runs=3)
    others = names(tmp_path / "out") - {"m.engine", "timing.cache"}
    assert {name for name in others if role_of_name(name) is None} == set()
    assert {"m.engine.timing.2.json", "m.engine.timing.3.json"} <= others
    assert read_engine(tmp_path / "out").sources


def test_trex_finds_its_own_metadata(run, tmp_path):
    run()
    build, profile = (json.loads((tmp_path / "out" / name).read_text()) for name in sorted(TREX))
    assert build["model_options"]["Format"] == "ONNX"
    assert build["build_options"]["Memory Pools"].startswith("workspace: default, dlaSRAM: default")
    assert profile["inference_options"]["CUDA Graph"] == "Enabled"
    assert profile["device_information"]["SMs"] == 58.0
    assert profile["device_information"]["Memory Bus Width"] == 192.0
    summary = profile["performance_summary"]
    assert len(summary["Latency"]) == 7
    assert summary["Latency"] == [*summary["Latency"][:4], *sorted(summary["Latency"][4:])]
    assert summary["Throughput"] > 0


def test_the_commands_are_those_of_the_plan(run, double, tmp_path):
    run("fp16", "shapes=x:1x3", version="10.3.0")
    build, profile, timing = double.command_lines()
    assert {"--fp16", "--shapes=x:1x3", "--skipInference"} <= set(build)
    assert "--separateProfileRun" in profile
    assert not any("exportProfile" in word for word in timing)
    written = manifest(tmp_path / "out")["runs"]
    assert [each["command"][len(double.program) :] for each in written] == [build, profile, timing]


def test_without_timing_runs_the_profile_run_gives_the_times(run, tmp_path):
    run(runs=0)
    assert names(tmp_path / "out") == WHOLE - {"m.engine.timing.log"}
    assert manifest(tmp_path / "out")["complete"] is True


def test_what_was_seen_of_the_gpu_is_kept(run, tmp_path, monkeypatch):
    phases = []

    class Watched:
        notes = ("Another program used the GPU.",)

        @contextmanager
        def phase(self, name):
            phases.append(name)
            yield

        def document(self):
            gpu = {"name": "NVIDIA L4", "driver": "550.54", "power_limit_w": 72.0, "index": None}
            return {"schema": "trexreport-gpu-samples", "schema_version": 1, "gpu": gpu, "samples": {}}

    monkeypatch.setattr(collect_module, "gpu_session", lambda _options: nullcontext(Watched()))
    journal = run(runs=2)
    assert phases == ["profile", "timing", "timing 2"]
    assert "Another program used the GPU." in journal.notes
    assert json.loads((tmp_path / "out" / "m.engine.gpu.json").read_text())["gpu"]["driver"] == "550.54"
    written = manifest(tmp_path / "out")
    assert written["versions"]["driver"] == "550.54"
    assert written["gpu"]["power_limit_w"] == 72.0
    assert written["missing"] == {}


def test_a_gpu_that_was_not_sampled_is_listed_as_missing(run, tmp_path):
    run()
    assert set(manifest(tmp_path / "out")["missing"]) == {"m.engine.gpu.json"}


def test_an_engine_is_measured_again_and_keeps_what_is_known_of_its_build(run, tmp_path):
    run()
    before = contents(tmp_path / "out")
    engine = tmp_path / "out" / "m.engine"
    run(source=engine, options=replace(UNWATCHED, force=True))
    after = contents(tmp_path / "out")
    for name in ("m.engine", "m.engine.build.log", "m.engine.build.metadata.json"):
        assert after[name] == before[name]
    written = manifest(tmp_path / "out")
    assert written["engine"] == written["source"]
    assert [each["title"] for each in written["runs"]] == ["profile", "timing"]


def test_the_build_of_another_engine_of_that_name_is_forgotten(run, tmp_path):
    run()
    other = tmp_path / "m.engine"
    other.write_bytes((tmp_path / "out" / "m.engine").read_bytes() + b" ")
    run(source=other, options=replace(UNWATCHED, force=True))
    assert not names(tmp_path / "out") & {"m.engine.build.log", "m.engine.build.metadata.json"}


def test_an_engine_in_the_folder_is_no_earlier_capture(run, tmp_path):
    run()
    engine = tmp_path / "out" / "m.engine"
    for path in (tmp_path / "out").iterdir():
        if path != engine:
            path.unlink()
    run(source=engine)
    assert names(tmp_path / "out") >= DATA


def test_the_manifest_has_times_and_hashes(run, tmp_path, model):
    moments = iter(dt.datetime(2026, 1, 2, 3, 4, second, tzinfo=dt.timezone.utc) for second in range(60))
    run(options=replace(UNWATCHED, clock=lambda: next(moments)))
    written = manifest(tmp_path / "out")
    assert written["started"] == "2026-01-02T03:04:00+00:00"
    assert written["ended"] == "2026-01-02T03:04:05+00:00"
    assert written["source"]["path"] == str(model)
    assert written["source"]["size_bytes"] == len("a model")
    assert written["engine"]["path"] == str(tmp_path / "out" / "m.engine")
    assert written["engine"]["size_bytes"] == (tmp_path / "out" / "m.engine").stat().st_size


def test_the_timing_cache_serves_the_next_build(run, tmp_path, double):
    run()
    (tmp_path / "out" / "timing.cache").write_bytes(b"of the first build")
    run(options=replace(UNWATCHED, force=True))
    assert "Could not read timing cache" not in (tmp_path / "out" / "m.engine.build.log").read_text()
    assert manifest(tmp_path / "out")["runs"][0]["warnings"] == []
    assert (tmp_path / "out" / "timing.cache").read_bytes() == b"timing cache"


def test_timings_of_another_gpu_give_a_note(run, tmp_path, monkeypatch):
    """trtexec takes them without a word; see ignoreMismatch in buildTimingCacheFromFile of its source."""

    def notes():
        return [note for note in manifest(tmp_path / "out")["notes"] if "timings of" in note]

    forced = replace(UNWATCHED, force=True)
    run()
    run(options=forced)
    assert notes() == []
    written = manifest(tmp_path / "out")
    written["gpu"]["name"] = "NVIDIA T4"
    (tmp_path / "out" / MANIFEST).write_text(json.dumps(written))
    run("noBuilderCache", options=forced)
    assert notes() == []
    (tmp_path / "out" / MANIFEST).write_text(json.dumps(written))
    run(options=forced)
    (note,) = notes()
    assert note.startswith("The build took timings of NVIDIA T4 and may not be the fastest on NVIDIA L4.")
    assert note.endswith("Remove timing.cache and collect again.")


def test_progress_says_what_goes_on(run):
    progress = Progress()
    run(progress=progress)
    assert [text for text in progress.messages if text.startswith(("begin", "end"))] == [
        *("begin build", "end build done", "begin profile", "end profile done"),
        *("begin timing", "end timing done"),
    ]
    assert "building the engine" in progress.messages
    assert "measuring" in progress.messages
    assert progress.lines[0].startswith("&&&& RUNNING")


def test_warnings_and_default_shapes_of_trtexec_give_a_note(run, tmp_path):
    journal = run(fails="dynamic")
    (note,) = [note for note in journal.notes if "dynamic" in note]
    assert "trtexec took 1x3x224x224 for x" in note
    assert any("Dynamic dimensions" in each for each in manifest(tmp_path / "out")["runs"][0]["warnings"])


def test_default_shapes_of_trtexec_for_a_built_engine_give_a_note(run, tmp_path):
    run(fails="dynamic")
    engine = (tmp_path / "out" / "m.engine").rename(tmp_path / "other.engine")
    assert any("none were given: trtexec took 1x3x224x224 for x" in note for note in run(source=engine).notes)
    engine.rename(tmp_path / "third.engine")
    assert not any(
        "none were given" in each for each in run("shapes=x:4x3", source=tmp_path / "third.engine").notes
    )


def test_names_that_trtexec_does_not_escape_come_through(run, tmp_path):
    run(fails="nasty")
    assert manifest(tmp_path / "out")["complete"] is True
    assert read_engine(tmp_path / "out").layers


# What goes wrong.

FAILURES = {
    "build": "could not be built",
    "onnx": "plugin .* was not found",
    "memory": "not enough memory",
    "no_gpu": "driver",
    "crash": r"crashed \(SIGSEGV\)",
    "killed": "ran out of memory",
    "empty": "is missing or empty",
}


@pytest.mark.parametrize(
    ("fails", "version"),
    [
        *((fails, "10.16.0") for fails in FAILURES),
        ("build", "8.6.1"),
        ("build", "11.1.0"),
        ("no_gpu", "8.6.1"),
    ],
)
def test_a_build_that_fails_leaves_its_log_and_no_engine(run, tmp_path, fails, version):
    with pytest.raises(ToolFailedError, match=FAILURES[fails]) as error:
        run(version=version, fails=fails, **{"in": "build"})
    assert names(tmp_path / "out") == {"m.engine.build.log", MANIFEST}
    written = manifest(tmp_path / "out")
    assert written["complete"] is False
    assert set(written["missing"]) >= DATA
    assert written["failure"] in str(error.value)
    assert error.value.details[-1] == f"The whole log: {tmp_path / 'out' / 'm.engine.build.log'}"


@pytest.mark.parametrize("fails", ["crash", "killed", "empty", "cut", "missing", "partial"])
@pytest.mark.parametrize("stage", ["profile", "timing"])
def test_a_measurement_that_fails_keeps_what_was_finished(run, tmp_path, fails, stage):
    with pytest.raises(ToolFailedError) as error:
        run(fails=fails, **{"in": stage})
    assert f"The {stage} run" in str(error.value)
    kept = {"m.engine", *(() if stage == "profile" else ("m.engine.graph.json", "m.engine.profile.json"))}
    assert names(tmp_path / "out") & DATA == kept
    written = manifest(tmp_path / "out")
    assert written["complete"] is False
    assert set(written["missing"]) & DATA == DATA - kept
    if stage == "timing":
        notes = [note.slug for note in read_engine(tmp_path / "out").notes]
        assert "capture-incomplete" in notes


def test_the_lines_of_the_log_that_show_most_come_with_the_error(run):
    with pytest.raises(ToolFailedError) as error:
        run(fails="onnx")
    assert error.value.details[0].startswith("In node 7 with name: /head/Foo")
    assert "Failed to parse onnx file" in error.value.details


def test_why_a_run_failed_comes_before_why_that_cannot_be_written_down(run, monkeypatch):
    def full(*_arguments):
        raise OutputError("The disk is full.")

    class Filling(Progress):
        def begin(self, title):
            super().begin(title)
            monkeypatch.setattr(collect_module.Workspace, "write_manifest", full)
            monkeypatch.setattr(collect_module._Collection, "_keep", lambda *_: Path("out"))

    with pytest.raises(ToolFailedError, match="The build run failed"):
        run(fails="build", progress=Filling())


def test_what_was_made_is_kept_where_it_cannot_be_moved(run, tmp_path, monkeypatch):
    run(version="8.6.1")
    earlier = contents(tmp_path / "out")

    def full(path, *arguments, **options):
        if Path(path).parent == tmp_path / "out":
            raise OutputError("The disk is full.")
        return written(path, *arguments, **options)

    written = collect_module.write_output
    monkeypatch.setattr("trexreport.collector.workspace.write_output", full)
    with pytest.raises(OutputError, match="The disk is full") as error:
        run(options=replace(UNWATCHED, force=True))
    working = tmp_path / "out" / "m.engine.incomplete"
    assert str(working) in error.value.details[0]
    assert contents(tmp_path / "out") == earlier
    assert names(working) >= WHOLE
    assert manifest(working)["complete"] is False


def test_what_was_finished_is_kept_where_it_cannot_be_moved(run, tmp_path, monkeypatch):
    def full(*_arguments, **_options):
        raise OutputError("The disk is full.")

    monkeypatch.setattr(collect_module.Workspace, "keep", full)
    with pytest.raises(ToolFailedError, match="The timing run failed") as error:
        run(**{"fails": "crash", "in": "timing"})
    working = tmp_path / "out" / "m.engine.incomplete"
    assert str(working) in error.value.details[-1]
    assert (working / "m.engine").exists()
    assert manifest(working)["complete"] is False


def test_an_engine_of_another_version(run, tmp_path):
    run(version="10.13.3")
    with pytest.raises(
        ToolFailedError, match=r"The engine is of TensorRT 10\.13\.3\.0, and this trtexec is of 10\.16"
    ):
        run(source=tmp_path / "out" / "m.engine", options=replace(UNWATCHED, force=True))


def test_a_file_that_is_no_engine(run, tmp_path):
    (tmp_path / "e.engine").write_text("no plan")
    with pytest.raises(ToolFailedError, match="another version of TensorRT, or is damaged"):
        run(source=tmp_path / "e.engine")


def test_a_run_that_takes_too_long(run, tmp_path, monkeypatch):
    monkeypatch.setattr(process, "GRACE_S", 0.2)
    with pytest.raises(ToolFailedError, match=r"The build run failed: .* was ended after 1 s"):
        run(options=replace(UNWATCHED, timeout_s=1.0), fails="deaf")
    assert names(tmp_path / "out") == {"m.engine.build.log", MANIFEST}
    assert manifest(tmp_path / "out")["complete"] is False


def test_bad_arguments_are_refused_before_anything_runs(run, tmp_path, double):
    for arguments, message in [(("fp16",), "no longer takes"), (("shapes=x:axb",), "is not a shape")]:
        with pytest.raises(UsageError, match=message):
            run(*arguments, version="11.1.0")
    assert double.command_lines() == []
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda _: None, "does not exist"),
        (lambda path: path.touch(), "is empty"),
        (lambda path: path.mkdir(), "is a folder"),
        (os.mkfifo, "is not a regular file"),
        (lambda path: path.symlink_to("/dev/zero"), "is not a regular file"),
    ],
)
def test_a_model_that_is_not_there(run, tmp_path, make, message):
    path = tmp_path / "other.onnx"
    make(path)
    with pytest.raises(InputError, match=message):
        run(source=path)
    assert not (tmp_path / "out").exists()


def test_an_engine_that_goes_away_before_it_is_hashed(run, tmp_path, monkeypatch):
    class Removing(Progress):
        def end(self, title):
            if title == "timing done":
                next((tmp_path / "out").rglob("m.engine")).unlink()

    with pytest.raises(InputError, match=r"m\.engine can't be read: No such file"):
        run(progress=Removing())
    assert manifest(tmp_path / "out")["complete"] is False


def test_a_model_for_another_program(run, tmp_path):
    (tmp_path / "m.PT").write_text("x")
    with pytest.raises(InputError, match=r"not a model that TensorRT reads\. Export it to ONNX"):
        run(source=tmp_path / "m.PT")


# What was there before.


def test_an_earlier_capture_is_replaced_only_by_force(run, tmp_path):
    run()
    before = contents(tmp_path / "out")
    with pytest.raises(OutputError, match="earlier capture") as error:
        run()
    assert "--force" in error.value.hint
    assert contents(tmp_path / "out") == before
    run(options=replace(UNWATCHED, force=True), version="11.1.0")
    assert manifest(tmp_path / "out")["versions"]["tensorrt"] == "11.1.0"
    assert names(tmp_path / "out") == WHOLE


def test_a_new_capture_leaves_nothing_of_the_earlier_one(run, tmp_path):
    run(runs=3)
    (tmp_path / "out" / "notes.txt").write_text("mine")
    (tmp_path / "out" / "m.engine.graph.json.svg").write_text("mine")
    run(options=replace(UNWATCHED, force=True))
    assert names(tmp_path / "out") == WHOLE | {"notes.txt", "m.engine.graph.json.svg"}


@pytest.mark.parametrize(("fails", "stage"), [("build", "build"), ("crash", "build"), ("crash", "timing")])
def test_a_failure_leaves_the_earlier_capture_as_it_was(run, tmp_path, fails, stage):
    run()
    before = contents(tmp_path / "out")
    with pytest.raises(ToolFailedError):
        run(options=replace(UNWATCHED, force=True), fails=fails, **{"in": stage})
    after = contents(tmp_path / "out")
    assert {name: after[name] for name in before if name != "timing.cache"} == {
        name: data for name, data in before.items() if name != "timing.cache"
    }
    left = tmp_path / "out" / "m.engine.incomplete"
    assert manifest(left)["complete"] is False
    assert manifest(tmp_path / "out")["complete"] is True
    run(options=replace(UNWATCHED, force=True))
    assert names(tmp_path / "out") == WHOLE


def test_what_came_to_nothing_is_replaced_without_asking(run, tmp_path):
    with pytest.raises(ToolFailedError):
        run(fails="build")
    run()
    assert names(tmp_path / "out") == WHOLE


def test_captures_of_several_engines_share_a_folder(run, tmp_path):
    (tmp_path / "n.onnx").write_text("another")
    run()
    run(source=tmp_path / "n.onnx")
    assert {"m.engine.capture.json", "n.engine.capture.json"} <= names(tmp_path / "out")


def test_a_folder_in_the_way_is_left_alone(run, tmp_path):
    mine = tmp_path / "out" / "m.engine.incomplete"
    mine.mkdir(parents=True)
    (mine / "thesis.txt").write_text("mine")
    with pytest.raises(OutputError, match="in the way"):
        run()
    assert names(mine) == {"thesis.txt"}


def test_a_file_where_the_folder_should_be(run, tmp_path):
    (tmp_path / "out").write_text("mine")
    with pytest.raises(OutputError, match="out can't be made: something that is not a folder is there"):
        run()
    assert (tmp_path / "out").read_text() == "mine"


def test_two_collectors_do_not_share_a_folder(run, tmp_path, double, model):
    class Second(Progress):
        def begin(self, title):
            job = Job(str(model), str(tmp_path / "out"))
            with pytest.raises(OutputError, match="Another trexreport is collecting"):
                collect(job, TrtexecBackend(double.program, Version(10, 16)), Progress(), UNWATCHED)
            super().begin(title)

    second = Second()
    run(progress=second)
    assert "begin timing" in second.messages
    assert names(tmp_path / "out") == WHOLE


def test_a_name_that_is_no_text(run, tmp_path, model):
    odd = model.rename(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.onnx"))
    run(source=odd)
    (path,) = (tmp_path / "out").glob("*.capture.json")
    assert json.loads(path.read_text())["source"]["path"] == str(odd)


def test_names_with_spaces_quotes_and_dollars(run, tmp_path, model):
    odd = model.rename(tmp_path / "my 'model' $HOME.onnx")
    run(source=odd)
    assert "my 'model' $HOME.engine.capture.json" in names(tmp_path / "out")


def test_an_engine_that_is_only_built(double, model, tmp_path):
    double.wish("10.16.0")
    backend = TrtexecBackend(double.program, Version(10, 16))
    folder = tmp_path / "out"
    collect(Job(str(model), str(folder), measures=False), backend, Progress(), UNWATCHED)
    assert names(folder) == {
        *("m.engine", "m.engine.build.log", "m.engine.build.metadata.json", MANIFEST, "timing.cache")
    }
    written = manifest(folder)
    assert written["complete"] is True
    assert [each["title"] for each in written["runs"]] == ["build"]
    # The engine is measured later, into the same folder.
    collect(Job(str(folder / "m.engine"), str(folder), runs=1), backend, Progress(), UNWATCHED)
    assert names(folder) == WHOLE


def test_a_full_disk_is_the_cause_whatever_trtexec_prints(run, monkeypatch):
    monkeypatch.setattr("trexreport.collector.trtexec._NO_ROOM_BYTES", 2**80)
    with pytest.raises(ToolFailedError, match=r"The disk is full\."):
        run(**{"fails": "build", "in": "build"})


def test_metadata_before_a_plan_is_left_out(run, double, tmp_path):
    run()
    plan = (tmp_path / "out" / "m.engine").read_bytes()
    engine = tmp_path / "yolo.engine"
    engine.write_bytes(ultralytics_engine(plan))
    journal = run(source=engine)
    assert any("metadata of Ultralytics" in note and "task detect" in note for note in journal.notes)
    made = names(tmp_path / "out")
    assert {"yolo.engine.graph.json", "yolo.engine.profile.json"} <= made
    assert "yolo.engine" not in made
    assert not [name for name in made if name.endswith(".incomplete")]
    assert engine.read_bytes() == ultralytics_engine(plan)
    graph = read_engine(tmp_path / "out" / "yolo.engine.graph.json")
    assert graph.layers
    described = json.loads((tmp_path / "out" / "yolo.engine.capture.json").read_text())
    assert described["source"]["path"] == str(engine)
    assert described["engine"]["size_bytes"] == engine.stat().st_size
