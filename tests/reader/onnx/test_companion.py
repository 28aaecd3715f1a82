"""The model beside a capture is found if it is the engine's, and stays with the capture."""

from __future__ import annotations

import hashlib
import json
import shutil
from dataclasses import astuple, replace

import onnx
import pytest
from click.testing import CliRunner
from onnx import helper

from trexreport.analyzer import analyze
from trexreport.cli import main
from trexreport.errors import InputError
from trexreport.reader import read_engine
from trexreport.reader.files import LARGEST_BYTES, explained_reading
from trexreport.reader.onnx import companion
from trexreport.redaction.capture import redact_capture
from trexreport.redaction.kinds import KINDS, Redaction

COUNT = 20


def chain(names):
    """Return a model of one node after the other."""
    nodes = [helper.make_node("Relu", [f"t{at}"], [f"t{at + 1}"], name=name) for at, name in enumerate(names)]
    ends = (
        helper.make_tensor_value_info(each, onnx.TensorProto.FLOAT, (1,)) for each in ("t0", f"t{len(names)}")
    )
    graph = helper.make_graph(nodes, "main", *([end] for end in ends))
    return helper.make_model(graph)


NAMES = [f"/block{at}/Relu" for at in range(COUNT)]


@pytest.fixture
def folder(tmp_path):
    """A folder with the capture of an engine that has one layer for each node."""
    place = tmp_path / "capture"
    place.mkdir()
    layers = [
        {
            "Name": name,
            "LayerType": "PointWise",
            "Inputs": [{"Name": f"t{at}", "Dimensions": [1]}],
            "Outputs": [{"Name": f"t{at + 1}", "Dimensions": [1]}],
        }
        for at, name in enumerate(NAMES)
    ]
    profile = [{"name": name, "averageMs": at + 1, "percentage": 1} for at, name in enumerate(NAMES)]
    (place / "x.graph.json").write_text(json.dumps({"Layers": layers, "Bindings": []}))
    (place / "x.profile.json").write_text(json.dumps([{"count": 1}, *profile]))
    return place


def slugs(engine):
    return [note.slug for note in engine.notes]


def with_missing(count):
    return chain([*NAMES[count:], *(f"other{at}" for at in range(count))])


@pytest.mark.parametrize(("missing", "is_found"), [(0, True), (2, True), (3, False), (COUNT, False)])
def test_a_model_with_90_percent_of_the_nodes_is_found(folder, missing, is_found):
    onnx.save(with_missing(missing), folder / "model.onnx")
    engine = read_engine(folder)
    assert (engine.onnx is not None) == is_found
    assert ("model-found" in slugs(engine)) == is_found
    # The same from the file of the layers.
    assert (read_engine(folder / "x.graph.json").onnx is not None) == is_found


def test_a_model_with_the_recorded_hash_is_found(folder):
    path = folder / "model.onnx"
    onnx.save(with_missing(COUNT), path)
    manifest = {
        "schema": "trexreport-capture",
        "schema_version": 1,
        "source": {"sha256": hashlib.sha256(path.read_bytes()).hexdigest()},
    }
    (folder / "x.capture.json").write_text(json.dumps(manifest))
    engine = read_engine(folder)
    assert engine.onnx is not None
    assert engine.onnx.sha256 == manifest["source"]["sha256"]
    path.write_bytes(path.read_bytes() + b"\x0a\x00")
    assert read_engine(folder).onnx is None


def test_of_two_models_that_of_the_engine_is_found(folder):
    onnx.save(with_missing(COUNT), folder / "a.onnx")
    onnx.save(chain(NAMES), folder / "b.onnx")
    assert read_engine(folder).onnx.file == "b.onnx"


@pytest.mark.parametrize("names", [["a", "b", "c"], ["c", "b", "a"], ["b", "c", "a"]])
def test_of_models_with_the_nodes_the_closest_is_found(folder, names):
    """One has a node less, one has nodes of its own, as those of Q/DQ."""
    exact, less, more = names
    onnx.save(chain(NAMES), folder / f"{exact}.onnx")
    onnx.save(with_missing(1), folder / f"{less}.onnx")
    onnx.save(chain([*NAMES, "q", "dq"]), folder / f"{more}.onnx")
    assert read_engine(folder).onnx.file == f"{exact}.onnx"


def test_the_recorded_model_is_found_behind_others(folder):
    onnx.save(chain(NAMES), folder / "a.onnx")
    onnx.save(with_missing(COUNT), folder / "b.onnx")
    sha256 = hashlib.sha256((folder / "b.onnx").read_bytes()).hexdigest()
    manifest = {"schema": "trexreport-capture", "schema_version": 1, "source": {"sha256": sha256}}
    (folder / "x.capture.json").write_text(json.dumps(manifest))
    assert read_engine(folder).onnx.file == "b.onnx"


