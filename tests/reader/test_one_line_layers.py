"""Layers that a log lists in the inspector's one-line format are those of the file."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

from samples.generator.build_log import one_line_layers
from trexreport.reader import read_engine
from trexreport.reader.one_line_layers import read_one_line_layers

SAMPLES = Path(__file__).parents[2] / "samples"
RECORDS = [
    {
        "Name": "conv, LayerType + relu",
        "LayerType": "CaskConvolution",
        "Inputs": [
            {"Name": "x, y", "Location": "Device", "Dimensions": [1, 3], "Format/Datatype": "Half"},
            {"Name": "[Shuffle]_output", "Dimensions": [], "Format/Datatype": "Row major linear FP32"},
        ],
        "Outputs": [{"Name": "c", "Location": "Host", "Dimensions": [-1, 8], "Format/Datatype": "Int8"}],
        "Kernel": [3, 3],
        "PaddingMode": "kEXPLICIT_ROUND_DOWN",
        "Weights": {"Type": "Half", "Count": 24},
        "Groups": 1,
        "Operations": ["auto const a = f(x, Y: 3)", "b"],
        "TacticName": "",
        "StreamId": 0,
        "Metadata": "[ONNX Layer: a, Groups: 7]\x1e[ONNX Layer: b]",
    },
    {
        "Name": "gemm_myl0_1",
        "LayerType": "gemm",
        "Inputs": [{"Name": "c", "Dimensions": [-1, 8], "Format/Datatype": "Int8"}],
        "Constants": [{"Name": "w", "Dimensions": [8, 8], "Format/Datatype": "Int8"}],
        "Outputs": [{"Name": "y", "Dimensions": [-1, 8], "Format/Datatype": "Float"}],
        "TacticName": "sm80_xmma_gemm",
        "StreamId": 1,
        "Metadata": "",
    },
    {
        "Name": "__mye1",
        "LayerType": "shape_call",
        "Inputs": [],
        "Outputs": [],
        "TacticName": "",
        "Metadata": "",
    },
]
GRAPH = {"Layers": RECORDS, "Bindings": ["x, y", "y"]}
LINES = one_line_layers(GRAPH)


def _read(lines):
    return read_one_line_layers("\n".join(lines))


def test_records_are_those_that_were_written():
    found = _read(LINES)
    assert list(found.records) == RECORDS
    assert found.bindings == ("x, y", "y")
    assert not found.names_only
    assert found.unread == 0


@pytest.mark.parametrize("name", ["resnet18-int8-before", "detector-trt11", "transformer-trt10-myelin"])
def test_the_layers_of_a_sample_come_back(name):
    (path,) = (SAMPLES / name).glob("*.graph.json")
    graph = json.loads(path.read_text())
    found = read_one_line_layers("\n".join(one_line_layers(graph)))
    assert found.records == tuple(graph["Layers"])


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda line: f"2026-11-23T10:00:00.1234567Z {line}", id="CI system"),
        pytest.param(lambda line: f"trt-1  | {line}", id="container"),
        pytest.param(lambda line: f"E   {line}", id="pytest"),
        pytest.param(lambda line: f"> {line}", id="quotation"),
        pytest.param(lambda line: f"{line}\r", id="Windows"),
        pytest.param(lambda line: f"{line}\n", id="doubled ends of lines"),
    ],
)
def test_what_other_programs_put_into_lines_changes_nothing(change):
    found = _read([change(line) for line in [*LINES, "[11/20/2026-10:00:10] [I] Starting inference"]])
    assert (list(found.records), found.bindings) == (RECORDS, ("x, y", "y"))


def test_a_list_without_its_heading_is_read():
    found = _read(LINES[2:4])
    assert (list(found.records), found.bindings) == (RECORDS[:2], None)


def test_a_line_that_is_cut_is_counted():
    found = _read([*LINES[:4], LINES[4][:45]])
    assert list(found.records) == RECORDS[:2]
    assert found.unread == 1


def test_a_line_that_is_cut_within_its_tensors_is_counted():
    cut = LINES[3][: LINES[3].index("Outputs: [") + 20]
    found = _read([*LINES[:3], cut])
    assert list(found.records) == RECORDS[:1]
    assert found.unread == 1


def test_a_name_without_a_type_begins_no_layer():
    assert _read(["[11/20/2026-10:00:10] [I] Name: input"]) is None
    found = _read(["[11/20/2026-10:00:10] [I] Name: input", *LINES])
    assert (list(found.records), found.unread, found.engines) == (RECORDS, 0, 1)


def test_names_alone_are_read_with_their_bindings():
    graph = {"Layers": ["conv1 + relu1", "pool1"], "Bindings": ["input", "output"]}
    found = _read([*one_line_layers(graph), "[11/20/2026-10:00:10] [I] Starting inference"])
    assert found.names_only
    assert [record["Name"] for record in found.records] == graph["Layers"]
    assert found.bindings == ("input", "output")


def test_names_below_another_programs_heading_are_no_layers():
    assert _read(["Layers:", "first", "second", ""]) is None
    assert _read(["nothing"]) is None


def test_the_last_engine_counts_unless_it_has_names_alone():
    other = one_line_layers({"Layers": [RECORDS[1]], "Bindings": []})
    names = one_line_layers({"Layers": ["a"], "Bindings": ["x"]})
    assert list(_read([*LINES, *other]).records) == [RECORDS[1]]
    assert list(_read([*other, *LINES, *names]).records) == RECORDS
    assert [_read(lines).engines for lines in (LINES, [*LINES, *LINES], [*LINES, *other])] == [1, 1, 2]


def test_a_log_alone_is_a_capture(tmp_path):
    log = tmp_path / "paste.txt"
    log.write_text("\n".join(LINES[1:]), newline="")
    engine = read_engine(log)
    assert [layer.name for layer in engine.layers] == [record["Name"] for record in RECORDS]
    assert engine.layers[0].origins == ("a, Groups: 7", "b")
    assert [binding.name for binding in engine.bindings] == ["x, y", "y"]
    assert "layers-from-one-line-log" in {note.slug for note in engine.notes}


def test_names_of_a_file_get_what_the_log_states(tmp_path):
    names = {"Layers": [record["Name"] for record in RECORDS], "Bindings": ["x, y", "y"]}
    (tmp_path / "m.graph.json").write_text(json.dumps(names))
    (tmp_path / "m.build.log").write_text("\n".join(LINES), newline="")
    engine = read_engine(tmp_path)
    assert not engine.names_only
    assert [layer.attributes for layer in engine.layers] == RECORDS


@pytest.mark.parametrize(
    ("text", "unread"),
    [
        ("Layers:\n" + "Name: a, LayerType: b, Inputs: [" + "{ Name: " * 500_000, None),
        ("Layers:\n" * 200_000, None),
        ("Name: , LayerType: " * 100_000, None),
        ("Layers:\n" + "Name: a, LayerType: b, Inputs: [], Outputs: []" + ", K: [" * 500_000, 0),
    ],
)
def test_hostile_lines_end_soon(text, unread, monkeypatch):
    decodes = []

    class Decoder(json.JSONDecoder):
        def raw_decode(self, text, at):
            decodes.append(at)
            return super().raw_decode(text, at)

    monkeypatch.setattr("trexreport.reader.one_line_layers._DECODER", Decoder())
    found = read_one_line_layers(text)
    assert (found and found.unread) == unread
    # Each that fails reads the line up to its place.
    assert len(decodes) <= 100


#: Where real logs are: names of layers and of I/O tensors as counted by hand.
SHARED = Path(__file__).parents[3] / "shared" / "trtexec"
COUNTED = {
    "real-10.16.1-h100/trtexec-result-04.log": 9,
    "real-10.16.1-h100/EngineInspector-log-main.py.log": 26,
    "writer-8.6.1/02_profile_separate.stdout.log": 2,
    "writer-11.1/02_profile_separate.stdout.log": 2,
}


@pytest.mark.parametrize("name", COUNTED)
def test_real_logs_have_as_many_layers_as_were_counted(name):
    if not (SHARED / name).exists():
        pytest.skip("no real logs here")
    found = read_one_line_layers((SHARED / name).read_bytes().decode())
    assert (len(found.records), found.unread) == (COUNTED[name], 0)
    assert len(found.bindings) in (2, 3)


def test_a_real_log_states_what_the_file_of_another_build_states():
    folder = SHARED / "real-10.16.1-h100"
    if not folder.exists():
        pytest.skip("no real logs here")
    log = (folder / "trtexec-result-04.log").read_bytes().decode()
    graph = json.loads((folder / "trtexec-model-trained-exportLayerInfo.log").read_text())
    differing = {
        key
        for ours, theirs in zip(read_one_line_layers(log).records, graph["Layers"], strict=True)
        for key in ours.keys() | theirs.keys()
        if ours.get(key) != theirs.get(key)
    }
    # The builds chose two kernels differently.
    assert differing == {"TacticName", "TacticValue"}


def _chain(names):
    def tensor(name):
        return {"Name": name, "Dimensions": [1, 8], "Format/Datatype": "Half"}

    layers = [
        {"Name": f"layer {at}", "LayerType": "Unary", "Inputs": [tensor(one)], "Outputs": [tensor(two)]}
        for at, (one, two) in enumerate(pairwise(names))
    ]
    return {"Layers": layers, "Bindings": [names[0], names[-1]]}


def test_a_lost_line_is_noted_by_what_no_layer_writes(tmp_path):
    lines = one_line_layers(_chain(["x", "a", "b", "y"]))
    lost = [line for line in lines if "Name: layer 1," not in line]
    assert len(lost) == len(lines) - 1
    found = {}
    for name, text in (("whole", lines), ("lost", lost)):
        (tmp_path / f"{name}.log").write_text("\n".join(text) + "\n\n")
        notes = read_engine(tmp_path / f"{name}.log").notes
        found[name] = [note.message for note in notes if note.slug == "log-layers-missing"]
    message = "No layer in the log writes 1 tensor that others read: lines of the log may be missing."
    assert found == {"whole": [], "lost": [message]}


def test_constants_that_no_layer_writes_are_not_missing(tmp_path):
    graph = _chain(["x", "a", "y"])
    for name in ("x [profile 1]", "__mye519_dconst", "fc_bias _ ONNXTRT_Broadcast_constantHalf"):
        graph["Layers"][1]["Inputs"].append({"Name": name, "Dimensions": [8], "Format/Datatype": "Half"})
    (tmp_path / "b.log").write_text("\n".join(one_line_layers(graph)) + "\n\n")
    assert "log-layers-missing" not in [note.slug for note in read_engine(tmp_path / "b.log").notes]
