"""Finding the files of a capture."""

from __future__ import annotations

import json
import os

import pytest

from trexreport.errors import InputError
from trexreport.reader import read_engine
from trexreport.reader.locate import locate
from trexreport.reader.roles import role_of_content, role_of_name

GRAPH = json.dumps({"Layers": [{"Name": "a", "LayerType": "Conv", "Inputs": [], "Outputs": []}]})
PROFILE = json.dumps([{"count": 1}, {"name": "a", "timeMs": 1, "averageMs": 1, "percentage": 100}])
TIMING = json.dumps([{"latencyMs": 1, "computeMs": 1}])
LOG = "&&&& RUNNING TensorRT.trtexec [TensorRT v8601] # trtexec --onnx=m.onnx\n"


def fill(folder, **files):
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name.replace("__", ".")).write_text(content, encoding="utf-8")
    return folder


def roles(capture):
    return {source.role: source.name for source in capture.sources}


def refused(*paths, **explicit):
    with pytest.raises(InputError) as caught:
        locate(paths, explicit)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("x.engine.graph.json", "graph"),
        ("x.engine.profile.json", "profile"),
        ("x.engine.timing.json", "timing"),
        ("x.engine.metadata.json", "metadata"),
        ("x.engine.build.metadata.json", "build-metadata"),
        ("x.engine.profile.metadata.json", "profile-metadata"),
        ("x.engine.build.log", "log"),
        ("x.engine.profile.log", "log"),
        ("x.engine.timing.log", "log"),
        ("x.engine.capture.json", "manifest"),
        ("X.ENGINE.GRAPH.JSON", "graph"),
        ("layers.json", None),
    ],
)
def test_roles_by_name(name, role):
    assert role_of_name(name) == role


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize(
    ("content", "role"),
    [
        (GRAPH, "graph"),
        ('["conv1", "relu1"]', "graph"),
        (PROFILE, "profile"),
        ('{"a": [[1.0, 5]]}', "profile"),
        (TIMING, "timing"),
        ('{"performance_summary": {}}', "profile-metadata"),
        ('{"model_options": {}}', "build-metadata"),
        ('[{"Name": "A100", "ComputeCapability": [8, 0]}]', "metadata"),
        (LOG, "log"),
        (LOG + GRAPH, "log"),
        ("[01/02/2026-03:04:05] [E] Error opening engine file: x", "log"),
        ("[01/02/2026-03:04:05] [W] [TRT] slow", "log"),
        ("hello", None),
        ('{"version": 1}', None),
        ("", None),
    ],
)
def test_roles_by_content(content, role, encoding):
    assert role_of_content(content.encode(encoding)) == role


def test_a_graph_file_finds_its_siblings(tmp_path):
    fill(tmp_path, x__engine__graph__json=GRAPH, x__engine__profile__json=PROFILE, y__profile__json=PROFILE)
    fill(tmp_path, x__engine__timing__json=TIMING, x__engine__build__log=LOG, unrelated__json="{}")
    found = locate([tmp_path / "x.engine.graph.json"])
    assert set(roles(found)) == {"graph", "profile", "timing", "log"}
    assert found.name == "x"
    # In the folder it is a capture of its own.
    (tmp_path / "y.profile.json").unlink()
    assert locate([tmp_path]) == found


@pytest.mark.parametrize("name", ["transition_at_10.profile", "profile", "run.out", "times.dat"])
def test_files_with_unusual_endings_are_known_by_their_content(tmp_path, name):
    (tmp_path / name).write_text(PROFILE)
    (tmp_path / f"{name}.bak").write_text(GRAPH)
    (tmp_path / "model.engine").write_bytes(b"ptrt\0" + PROFILE.encode())
    assert roles(locate([tmp_path])) == {"profile": name}


def test_unusual_endings_come_after_usual_ones(tmp_path):
    (tmp_path / "a.profile").write_text(PROFILE)
    (tmp_path / "b.json").write_text(PROFILE)
    assert roles(locate([tmp_path])) == {"profile": "b.json"}