@pytest.mark.parametrize(("count", "is_noted"), [(8, False), (9, True)])
def test_models_that_are_not_read_are_noted(folder, count, is_noted):
    for at in range(count):
        onnx.save(with_missing(COUNT), folder / f"{at}.onnx")
    notes = [note for note in read_engine(folder).notes if note.slug == "models-not-read"]
    assert [note.source for note in notes] == ["8.onnx"] * is_noted
    assert all("9 ONNX files" in note.message for note in notes)
    # Another one may be closer than the one that is found.
    onnx.save(chain(NAMES), folder / "0.onnx")
    assert ("models-not-read" in slugs(read_engine(folder))) == is_noted


@pytest.mark.parametrize("damage", [b"", b"\xff" * 99, b"version https://git-lfs"])
def test_a_damaged_model_is_noted(folder, damage):
    (folder / "a.onnx").write_bytes(damage)
    engine = read_engine(folder)
    assert engine.onnx is None
    (note,) = (each for each in engine.notes if each.slug == "model-left-out")
    assert note.source == "a.onnx"
    onnx.save(chain(NAMES), folder / "b.onnx")
    engine = read_engine(folder)
    assert engine.onnx.file == "b.onnx"
    assert "model-left-out" in slugs(engine)


HEADS = (
    b"",
    b"version https://git-lfs",
    b"\x00\x00\x00\x00ORTM",
    b"ptrt",
    b"PK\x03\x04",
    b"{}",
    b"ir_version: 8",
    b"<a>",
)


def notes_in(place, change=None):
    return [
        (note.slug, note.message, note.hint, note.source) for note in read_engine(place, change=change).notes
    ]


@pytest.mark.parametrize("damage", [*HEADS, b"\xff" * 99, b"\x08\x08"])
def test_notes_do_not_depend_on_the_folder_and_are_redacted(folder, tmp_path, monkeypatch, damage):
    """Of a capture with notes that are made where its files are found."""
    (folder / "acme_project.onnx").write_bytes(damage)
    (folder / "x.build.log").write_text("&&&& RUNNING TensorRT.trtexec")
    (folder / "x.profile.log").write_text("&&&& RUNNING TensorRT.trtexec")
    shutil.copy(folder / "x.build.log", folder / "acme_copy.log")
    shutil.copytree(folder, tmp_path / "alice_secret")
    for place in (folder, tmp_path / "alice_secret"):
        with (place / "x.timing.json").open("wb") as file:
            file.truncate(LARGEST_BYTES + 1)
    notes = notes_in(folder)
    assert {"model-left-out", "file-too-large"} <= {slug for slug, *_ in notes}
    monkeypatch.chdir(folder)
    assert notes == notes_in(tmp_path / "alice_secret") == notes_in(".")
    redaction = Redaction(frozenset(KINDS))
    redacted = notes_in(tmp_path / "alice_secret", change=lambda capture: redact_capture(capture, redaction))
    assert str(tmp_path) not in repr(notes)
    assert "acme" not in repr(redacted)


@pytest.mark.parametrize(
    "error",
    [
        FileNotFoundError(2, "gone"),
        PermissionError(13, "no"),
        OSError(5, "I/O error"),
        ValueError("null byte"),
    ],
)
def test_a_model_that_can_not_be_opened_is_noted_without_its_folder(folder, monkeypatch, error):
    onnx.save(chain(NAMES), folder / "model.onnx")
    onnx.save(chain(NAMES), folder / "models.onnx")

    def refuse(path):
        with explained_reading(path):
            raise error

    monkeypatch.setattr(companion, "read_onnx", refuse)
    notes = [note for note in read_engine(folder).notes if note.slug == "model-left-out"]
    assert [note.message.split()[0] for note in notes] == [note.source for note in notes]
    assert [note.source for note in notes] == ["model.onnx", "models.onnx"]
    assert str(folder.parent) not in repr(notes)


def test_the_stated_model_is_taken(folder, tmp_path):
    onnx.save(chain(NAMES), folder / "a.onnx")
    other = tmp_path / "other.onnx"
    onnx.save(with_missing(COUNT), other)
    assert read_engine(folder, files={"onnx": other}).onnx.file == "other.onnx"
    assert read_engine(folder, other).onnx.file == "other.onnx"
    assert read_engine(other, folder).onnx.file == "other.onnx"


