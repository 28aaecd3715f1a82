"""Check what a collector leaves, when all goes well and when not, with the double of trtexec."""

from __future__ import annotations

import datetime as dt
import json
import os
from contextlib import contextmanager, nullcontext
from dataclasses import replace

import pytest
from collected import (
    DATA,
    MANIFEST,
    TREX,
    UNWATCHED,
    VERSIONS,
    WHOLE,
    Progress,
    contents,
    manifest,
    names,
)
from front_ends import ultralytics_engine

from trexreport.analyzer import analyze
from trexreport.api import render
from trexreport.collector import collect as collect_module
from trexreport.collector.collect import collect
from trexreport.collector.jobs import Job
from trexreport.collector.trtexec import TrtexecBackend
from trexreport.collector.versions import Version
from trexreport.reader import read_engine
from trexreport.reader.roles import role_of_name
from trexreport.resources import resource_folder

pytestmark = pytest.mark.skipif(os.name != "posix", reason="trexreport collects on POSIX systems")


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
    # It stays with the engine that was built from it, and goes with one that is of another model.
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
        ("10.16.0", ["fp16", "shapes=input_ids:1x512"]),
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