@pytest.mark.parametrize(
    ("graph", "profile"),
    [
        ("layers_x.json", "profile_x.json"),
        ("layer_info.json", "profile.json"),
        ("layers.json", "profile.json"),
    ],
)
def test_pairs_of_other_tools(tmp_path, graph, profile):
    fill(tmp_path, **{graph: GRAPH, profile: PROFILE})
    assert roles(locate([tmp_path / graph])) == {"graph": graph, "profile": profile}
    assert roles(locate([tmp_path])) == {"graph": graph, "profile": profile}


def test_names_of_torch_tensorrt(tmp_path):
    name = "_run_on_acc_0_engine_layer_information.json"
    fill(tmp_path / "alexnet", **{name: GRAPH})
    assert locate([tmp_path / "alexnet"]).name == "alexnet _run_on_acc_0"


def test_names_that_say_nothing_give_way_to_the_folders(tmp_path):
    fill(tmp_path / "resnet", layers__json=GRAPH)
    assert locate([tmp_path / "resnet" / "layers.json"]).name == "resnet"


def test_several_engines_in_a_folder_are_read_if_their_names_distinguish_them(tmp_path):
    apart = fill(tmp_path / "apart", a__graph__json=GRAPH, b__graph__json=GRAPH + "\n")
    assert locate([apart]).name == "apart"
    assert len(locate([apart]).sources) == 2
    alike = fill(tmp_path / "alike", graph__json=GRAPH, layers__json=GRAPH + "\n")
    assert "holds 2 engines. Give one of them: graph.json, layers.json." in refused(alike)


def test_upper_case_names_are_engines_too(tmp_path):
    fill(tmp_path, A__GRAPH__JSON=GRAPH)
    assert roles(locate([tmp_path])) == {"graph": "A.GRAPH.JSON"}


def test_a_folder_without_a_capture(tmp_path):
    refusal = refused(fill(tmp_path / "empty"))
    assert "holds no capture. A log of trtexec, layer information (--exportLayerInfo) or a profile" in refusal
    engine = fill(tmp_path / "built", **{"net 1.engine": "a plan"}) / "net 1.engine"
    assert f"holds no capture. Where a GPU and TensorRT are, `trexreport run '{engine}'`" in refused(
        engine.parent
    )
    rejected = fill(tmp_path / "rejected", trtexec__log="Done", profile__json="", notes__txt="Done")
    says = "trtexec.log is not a file that trexreport knows: it is a text that begins with 'Done'."
    assert f"holds no capture: profile.json is empty. {says} A log of trtexec, layer" in refused(rejected)
    fill(rejected, net__onnx="a model")
    assert f"{says} Where a GPU and TensorRT are, `trexreport run" in refused(rejected)
    fill(tmp_path / "above" / "below", x__graph__json=GRAPH)
    message = refused(tmp_path / "above")
    assert "holds no capture itself. Give one of its folders: below." in message
    fill(tmp_path / "above" / "other", trtexec__log="")
    message = refused(tmp_path / "above")
    assert "folders: below, other, or compare them: trexreport compare FOLDER FOLDER." in message


def test_files_of_other_kinds_do_not_disturb(tmp_path):
    fill(
        tmp_path,
        layers__json=GRAPH,
        profile__json=PROFILE,
        labels__json='["cat", "dog"]',
        normalization__json='{"mean": [0.4, 0.5], "deviation": [0.2, 0.2]}',
        package__json='{"name": "x"}',
        notes__txt="hello",
    )
    assert roles(locate([tmp_path])) == {"graph": "layers.json", "profile": "profile.json"}


def test_doubtful_files_serve_where_nothing_better_is(tmp_path):
    fill(tmp_path, names__json='["conv1", "relu1"]', times__json='{"conv1": [[1.0, 5]]}')
    assert roles(locate([tmp_path])) == {"graph": "names.json", "profile": "times.json"}