def test_the_model_is_found_in_the_named_folder(folder, tmp_path):
    onnx.save(chain([*NAMES, "more"]), folder / "beside.onnx")
    models = tmp_path / "models"
    models.mkdir()
    for at in range(9):
        onnx.save(with_missing(COUNT), models / f"{at}.onnx")
    onnx.save(with_missing(1), models / "z.onnx")
    engine = read_engine(folder, files={"onnx": models})
    assert engine.onnx.file == "z.onnx"
    (note,) = (note for note in engine.notes if note.slug == "model-found")
    assert "in the named folder" in note.message
    assert str(tmp_path) not in note.message


@pytest.mark.parametrize(
    ("names", "problem"), [([], "has no ONNX files"), (["a", "b"], "none of 2 ONNX files")]
)
def test_a_named_folder_without_the_model_is_an_error(folder, tmp_path, names, problem):
    onnx.save(chain(NAMES), folder / "beside.onnx")
    models = tmp_path / "models"
    models.mkdir()
    for name in names:
        onnx.save(with_missing(COUNT), models / f"{name}.onnx")
    with pytest.raises(InputError, match=f"models.*{problem}"):
        read_engine(folder, files={"onnx": models})


def test_a_damaged_model_in_a_named_folder_is_named(folder, tmp_path):
    models = tmp_path / "models"
    models.mkdir()
    (models / "damaged.onnx").write_bytes(b"\xff" * 99)
    onnx.save(with_missing(COUNT), models / "other.onnx")
    with pytest.raises(InputError, match=r"none of 2 ONNX files\. damaged\.onnx can't be read"):
        read_engine(folder, files={"onnx": models})


def test_two_models_for_one_engine_are_refused(folder, tmp_path):
    paths = [tmp_path / "a.onnx", tmp_path / "b.onnx"]
    for path in paths:
        onnx.save(chain(NAMES), path)
    with pytest.raises(InputError, match=r"b\.onnx"):
        read_engine(folder, *paths)
    with pytest.raises(InputError, match=r"a\.onnx"):
        read_engine(folder, paths[0], files={"onnx": paths[1]})


def test_a_model_alone_is_no_capture(tmp_path):
    path = tmp_path / "a.onnx"
    onnx.save(chain(NAMES), path)
    with pytest.raises(InputError) as caught:
        read_engine(path)
    assert "trexreport run a.onnx" in caught.value.hint


def run(*words):
    result = CliRunner().invoke(main, [str(word) for word in words])
    assert result.exit_code == 0, result.output
    return result.output


def costs(path):
    """Return what does not depend on names: figures and states of nodes and groups."""
    model = analyze(read_engine(path)).onnx
    groups = (model.by_op_type, model.by_module, model.by_source, model.by_class)
    return (
        [(node.state, node.reason, node.evidence, node.layers, node.alone_ms) for node in model.nodes],
        [sorted(astuple(replace(group, name=""))[1:] for group in each) for each in groups],
    )


def test_the_structure_in_a_folder_is_read(folder, tmp_path):
    onnx.save(chain(NAMES), folder / "model.onnx")
    expected = costs(folder)
    report, extracted = tmp_path / "r.html", tmp_path / "extracted"
    run("report", folder, "-o", report, "--charts", "static", "--isolated", "-q")
    run("extract", report, "-o", extracted)
    (structure,) = extracted.glob("*.onnx-structure.json")
    assert structure.name == "x.onnx-structure.json"
    assert not list(extracted.glob("*.onnx"))
    assert costs(extracted) == costs(report) == expected
    again = tmp_path / "again.html"
    run("report", extracted, "-o", again, "--charts", "static", "--isolated", "-q")
    run("extract", again, "-o", tmp_path / "second")
    assert (tmp_path / "second" / structure.name).read_bytes() == structure.read_bytes()
    shutil.copy(structure, tmp_path / "renamed.onnx")
    (folder / "model.onnx").unlink()
    assert read_engine(folder, files={"onnx": tmp_path / "renamed.onnx"}).onnx.file == "model.onnx"


def test_an_archive_carries_the_structure(folder, tmp_path):
    onnx.save(chain(NAMES), folder / "model.onnx")
    archives = [tmp_path / "a.trexa", tmp_path / "b.trexa"]
    for archive in archives:
        run("archive", folder, "-o", archive, "--isolated")
    assert archives[0].read_bytes() == archives[1].read_bytes()
    assert costs(archives[0]) == costs(folder)


