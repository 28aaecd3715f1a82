"""A verbose log gives what a graph file of names does not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from limits import processor_seconds

from samples.generator.build_log import verbose_layers as verbose_layers_of
from trexreport.analyzer import analyze
from trexreport.model.data_format import is_known_layout
from trexreport.reader import read_engine, verbose_layers
from trexreport.reader.verbose_layers import read_verbose_layers

SAMPLES = Path(__file__).parents[2] / "samples"
#: Name, type, tactic, inputs and outputs as (name, type, extents).
LAYERS = [
    ("r, [Shuffle]", "Reformat", "0x00", [("x", "Float", "1,3,8,8")], [("x [1], 2", "Half", "1,3:4,8,8")]),
    (
        "conv + relu",
        "CaskConvolution",
        "0x0ab1",
        [("x [1], 2", "Half", "1,3:4,8,8")],
        [("c", "Half", "1,64:8,8,8")],
    ),
    (
        "conv + relu",
        "CaskConvolution",
        "0x0ab2",
        [("c", "Half", "1,64:8,8,8")],
        [("d", "Half", "-2,64:8,8,8")],
    ),
    (
        "{ForeignNode[a...b]}",
        "Myelin",
        "0x00",
        [("d", "Half", "1,64:8,8,8"), ("s", "Int32", "")],
        [("y", "Float", "1")],
    ),
    ("constant", "Constant", "0x00", [], [("k", "Float", "1,1,64")]),
]
KERNELS = {"0x0ab1": ["ampere_h16816cudnn_128x64_ldg8_v1"], "0x0ab2": ["one_v1", "another_v1"]}
HEADER = "&&&& RUNNING TensorRT.trtexec [TensorRT v8601] # trtexec --onnx=m.onnx --fp16 --verbose\n"
SPELLINGS = {"8.5": "{}[{}({})]", "8.6": "{} ({}[{}])"}


def _log(spelling, layers=LAYERS):
    def tensors(found):
        return ", ".join(SPELLINGS[spelling].format(*each) for each in found)

    lines = ["[11/22/2026-10:00:00] [V] [TRT] =============== Computing costs for"]
    for tactic, names in KERNELS.items():
        lines += [
            f"[11/22/2026-10:00:00] [V] [TRT] conv Set Tactic Name: {name} Tactic: {tactic}" for name in names
        ]
    lines.append("[11/22/2026-10:00:01] [V] [TRT] Engine Layer Information:")
    for name, kind, tactic, read, written in layers:
        lines.append(f"Layer({kind}): {name}, Tactic: {tactic}, {tensors(read)} -> {tensors(written)}")
    return "\n".join([*lines, "[11/22/2026-10:00:02] [I] Engine built in 10 sec.", ""])


def _capture(tmp_path, log, names):
    (tmp_path / "m.build.log").write_text(HEADER + log)
    (tmp_path / "m.graph.json").write_text(json.dumps({"Layers": names, "Bindings": ["x", "y"]}))
    return read_engine(tmp_path)


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_types_shapes_and_kernels_are_those_of_the_log(spelling, tmp_path):
    engine = _capture(tmp_path, _log(spelling), [name for name, *_ in LAYERS])
    assert not engine.names_only
    assert {note.slug for note in engine.notes} >= {"layers-from-log"}
    assert "names-only" not in {note.slug for note in engine.notes}
    analysis = analyze(engine)
    assert not analysis.identity.names_only
    for layer, (name, kind, _, read, written) in zip(analysis.layers, LAYERS, strict=True):
        assert (layer.name, layer.subtype) == (name, kind)
        for uses, stated in ((layer.inputs, read), (layer.outputs, written)):
            assert [analysis.tensors[use.tensor].name for use in uses] == [each[0] for each in stated]
            types = {"Float": "FP32", "Half": "FP16", "Int32": "INT32"}
            found = [analysis.tensors[use.tensor].data_type for use in uses]
            assert found == [types[each[1]] for each in stated]
    first, second = analysis.layers[1:3]
    assert first.type == "Convolution"
    assert first.inputs[0].dimensions == (1, 3, 8, 8)
    assert second.outputs[0].dimensions == (-1, 64, 8, 8)
    assert (first.tactic, second.tactic) == ("ampere_h16816cudnn_128x64_ldg8_v1", "")
    assert analysis.memory.layers_without_weights == 3


@pytest.mark.parametrize(
    "log",
    [
        _log("8.6", [(f"other {name}", *rest) for name, *rest in LAYERS]),
        _log("8.6", LAYERS[:2]),
        _log("8.6", []),
        _log("8.6").replace("Layer(", "Lay("),
        "nothing",
    ],
)
def test_a_log_of_another_build_or_without_layers_changes_nothing(log, tmp_path):
    engine = _capture(tmp_path, log, [name for name, *_ in LAYERS])
    assert engine.names_only
    assert "names-only" in {note.slug for note in engine.notes}


def test_the_last_engine_of_a_log_counts():
    before = _log("8.5", [("old", "Pooling", "0x00", [("x", "Float", "1")], [("y", "Float", "1")])])
    assert [each["Name"] for each in read_verbose_layers(before + _log("8.5"))[0]] == [
        name for name, *_ in LAYERS
    ]


@pytest.mark.parametrize("other", ["Success !\n", "\n[05/24/2022-17:14:43] [TRT] [I] x\n", "\n"])
@pytest.mark.parametrize("version", ["8.5", "8.6"])
def test_other_output_in_a_line_costs_no_other_layer(version, other):
    log = _log(version)
    start = log.index("\n", log.index("\nLayer(") + 1) + 1
    end = log.index("\n", start)
    whole, _ = read_verbose_layers(log)
    assert len(whole) == len(LAYERS)
    for place in range(start, end):
        found, _ = read_verbose_layers(log[:place] + other + log[place:])
        names = [each["Name"] for each in found]
        assert names[:1] + names[-3:] == [whole[0]["Name"], *(each["Name"] for each in whole[2:])]
        assert found[-3:] == whole[2:]


def test_the_lines_of_layers_are_read_once(monkeypatch, tmp_path):
    reads = []
    lines = verbose_layers._layer_lines
    monkeypatch.setattr(verbose_layers, "_layer_lines", lambda text: reads.append(text) or lines(text))
    (tmp_path / "m.build.log").write_text(HEADER + _log("8.5"))
    assert len(read_engine(tmp_path).layers) == len(LAYERS)
    assert len(reads) == 1


def test_a_layer_that_cannot_be_read_is_noted(tmp_path):
    (tmp_path / "m.build.log").write_text(
        HEADER + _log("8.5").replace("Layer(Cask", "Layer(Success !\nCask", 1)
    )
    engine = read_engine(tmp_path / "m.build.log")
    assert len(engine.layers) == len(LAYERS) - 1
    (note,) = (each for each in engine.notes if each.slug == "log-layers-unread")
    assert note.message.startswith("1 layer of the log can't be read")


def test_a_log_alone_has_layers(tmp_path):
    (tmp_path / "m.build.log").write_text(HEADER + _log("8.5"))
    engine = read_engine(tmp_path / "m.build.log")
    assert [(layer.name, layer.subtype) for layer in engine.layers] == [each[:2] for each in LAYERS]
    assert not engine.names_only
    assert "no-graph" not in {note.slug for note in engine.notes}


#: A NoOp and a constant, which no profile times, stand between two layers and before the last one.
WITH_NO_OPS = [
    ("r", "Reformat", "0x00", [("x", "Float", "1,3,8,8")], [("a", "Half", "1,3,8,8")]),
    ("reshape", "NoOp", "0x00", [("a", "Half", "1,3,8,8")], [("b", "Half", "3,64")]),
    ("k", "Constant", "0x00", [], [("k_output", "Half", "3,64")]),
    (
        "add",
        "PointWiseV2",
        "0x00",
        [("b", "Half", "3,64"), ("k_output", "Half", "3,64")],
        [("c", "Half", "3,64")],
    ),
    ("last", "NoOp", "0x00", [("c", "Half", "3,64")], [("y", "Half", "192")]),
]
CREATED = (
    "[11/22/2026-10:00:03] [I] Created input binding for x with dimensions 1x3x8x8\n"
    "[11/22/2026-10:00:03] [I] Created output binding for y with dimensions 192\n"
)


def _profiled(tmp_path, log, names):
    times = [{"name": name, "timeMs": 10.0, "averageMs": 1.0, "percentage": 50.0} for name in names]
    (tmp_path / "m.profile.json").write_text(json.dumps([{"count": 10}, *times]))
    (tmp_path / "m.build.log").write_text(HEADER + log)
    return read_engine(tmp_path)


def test_layers_that_no_profile_times_are_those_of_the_log(tmp_path):
    engine = _profiled(tmp_path, _log("8.6", WITH_NO_OPS), ["r", "add"])
    assert [layer.name for layer in engine.layers] == [each[0] for each in WITH_NO_OPS]
    assert [each.name for each in engine.bindings if each.mode == "input"] == ["x"]
    assert [layer.time is not None for layer in engine.layers] == [True, False, False, True, False]


def test_layers_of_other_types_that_the_profile_lacks_are_not_added(tmp_path):
    other = [*WITH_NO_OPS, ("pool", "Pooling", "0x00", [("y", "Half", "192")], [("z", "Half", "192")])]
    assert len(_profiled(tmp_path, _log("8.6", other), ["r", "add"]).layers) == 2


@pytest.mark.parametrize("names", [["r", "add"], ["r", "reshape", "add"]])
def test_inputs_and_outputs_are_those_that_the_log_created(names, tmp_path):
    # Without the first layer what it writes has no writer.
    layers = [each for each in WITH_NO_OPS if each[0] in names]
    engine = _profiled(tmp_path, _log("8.6", layers) + CREATED, names)
    assert [(each.name, each.mode) for each in engine.bindings] == [("x", "input"), ("y", "output")]
    assert "bindings-inferred" not in {note.slug for note in engine.notes}


def test_a_log_that_lists_other_layers_is_stated(tmp_path):
    engine = _capture(tmp_path, _log("8.6"), [LAYERS[0][0], *map(str, range(20))])
    (note,) = (note for note in engine.notes if note.slug == "log-other-layers")
    assert note.severity == "degraded"
    assert note.message.startswith(
        f"A log lists {len(LAYERS)} layers, and has 1 of the 21 layers of the engine"
    )


@pytest.mark.parametrize(("created", "severity"), [("", "info"), (CREATED, "warning")])
def test_an_input_is_certain_only_where_the_log_states_it(created, severity, tmp_path):
    analysis = analyze(_profiled(tmp_path, _log("8.6", WITH_NO_OPS) + created, ["r", "add"]))
    (found,) = (each for each in analysis.lint.findings if each.code == "TRX206")
    assert found.severity == severity


def test_a_log_that_created_other_names_states_no_bindings(tmp_path):
    created = CREATED.replace("for x", "for p").replace("for y", "for q")
    engine = _profiled(tmp_path, _log("8.6", WITH_NO_OPS) + created, ["r", "add"])
    assert {"x", "y"} == {each.name for each in engine.bindings}


def test_a_graph_with_more_than_names_is_kept(tmp_path):
    record = {"Name": "conv + relu", "LayerType": "Pooling", "Inputs": [], "Outputs": []}
    engine = _capture(tmp_path, _log("8.6"), [record])
    assert [layer.subtype for layer in engine.layers] == ["Pooling"]


@pytest.mark.parametrize("text", ["a" * 300_000, "[Half(" * 60_000, " (Half[1" * 60_000, "-> " * 100_000])
def test_hostile_lines_take_linear_time(text):
    log = f"Engine Layer Information:\nLayer(Reformat): r, Tactic: 0x0, {text}\n"
    with processor_seconds(2):
        read_verbose_layers(log)


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize(
    ("kind", "extents", "expected"),
    [
        ("Half", "1,3,8,8", ("", 2 * 3 * 64)),
        ("Half", "1,3:4,8,8", ("NC/4", 2 * 4 * 64)),
        ("Int8", "2,33:32,8,8", ("NC/32", 2 * 64 * 64)),
        ("Half", "1:16,400,128", ("NC/16", 2 * 16 * 400 * 128)),
        ("Half", "1,3:8,4,8,8", ("NC/8", 2 * 8 * 4 * 64)),
        ("Float", "1,3:1,8,8", ("", 4 * 3 * 64)),
    ],
)
def test_channels_in_groups_are_padded_in_an_unknown_order(spelling, kind, extents, expected, tmp_path):
    layers = [("p", "Pooling", "0x00", [("x", kind, extents)], [("y", kind, extents)])]
    tensor = _capture(tmp_path, _log(spelling, layers), ["p"]).layers[0].inputs[0]
    assert (tensor.format.layout, tensor.size_bytes) == expected
    assert not is_known_layout(tensor.format.layout)


@pytest.mark.parametrize("prefix", ["", "[12/04/2021-06:44:31] [V] [TRT] "])
@pytest.mark.parametrize("name", ["x.build.log", "run.log", "layers.txt"])
def test_a_log_of_nothing_but_the_layers_is_read(tmp_path, prefix, name):
    layers = "Layer(CaskConvolution): conv1, Tactic: 5, x[Half(1,3,8,8)] -> y[Half(1,4,8,8)]\n"
    (tmp_path / name).write_text(f"{prefix}Engine Layer Information:\n{layers}")
    engine = read_engine(tmp_path / name)
    assert [layer.name for layer in engine.layers] == ["conv1"]
    assert not engine.names_only


@pytest.mark.parametrize("name", ["resnet18-int8-before", "transformer-trt10-myelin"])
@pytest.mark.parametrize("version", ["7", "8.5", "8.6"])
def test_the_layers_of_a_plan_come_back(name, version):
    (path,) = (SAMPLES / name).glob("*.graph.json")
    graph = json.loads(path.read_text())
    found, unread = read_verbose_layers("\n".join(verbose_layers_of(graph, version)))
    assert unread == 0
    assert [(each["Name"], each["LayerType"]) for each in found] == [
        (each["Name"], each["LayerType"]) for each in graph["Layers"]
    ]
    for key in ("Inputs", "Outputs"):
        assert [[(tensor["Name"], tensor["Dimensions"]) for tensor in each[key]] for each in found] == [
            [(tensor["Name"], tensor["Dimensions"]) for tensor in each[key]] for each in graph["Layers"]
        ]


@pytest.mark.parametrize(
    "prefix",
    [
        "[TensorRT] VERBOSE: ",
        "[TRT]    ",
        "[11/22/2026-10:00:01] [TRT] [V] ",
        "trt-1  | [V] ",
        "2026-11-22T10:00:01.123Z ",
    ],
)
def test_a_prefix_on_every_line_changes_nothing(prefix):
    whole, _ = read_verbose_layers(_log("8.5"))
    lines = _log("8.5").split("[V] [TRT] Engine Layer")[1].splitlines()
    found, unread = read_verbose_layers(
        "\n".join(prefix + line for line in ["Engine Layer" + lines[0], *lines[1:6]])
    )
    assert unread == 0
    assert [each["Name"] for each in found] == [each["Name"] for each in whole]


def test_a_pasted_list_without_its_heading_is_read(tmp_path):
    (tmp_path / "paste.txt").write_text("\n".join(_log("8.5").splitlines()[5:-1]))
    engine = read_engine(tmp_path / "paste.txt")
    assert [layer.name for layer in engine.layers] == [name for name, *_ in LAYERS]


def test_kernels_are_those_of_timed_tactics_too():
    timed = "[V] [TRT] Tactic Name: sm80_xmma_v1 Tactic: 0x0ab1 Time: 0.00535\r\n"
    (record,) = read_verbose_layers(timed + _log("8.6", LAYERS[1:2]).replace("Set Tactic", "-"))[0]
    assert record["TacticName"] == "sm80_xmma_v1"


def test_a_line_of_layers_that_is_cut_is_not_read():
    lines = _log("8.6", LAYERS[1:3]).splitlines()[:-1]
    assert read_verbose_layers("\n".join([*lines[:-1], lines[-1][:-20]]))[1] == 1


def test_separators_in_names_split_no_line():
    layers = [("a\x1eb\x85c", "NoOp", "0x00", [("x", "Half", "1")], [("y", "Half", "1")])]
    assert read_verbose_layers(_log("8.6", layers))[0][0]["Name"] == "a\x1eb\x85c"


def test_several_engines_in_a_log_are_noted(tmp_path):
    other = _log("8.5", [("old", "Pooling", "0x00", [("x", "Float", "1")], [("y", "Float", "1")])])
    (tmp_path / "m.build.log").write_text(HEADER + other + _log("8.5"))
    engine = read_engine(tmp_path / "m.build.log")
    assert [layer.name for layer in engine.layers] == [name for name, *_ in LAYERS]
    (note,) = (each for each in engine.notes if each.slug == "log-several-engines")
    assert note.message == "The log lists the layers of 2 engines; those of the last one are shown."


@pytest.mark.parametrize(("name", "count"), [("trtexec-8.0.3-fp16.log", 10), ("trtexec-8.4.1-fp16.log", 12)])
def test_real_logs_have_as_many_layers_as_were_counted(name, count):
    path = Path(__file__).parents[3] / "shared" / "trtexec" / "real-8.x" / name
    if not path.exists():
        pytest.skip("no real logs here")
    found, unread = read_verbose_layers(path.read_bytes().decode())
    assert (len(found), unread) == (count, 0)
    assert all(each["Outputs"] for each in found)


def test_a_log_without_layers_has_none_and_none_unread():
    assert read_verbose_layers("nothing") == ([], 0)
    assert read_verbose_layers(f"{verbose_layers.HEADING}\n") == ([], 0)


def test_a_list_without_its_heading_begins_with_its_first_layer():
    whole, _ = read_verbose_layers(_log("8.6"))
    log = _log("8.6")
    pasted = log[log.index("Layer(") :]
    assert read_verbose_layers(pasted)[0][0]["Name"] == whole[0]["Name"]
    assert len(read_verbose_layers(f"See:\n{pasted}")[0]) == len(LAYERS)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_line_that_a_terminal_broke_is_read_whole(end):
    log = _log("8.6")
    place = log.index("conv + relu", log.index("Layer(Cask"))
    broken = log[: place + 4] + end + log[place + 4 :]
    assert read_verbose_layers(broken) == read_verbose_layers(log)


def test_a_layer_computes_what_its_type_states():
    convolution, constant = (read_verbose_layers(_log("8.6"))[0][at] for at in (1, 4))
    assert convolution["ParameterType"] == "Convolution"
    assert "ParameterType" not in constant


def test_extents_that_are_not_stated_are_unknown():
    layers = [("a", "Pooling", "0x00", [("x", "Float", f"1,-,-7,{9**20}")], [("y", "Float", "1")])]
    ((record,), unread) = read_verbose_layers(_log("8.5", layers))
    assert record["Inputs"][0]["Dimensions"] == [1, -1, -1, -1]
    assert unread == 0


def test_a_name_may_hold_the_arrow():
    layers = [("a", "Pooling", "0x00", [("x", "Float", "1")], [("f(x) -> g", "Float", "1")])]
    ((record,), _) = read_verbose_layers(_log("8.6", layers))
    assert [each["Name"] for each in record["Outputs"]] == ["f(x) -> g"]