def test_two_files_of_one_role(tmp_path):
    fill(tmp_path, a__profile__json=PROFILE, b__profile__json=PROFILE + "\n", x__graph__json=GRAPH)
    fill(tmp_path, b__profile_json=PROFILE + "\n\n")
    message = refused(tmp_path / "x.graph.json", tmp_path / "b.profile.json", tmp_path / "b.profile_json")
    assert "b.profile.json and b.profile_json are both profile files" in message


def test_a_log_that_is_called_as_the_engine_is_found(tmp_path):
    fill(tmp_path, a__engine__graph__json=GRAPH, b__graph__json=GRAPH, a__txt="Notes on this engine.")
    fill(tmp_path, a__log=LOG, b__log=LOG, a__engine__txt=LOG, a2__log=LOG)
    found = locate([tmp_path / "a.engine.graph.json"])
    assert [source.name for source in found.sources] == ["a.engine.graph.json", "a.engine.txt", "a.log"]
    assert roles(locate([tmp_path / "b.graph.json"])) == {"graph": "b.graph.json", "log": "b.log"}


def test_two_engines_are_not_read_as_one(tmp_path):
    for name, profile in (("a", PROFILE), ("b", PROFILE + "\n")):
        (tmp_path / name).mkdir()
        fill(tmp_path / name, p__profile__json=profile)
    message = refused(tmp_path / "a", tmp_path / "b")
    assert f"{tmp_path / 'a'} and {tmp_path / 'b'} both have a profile file: they are two engines." in message
    assert f"trexreport compare {tmp_path / 'a'} {tmp_path / 'b'}" in message


def test_a_copy_of_a_file_is_left_out_with_a_note(tmp_path):
    fill(tmp_path, layers__json=GRAPH, old__json=GRAPH, p__json=PROFILE, profile__json=PROFILE)
    capture = locate([tmp_path])
    assert roles(capture) == {"graph": "layers.json", "profile": "p.json"}
    assert len(capture.sources) == 2
    assert [note.message for note in capture.notes] == [
        "old.json is a copy of layers.json and was left out.",
        "profile.json is a copy of p.json and was left out.",
    ]


def test_the_same_file_twice_is_one(tmp_path):
    fill(tmp_path, x__graph__json=GRAPH, x__profile__json=PROFILE)
    assert locate([tmp_path, tmp_path / "x.graph.json"]).sources == locate([tmp_path]).sources


def test_stated_files_replace_those_found(tmp_path):
    fill(tmp_path, x__graph__json=GRAPH, x__profile__json=PROFILE, other=PROFILE)
    found = locate([tmp_path / "x.graph.json"], {"profile": tmp_path / "other"})
    assert roles(found) == {"graph": "x.graph.json", "profile": "other"}
    assert roles(locate([], {"graph": tmp_path / "x.graph.json"})) == {"graph": "x.graph.json"}


def test_a_missing_file_with_a_near_name(tmp_path):
    fill(tmp_path, resnet__graph__json=GRAPH)
    message = refused(tmp_path / "resnet.grahp.json")
    assert "does not exist. Did you mean" in message
    assert message.endswith("resnet.graph.json?")


@pytest.mark.parametrize("name", ["zzz", "no/such/folder/x.json", "nul\0.json", "x" * 5000])
def test_a_missing_file(tmp_path, name):
    message = refused(tmp_path / name)
    assert "does not exist. Check the path." in message or "can't be read" in message


def test_a_url_is_no_path(tmp_path):
    assert refused("s3://bucket/capture").endswith(
        "Only `trexreport site` reads URLs: download the files first."
    )
    assert "URL" not in refused("C:/captures/absent")


def test_a_folder_where_a_file_is_expected(tmp_path):
    assert "is a folder where a file is expected" in refused(graph=tmp_path)


def test_a_file_of_an_unknown_kind(tmp_path):
    fill(tmp_path, x__bin="hello")
    assert "is not a file that trexreport knows" in refused(tmp_path / "x.bin")


@pytest.mark.parametrize("name", ["m.onnx", "m.engine", "m.PLAN", "m.trt"])
def test_the_error_for_an_engine_or_a_model_names_the_command_that_measures_it(tmp_path, name):
    (tmp_path / name).write_bytes(b"\x00serialized")
    assert f"`trexreport run {name}` measures it" in refused(tmp_path / name)


