"""What is a capture among the files below a folder."""

from __future__ import annotations

import json
import zipfile

import pytest
from front_ends import edge_llm_layers, ort_log, ort_profile, torch_dryrun
from site_captures import capture_files, write_capture

from trexreport.errors import InputError
from trexreport.site.discovery import MANIFEST_NAME, discover
from trexreport.site.folders import open_inputs


def found_in(folder):
    (opened,) = open_inputs([str(folder)])
    return discover(opened)


def places(folder):
    return [(each.place.removeprefix(f"{folder.name}/"), each.kind) for each in found_in(folder)]


def test_captures_are_found_at_any_depth(tmp_path):
    write_capture(tmp_path / "a" / "b" / "c")
    write_capture(tmp_path / "a", name="other")
    assert places(tmp_path) == [("a/b/c/net.engine", "capture"), ("a/other.engine", "capture")]


def test_several_engines_of_one_folder_are_several(tmp_path):
    write_capture(tmp_path, name="one")
    write_capture(tmp_path, name="two")
    found = found_in(tmp_path)
    assert [each.paths for each in found] == [("one.engine.graph.json",), ("two.engine.graph.json",)]
    assert len(found[0].files) > 1
    assert all(name.startswith("one.") for name in found[0].files)


def test_an_engine_alone_takes_the_logs_of_its_folder(tmp_path):
    write_capture(tmp_path)
    (tmp_path / "build.txt").write_text("[05/01/2024-10:00:00] [I] === Device Information ===\n")
    (found,) = found_in(tmp_path)
    assert found.paths == (".",)
    assert "build.txt" in found.files


def test_times_that_follow_the_naming_convention_alone_leave_out_no_file(tmp_path):
    files = capture_files()
    names = {"net.engine.graph.json": "net.engine.layers.json", "net.engine.profile.json": None}
    for name, other in names.items():
        (tmp_path / (other or name)).write_bytes(files[name])
    (tmp_path / "run.log").write_text("[05/01/2024-10:00:00] [I] === Device Information ===\n")
    (found,) = found_in(tmp_path)
    assert (found.place, found.paths) == (f"{tmp_path.name}/net.engine", (".",))
    assert {"run.log", "net.engine.layers.json"} < set(found.files)
    (tmp_path / "other.layers.json").write_bytes(files["net.engine.graph.json"])
    (found,) = found_in(tmp_path)
    assert found.paths == ("net.engine.profile.json",)


def test_files_without_the_naming_convention_are_reported_by_content(tmp_path):
    files = capture_files()
    for role in ("graph", "profile"):
        (tmp_path / "x").mkdir(exist_ok=True)
        (tmp_path / "x" / f"{role}_x.json").write_bytes(files[f"net.engine.{role}.json"])
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "package.json").write_text('{"name": "web", "layers": []}')
    (tmp_path / "other" / "names.json").write_text('["a", "b"]')
    assert places(tmp_path) == [("x", "capture")]


def test_archives_and_reports_are_candidates(tmp_path):
    (tmp_path / "page.html").write_text("<html></html>")
    (tmp_path / "paper.pdf").write_bytes(b"%PDF-1.7")
    with zipfile.ZipFile(tmp_path / "net.tea", "w") as archive:
        for name, content in capture_files().items():
            archive.writestr(name, content)
    assert places(tmp_path) == [("net.tea", "archive"), ("page.html", "report"), ("paper.pdf", "report")]


def test_hidden_folders_and_other_sites_are_left_out(tmp_path):
    write_capture(tmp_path / ".git")
    write_capture(tmp_path / "site" / "engines")
    (tmp_path / "site" / MANIFEST_NAME).write_text("{}")
    assert places(tmp_path) == []


def test_a_capture_with_times_alone_is_one(tmp_path):
    for name, content in capture_files().items():
        if "graph" not in name:
            (tmp_path / name).write_bytes(content)
    assert places(tmp_path) == [("net.engine", "capture")]


def test_metadata_alone_is_no_capture(tmp_path):
    (tmp_path / "x.build.metadata.json").write_text(json.dumps({"model_options": {}}))
    assert places(tmp_path) == []


def test_a_change_of_any_file_changes_the_version(tmp_path):
    write_capture(tmp_path)
    (before,) = found_in(tmp_path)
    (same,) = found_in(tmp_path)
    assert before.version == same.version
    (tmp_path / "net.engine.timing.json").write_text("[]")
    (after,) = found_in(tmp_path)
    assert after.version not in ("", before.version)


def test_folders_in_each_other_are_refused(tmp_path):
    (tmp_path / "a").mkdir()
    with pytest.raises(InputError, match="inside of"):
        open_inputs([str(tmp_path), str(tmp_path / "a")])
    with pytest.raises(InputError, match="or the same"):
        open_inputs([str(tmp_path), str(tmp_path / "a" / "..")])


def test_folders_of_one_name_are_reported_apart(tmp_path):
    for each in ("x/captures", "y/captures"):
        (tmp_path / each).mkdir(parents=True)
    labels = [
        each.label for each in open_inputs([str(tmp_path / "x/captures"), str(tmp_path / "y/captures")])
    ]
    assert labels == ["x/captures", "y/captures"]


def test_a_file_or_nothing_is_no_folder(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="is a file"):
        open_inputs([str(tmp_path / "file")])
    with pytest.raises(InputError, match="does not exist"):
        open_inputs([str(tmp_path / "nothing")])


def test_files_of_other_producers_alone_are_captures(tmp_path):
    files = {
        "profile": ("onnxruntime_profile.json", ort_profile()),
        "log": ("session.log", ort_log({"CPUExecutionProvider": [("Conv", "a")]})),
        "dryrun": ("report.txt", torch_dryrun()),
        "edge": ("layer_decode.csv", edge_llm_layers()),
        "table": ("other.csv", b"a,b\n1,2\n"),
    }
    for folder, (name, data) in files.items():
        (tmp_path / folder).mkdir()
        (tmp_path / folder / name).write_bytes(data)
    assert places(tmp_path) == [(name, "capture") for name in ("dryrun", "edge", "log", "profile")]