SECRET = "zorblax"  # noqa: S105 - no password
#: What stays known of a node whose names are replaced.
STACK = f"""File "/home/{SECRET}/src/{SECRET}_model.py", line 7, in forward
    x = self.{SECRET}(x)  # as in /mnt/{SECRET}/code and /ws/{SECRET}/code/net.py
    y = load("/home/{SECRET}/data/weights.pt", r"D:\\{SECRET}\\x.pt")
    z = load('../{SECRET}/y.pt', f'~/{SECRET}/{{x}}.pt')
  File "/opt/{SECRET}/site-packages/torch/nn/modules/conv.py", line 565, in forward
    return self._conv_forward(input)
  File "site-packages/relative/modules/conv.py", line 9, in forward
    return self._conv_forward(input)
"""


@pytest.fixture
def secret(folder):
    """The folder, with a model that has a secret in every text."""
    model = chain(NAMES)
    graph = model.graph
    for node in graph.node:
        node.doc_string = SECRET
        helper.set_metadata_props(
            node,
            {
                "pkg.torch.onnx.stack_trace": STACK,
                "pkg.torch.onnx.class_hierarchy": f"['{SECRET}.Model', '{SECRET}.Block', 'aten.relu']",
                "pkg.torch.onnx.name_scopes": f"['', '{SECRET}', 'relu']",
                f"{SECRET}.key": f"/home/{SECRET}/x",
            },
        )
        node.attribute.append(helper.make_attribute(SECRET, f"{SECRET} value"))
        node.attribute.append(helper.make_attribute("texts", [SECRET]))
    weight = graph.initializer.add(name=f"{SECRET}.weight", dims=(3,), data_type=1)
    weight.data_location = onnx.TensorProto.EXTERNAL
    graph.value_info.append(helper.make_tensor_value_info("t1", 1, (SECRET, 2)))
    graph.name = SECRET
    model.producer_name, model.producer_version, model.domain = SECRET, SECRET, f"com.{SECRET}"
    helper.set_model_props(model, {SECRET: SECRET, "path": f"/home/{SECRET}/model.onnx"})
    onnx.save(model, folder / f"{SECRET}.onnx")
    return folder


def test_redaction_leaves_no_secret_and_the_same_costs(secret, tmp_path):
    report, extracted = tmp_path / "r.html", tmp_path / "extracted"
    page = "report", secret, "-o", report, "--charts", "static", "--isolated", "-q"
    run(*page, "--redact", "names,paths,host")
    run("extract", report, "-o", extracted)
    assert list(extracted.glob("*.onnx-structure.json"))
    for path in (report, *extracted.iterdir()):
        assert SECRET not in path.read_text(encoding="utf-8").lower(), path.name
        assert SECRET not in path.name
    assert costs(extracted) == costs(secret)
    model = read_engine(extracted).onnx
    stated = hashlib.sha256(next(secret.glob("*.onnx")).read_bytes()).hexdigest()
    assert stated not in json.dumps([model.sha256, model.file])


@pytest.mark.parametrize("kind", ["paths", "host"])
def test_redacted_paths_and_users_are_not_in_stack_traces(secret, tmp_path, kind):
    report = tmp_path / "r.html"
    page = "report", secret, "-o", report, "--charts", "static", "--isolated", "-q"
    run(*page, "--redact", kind)
    (structure,) = (source for source in read_engine(report).sources if source.role == "onnx")
    assert f"/home/{SECRET}" not in structure.data.decode()
    folders = ("/opt/", "/mnt/", "/ws/", "../", "~/", "D:\\\\")
    assert not [each for each in folders if each + SECRET in structure.data.decode()] or kind == "host"
    assert "self." in structure.data.decode()
    assert costs(report) == costs(secret)
    (line,) = analyze(read_engine(report)).onnx.by_source
    assert line.name.endswith("_model.py:7")


def test_a_path_that_a_model_states_is_redacted_in_logs_too(secret, tmp_path):
    path = f"/mnt/{SECRET}/model.onnx"
    model = onnx.load(secret / f"{SECRET}.onnx", load_external_data=False)
    helper.set_model_props(model, {"origin": path})
    onnx.save(model, secret / "model.onnx")
    (secret / "x.build.log").write_text(f"[I] Model: {path}\n")
    report = tmp_path / "r.html"
    page = "report", secret, "-o", report, "--charts", "static", "--isolated", "-q"
    run(*page, "--onnx", secret / "model.onnx", "--redact", "paths")
    assert [source.name for source in read_engine(report).sources if path in source.data.decode()] == []
    assert {source.role for source in read_engine(report).sources} >= {"log", "onnx"}