def test_nothing_at_all():
    assert "nothing to read" in refused()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser may read all")
def test_a_file_that_may_not_be_read(tmp_path):
    fill(tmp_path, x__graph__json=GRAPH)
    (tmp_path / "x.graph.json").chmod(0)
    assert "may not be read by this user" in refused(tmp_path / "x.graph.json")


def test_a_permission_that_is_refused(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    fill(tmp_path, x__graph__json=GRAPH)
    monkeypatch.setattr("os.open", refuse)
    assert "may not be read by this user. Change its permissions." in refused(tmp_path / "x.graph.json")
    monkeypatch.setattr("pathlib.Path.iterdir", refuse)
    assert "may not be read by this user" in refused(tmp_path)


def test_a_loop_of_links(tmp_path):
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    assert "loop can't be read" in refused(tmp_path / "loop")


def test_the_log_of_the_timing_run_is_believed_before_that_of_the_profile_run(tmp_path):
    names = ["x.engine.build.log", "x.engine.timing.log", "x.engine.profile.log", "a.log"]
    fill(tmp_path, **dict.fromkeys(names, LOG), x__engine__graph__json=GRAPH)
    for place in (tmp_path, tmp_path / "x.engine.graph.json"):
        logs = [source.name for source in locate([place]).sources if source.role == "log"]
        assert logs == (names if place.is_dir() else names[:-1])
    backwards = [tmp_path / name for name in reversed(names)]
    assert [source.name for source in locate(backwards).sources] == names


def test_a_log_of_any_name_belongs_to_the_only_engine_of_a_folder(tmp_path):
    (tmp_path / "x.graph.json").write_text('{"Layers": ["a"]}')
    (tmp_path / "output.txt").write_text("&&&& RUNNING TensorRT.trtexec [TensorRT v8601] # trtexec")
    (tmp_path / "notes.txt").write_text("buy milk")
    assert [source.name for source in locate([tmp_path]).sources] == ["x.graph.json", "output.txt"]


def test_what_trexreport_wrote_itself_is_no_input(tmp_path):
    (tmp_path / "layers.json").write_text('{"Layers": [{"Name": "a", "LayerType": "b"}]}')
    (tmp_path / "report.json").write_text('{"generator": "trexreport", "layers": [{"LayerType": "b"}]}')
    assert [source.name for source in locate([tmp_path]).sources] == ["layers.json"]


@pytest.mark.parametrize("model", [False, True])
def test_a_folder_says_what_its_log_is_that_is_none_of_trtexec(tmp_path, model):
    folder = fill(
        tmp_path, trtexec__log="pip: done\n", notes__txt="to do", **{"net.onnx": ""} if model else {}
    )
    message = refused(folder)
    assert "holds no capture: trtexec.log is not a file that trexreport knows: it is a text" in message
    assert "notes.txt" not in message
    assert ("trexreport run" in message) is model


def test_what_trexreport_wrote_as_json_is_no_engine(tmp_path):
    layers = [{"index": 0, "name": "a", "inputs": [], "outputs": []}]
    fill(tmp_path, **{"x.json": json.dumps({"generator": "trexreport", "layers": layers}, indent=1)})
    message = refused(tmp_path / "x.json")
    assert message.startswith("x.json was written by trexreport, and carries no inputs.")
    with pytest.raises(InputError, match="not of a kind"):
        read_engine(files={"graph": tmp_path / "x.json"})
    assert "holds no capture" in refused(tmp_path)


def test_a_suggested_command_can_be_run_whatever_the_name_of_the_file(tmp_path):
    fill(tmp_path, **{"a; rm b.onnx": "a model"})
    assert "`trexreport run 'a; rm b.onnx'`" in refused(tmp_path / "a; rm b.onnx")


@pytest.mark.parametrize("name", ["build.log", "run.log", "trtexec_output.log", "log.txt"])
def test_a_log_of_no_name_has_that_of_its_folder(tmp_path, name):
    folder = fill(tmp_path / "resnet", **{name: LOG})
    assert locate((folder,), {}).name == "resnet"
    assert locate((folder / name,), {}).name == "resnet"


def test_markdown_that_quotes_a_log_serves_where_nothing_else_is(tmp_path):
    quoted = "# Results\n```\n[01/02/2025-03:04:05] [I] Throughput: 30 qps\n```\n"
    explained = "# trtexec\nIt prints `[I] Throughput: 30 qps` and &&&& PASSED.\n"
    folder = fill(tmp_path / "a", notes__md=quoted, README__md=explained)
    assert [each.name for each in locate((folder,), {}).sources] == ["notes.md"]
    fill(folder, **{"build.log": LOG})
    assert [each.name for each in locate((folder,), {}).sources] == ["build.log"]
    assert "holds no capture" in refused(fill(tmp_path / "b", README__md=explained))
    summary = (
        "# Runs\n```\n=== Performance summary ===\nThroughput: 344.474 qps\n\nLatency: mean = 2.9 ms\n```\n"
    )
    folder = fill(tmp_path / "c", runs__md=summary, README__md=explained)
    assert [each.name for each in locate((folder,), {}).sources] == ["runs.md"]


def test_a_page_with_a_text_in_brackets_lists_no_layers(tmp_path):
    fill(tmp_path, a__md='# Article\nSee ["Installing TensorRT"] first.\n')
    assert "not a file that trexreport knows" in refused(tmp_path / "a.md")


@pytest.mark.parametrize(
    ("name", "text", "role"),
    [
        ("a.md", "[01/02/2025-03:04:05] [TRT] [W] Tactic Device request: 2MB Available: 1MB.", "log"),
        ("a.md", "[TensorRT] INFO: --------------- Layers running on DLA: ", "log"),
        ("a.md", "ERROR: [TRT]: IRuntime::deserializeCudaEngine: Error Code 1: x", "log"),
        ("a.markdown", "WARNING: Default DLA is enabled but layer a is not running on DLA, ...", "log"),
        ("a.md", '{ "name" : "a", "timeMs" : 2.0, "averageMs" : 1.0, "percentage" : 100 }', "profile"),
        ("a.md", "2024-06-14 [E:onnxruntime:CF, tensorrt_execution_provider.h:82 log] [x] 4: a", "log"),
        ("a.ipynb", '{"nbformat": 4, "cells": [{"text": "[01/02/2025-03:04:05] [TRT] [W] a"}]}', "log"),
    ],
)
def test_texts_that_quote_other_logs_serve_too(tmp_path, name, text, role):
    (source,) = locate((fill(tmp_path, **{name: f"Why?\n{text}\n"}),), {}).sources
    assert (source.name, source.role) == (name, role)


def test_further_runs_beside_a_graph_belong_to_it(tmp_path):
    fill(tmp_path, x__engine__graph__json=GRAPH, y__engine__timing__2__json=TIMING)
    fill(tmp_path, x__engine__timing__json=TIMING, x__engine__timing__2__json=TIMING)
    assert roles(locate([tmp_path / "x.engine.graph.json"])) == {
        "graph": "x.engine.graph.json",
        "timing": "x.engine.timing.json",
        "timing-run": "x.engine.timing.2.json",
    }


def test_a_profile_alone_takes_no_files_beside_it(tmp_path):
    fill(tmp_path, x__graph__json=GRAPH, x__profile__json=PROFILE, x__timing__json=TIMING)
    assert roles(locate([tmp_path / "x.profile.json"])) == {"profile": "x.profile.json"}


def test_files_of_one_name_are_distinguished_by_their_folders(tmp_path):
    for name, profile in (("a", PROFILE), ("b", PROFILE + "\n")):
        (tmp_path / name).mkdir()
        fill(tmp_path / name, p__profile__json=profile)
    fill(tmp_path, x__log="[I] Throughput: 3 qps")
    paths = [tmp_path / "a" / "p.profile.json", tmp_path / "b" / "p.profile.json"]
    assert f"{paths[0]} and {paths[1]} are both profile files." in refused(*paths, tmp_path / "x.log")
