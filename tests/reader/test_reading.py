"""Whole captures: every shape of a graph file, what is missing, and what is damaged."""

from __future__ import annotations

import json

import pytest

from trexreport.analyzer import analyze
from trexreport.errors import InputError
from trexreport.reader import capture_reading, read_engine
from trexreport.reader.graph_file import read_graph
from trexreport.wording.memory import memory_amounts


def tensor(name, *dimensions, text="Half"):
    return {"Name": name, "Dimensions": list(dimensions), "Format/Datatype": text}


def layer(name, reads=(), writes=(), kind="Convolution", **more):
    return {
        "Name": name,
        "LayerType": kind,
        "Inputs": [tensor(each, 1, 8) for each in reads],
        "Outputs": [tensor(each, 1, 8) for each in writes],
        **more,
    }


def graph(*layers, **more):
    return {"Layers": list(layers), **more}


def profile(**times):
    rows = [{"name": name, "timeMs": 10 * ms, "averageMs": ms, "medianMs": ms} for name, ms in times.items()]
    return [{"count": 10}, *rows]


CHAIN = (layer("a", ["x"], ["t"]), layer("b", ["t"], ["y"]))
TIMES = profile(a=1, b=2)
LOG = """&&&& RUNNING TensorRT.trtexec [TensorRT v8601] # trtexec --onnx=m.onnx
[01/02/2026-03:04:05] [I] === Device Information ===
[01/02/2026-03:04:05] [I] Selected Device: NVIDIA A100
[01/02/2026-03:04:05] [I] === Performance summary ===
[01/02/2026-03:04:05] [I] Latency: min = 1 ms, max = 2 ms, mean = 1 ms, median = 1.5 ms
&&&& PASSED TensorRT.trtexec [TensorRT v8601] # trtexec --onnx=m.onnx
"""


def slugs(engine):
    return [note.slug for note in engine.notes]


def bound(engine):
    return [(binding.name, binding.mode) for binding in engine.bindings]


@pytest.mark.parametrize(
    "content",
    [
        graph(*CHAIN, Bindings=["x", "y"]),
        graph(
            *CHAIN, **{"I/O Tensors": [{"Name": "x", "IOMode": "Input"}, {"Name": "y", "IOMode": "Output"}]}
        ),
        {"layers": list(CHAIN), "bindings": ["x", "y"]},
        list(CHAIN),
        "[I] log\n" + json.dumps(graph(*CHAIN, Bindings=["x", "y"]), indent=1) + "\n&&&& PASSED",
        json.dumps(graph(*CHAIN)).encode("utf-16"),
    ],
    ids=["8-to-10", "11", "lower-case", "bare-list", "in-a-log", "utf-16"],
)
def test_shapes_of_a_graph_file(capture, content):
    engine = read_engine(capture(graph=content, profile=TIMES))
    assert [(each.name, each.type, each.time.avg_ms) for each in engine.layers] == [
        ("a", "Convolution", 1),
        ("b", "Convolution", 2),
    ]
    assert bound(engine) == [("x", "input"), ("y", "output")]
    assert engine.profiled_iterations == 10
    assert set(slugs(engine)) <= {"bindings-inferred", "json-in-text", "no-timing", "no-setup"}


def test_names_only(capture):
    engine = read_engine(capture(graph={"Layers": ["a", "b"], "Bindings": ["x", "y"]}, profile=TIMES))
    assert engine.names_only
    assert [(each.name, each.type, each.time.avg_ms) for each in engine.layers] == [
        ("a", "", 1),
        ("b", "", 2),
    ]
    assert bound(engine) == [("x", "unknown"), ("y", "unknown")]
    assert _hint_of_names(engine) == (
        "From TensorRT 8.2 on: build the engine again with --profilingVerbosity=detailed."
    )


@pytest.mark.parametrize(
    ("version", "begins"),
    [("8.6.1", "Build the engine"), ("8.0.3", "From TensorRT 8.2 on: build the engine")],
)
def test_names_only_of_a_known_version(capture, version, begins):
    log = f"[I] TensorRT version: {version}\n"
    engine = read_engine(capture(graph={"Layers": ["a", "b"], "Bindings": ["x", "y"]}, log=log))
    assert _hint_of_names(engine).startswith(begins)


def _hint_of_names(engine):
    return next(note.hint for note in engine.notes if note.slug == "names-only")


def test_a_profile_alone(capture):
    engine = read_engine(capture(profile=TIMES))
    assert [(each.name, each.time.avg_ms) for each in engine.layers] == [("a", 1), ("b", 2)]
    assert slugs(engine) == ["no-graph", "no-timing", "no-setup"]


def test_logs_alone(capture):
    engine = read_engine(capture(log=LOG))
    assert engine.layers == ()
    assert engine.setup.device["Selected Device"] == "NVIDIA A100"
    assert engine.setup.tensorrt_version == "8.6.1"
    assert engine.measurement.summary["Latency"].median_ms == 1.5
    assert "no-graph" in slugs(engine)


def test_a_graph_alone(capture):
    engine = read_engine(capture(graph=graph(*CHAIN)))
    assert not engine.is_profiled
    assert slugs(engine) == ["bindings-inferred", "no-profile", "no-timing", "no-setup"]


@pytest.mark.parametrize(("kept", "missing"), [("Outputs", "input"), ("Inputs", "output")])
def test_a_graph_of_which_one_side_was_kept_has_no_bindings_and_unknown_memory(kept, missing, capture):
    records = [{"Name": each["Name"], "LayerType": each["LayerType"], kept: each[kept]} for each in CHAIN]
    engine = read_engine(capture(graph=graph(*records)))
    assert engine.bindings == ()
    assert slugs(engine)[0] == "one-sided"
    assert f"No layer states its {missing}s" in engine.notes[0].message
    analysis = analyze(engine)
    assert memory_amounts(analysis.memory)["weights"] == "unknown"
    assert {each.role for each in analysis.tensors} == {"activation"}


def test_tensors_without_shapes_are_not_called_dynamic(capture):
    records = [
        {**each, **{side: [{"Name": x["Name"]} for x in each[side]] for side in ("Inputs", "Outputs")}}
        for each in CHAIN
    ]
    engine = read_engine(capture(graph=graph(*records)))
    assert "no-shapes" in slugs(engine)
    assert "dynamic-shapes" not in slugs(engine)


def test_vectors_of_dynamic_length_state_their_shape(capture):
    tensors = [
        {"Name": name, "Dimensions": [-1], "Format/Datatype": "Row major linear FP16"} for name in "ab"
    ]
    engine = read_engine(
        capture(
            graph=graph({"Name": "neg", "LayerType": "Unary", "Inputs": tensors[:1], "Outputs": tensors[1:]})
        )
    )
    assert "dynamic-shapes" in slugs(engine)
    assert "no-shapes" not in slugs(engine)


def test_the_log_gives_times_where_no_profile_does(capture):
    lines = ("=== Profile (10 iterations ) ===", "   Time(ms)     Avg.(ms)   Median(ms)   Time(%)   Layer")
    rows = (
        "        10.00         1.0000         1.0000      33.3   a",
        "        20.00         2.0000         2.0000      66.7   b",
    )
    log = LOG + "".join(f"[01/02/2026-03:04:05] [I] {line}\n" for line in (*lines, *rows))
    engine = read_engine(capture(graph=graph(*CHAIN), log=log))
    assert [each.time.avg_ms for each in engine.layers] == [1, 2]
    assert engine.profiled_iterations == 10
    assert "profile-from-log" in slugs(engine)


@pytest.mark.parametrize("damaged", ["profile", "timing", "build_metadata", "profile_metadata", "metadata"])
def test_a_damaged_companion_is_noted_and_a_stated_one_is_an_error(capture, damaged):
    folder = capture(graph=graph(*CHAIN), **{damaged: '[{"half": '})
    name = f"x.{damaged.replace('_', '.')}.json"
    note = next(note for note in read_engine(folder).notes if note.slug == "file-left-out")
    assert note.severity == "degraded"
    assert f"{name} is cut off" in note.message
    with pytest.raises(InputError, match="is cut off"):
        read_engine(folder / "x.graph.json", files={damaged.replace("_", "-"): folder / name})


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", r"x\.graph\.json is empty"),
        ("hello", r"x\.graph\.json is not JSON"),
        ('{"Layers": [{"Name": "a"', r"x\.graph\.json is cut off at line 1"),
        ("{}", r"x\.graph\.json is JSON, but not of a kind"),
        ('{"Layers": []}', r"x\.graph\.json holds no layers"),
        ('{"Layers": [1, null]}', r"x\.graph\.json holds no layers"),
        ("[" * 1_000_000, r"x\.graph\.json is nested too deeply"),
        (b"\x00\x01\xff\xfe", r"x\.graph\.json is not JSON"),
    ],
)
def test_a_damaged_graph_is_an_error(capture, content, message):
    with pytest.raises(InputError, match=message) as caught:
        read_engine(capture(graph=content, profile=TIMES))
    assert caught.value.exit_code == 3
    assert caught.value.hint


def test_nothing_that_can_be_used(capture):
    with pytest.raises(InputError, match="nothing in its files can be used"):
        read_engine(capture(build_metadata="{}"))
    with pytest.raises(InputError, match="is cut off"):
        read_engine(capture(build_metadata="{}", timing="["))


def test_odd_entries_are_left_out_and_counted(capture):
    odd = {"LayerType": 3, "Inputs": "x", "Outputs": [4, {"Name": None}], "StreamId": "x"}
    engine = read_engine(capture(graph=graph(*CHAIN, 5, None, odd, "c")))
    assert [each.name for each in engine.layers] == ["a", "b", "(layer 4 has no name)", "c"]
    assert engine.layers[2].attributes == odd
    assert "graph-entries" in slugs(engine)


def test_duplicate_names_get_keys_of_their_own(capture):
    names = ["a", "a", "a (2)", "a", "b"]
    layers = [layer(name, ["x"], [f"y{at}"]) for at, name in enumerate(names)]
    engine = read_engine(capture(graph=graph(*layers)))
    assert [each.name for each in engine.layers] == names
    assert [each.key for each in engine.layers] == ["a", "a (3)", "a (2)", "a (4)", "b"]
    assert "duplicate-names" in slugs(engine)


@pytest.mark.parametrize(
    ("read", "is_noted"),
    [
        ([1, 8, 4, 4], False),
        ([1, 8, 28, 28], False),  # More than is written is impossible.
        ([1, 4, 4, 4], False),
        ([8, 4, 4], False),
        ([4, 8, 1, 4], False),  # A transpose.
        ([3, 2, 16, 4], False),  # A buffer of Q, K and V.
        ([4, 2, 4, 2], True),
    ],
)
def test_layers_that_state_different_shapes_of_a_tensor_are_noted(capture, read, is_noted):
    first, second = layer("a", ["x"], ["t"], "ElementWise"), layer("b", ["t"], ["y"], "ElementWise")
    first["Outputs"][0]["Dimensions"], second["Inputs"][0]["Dimensions"] = [1, 8, 4, 4], read
    noted = [
        note
        for note in read_engine(capture(graph=graph(first, second))).notes
        if note.slug == "unlike-shapes"
    ]
    assert len(noted) == is_noted
    assert not noted or f"1×8×4×4 and {'×'.join(map(str, read))}" in noted[0].message


def test_a_layer_that_is_listed_twice_is_read_once(capture):
    engine = read_engine(capture(graph=graph(*CHAIN, *CHAIN)))
    assert [each.name for each in engine.layers] == ["a", "b"]
    assert "layers-twice" in slugs(engine)
    # Layers without tensors write nothing twice.
    bare = {"Name": "n", "LayerType": "NoOp", "Inputs": [], "Outputs": []}
    assert [each.name for each in read_engine(capture(graph=graph(bare, bare))).layers] == ["n", "n"]


def test_hostile_names_are_not_altered(capture):
    names = [
        "</script><img src=x>",
        "{{7*7}}",
        '"onmouseover=',
        "n" * 100_000,
        "\u202eleft",
        "nul\0",
        "a\x1eb\nc",
    ]
    times = profile(**dict.fromkeys(names, 1))
    engine = read_engine(capture(graph=graph(*(layer(name, ["x"], ["y"]) for name in names)), profile=times))
    assert [each.name for each in engine.layers] == names
    assert all(each.time for each in engine.layers)


def test_what_a_layer_computes(capture):
    layers = [
        layer("a", kind="CaskConvolution", ParameterType="Convolution", TacticName="sm80", StreamId=2),
        layer("b", kind="CaskDeconvolutionV2", ParameterType="Convolution"),
        layer("__myl_CastMul_myl0_1", kind="kgen", Metadata="[ONNX Layer: p]\x1e[ONNX Layer: q]"),
        layer("/emb/Gather_myl0_2", kind="kgen", TacticName="__myl_Gath_0x2cd78149e8945635e90b95a3f4f72c0d"),
    ]
    conv, deconv, kernel, lookup = read_engine(capture(graph=graph(*layers))).layers
    assert (conv.type, conv.subtype, conv.tactic, conv.stream) == (
        "Convolution",
        "CaskConvolution",
        "sm80",
        2,
    )
    assert deconv.type == "Deconvolution"
    assert (kernel.type, kernel.origins, kernel.operations) == ("kgen", ("p", "q"), ("Cast", "Mul"))
    assert lookup.operations == ("Gather",)


def test_the_precision_is_that_of_the_data_and_not_of_a_mask(capture):
    masked = layer(
        "a", Inputs=[tensor("m", 1, text="Bool"), tensor("x", 1)], Outputs=[tensor("i", 1, text="Int32")]
    )
    found = read_engine(capture(graph=graph(masked))).layers[0]
    assert (found.precision, found.output_precision) == ("FP16", "INT32")


def test_a_cycle_is_no_trouble(capture):
    engine = read_engine(capture(graph=graph(layer("a", ["u"], ["v"]), layer("b", ["v"], ["u"]))))
    assert [(t.name, t.version) for each in engine.layers for t in (*each.inputs, *each.outputs)] == [
        ("u", 0),
        ("v", 1),
        ("v", 1),
        ("u", 1),
    ]


def test_bindings_of_tensorrt_11_follow_the_optimization_profile(capture):
    shapes = [
        {
            "MinShape": [1, 8],
            "OptShape": [2, 8],
            "MaxShape": [4, 8],
            "Format": "Row major linear FP32 format (kLINEAR)",
        },
        {"MinShape": [8, 8], "OptShape": [16, 8], "MaxShape": [32, 8], "Format": "kHWC8"},
    ]
    io = [{"Name": "x", "IOMode": "Input", "DataType": "Float", "Dimensions": [-1, 8], "ProfileInfo": shapes}]
    second = layer("a [profile 1]", Inputs=[tensor("x [profile 1]", -1, 8)], Outputs=[])
    folder = capture(
        graph=graph(layer("a", [], ["t"]), second, **{"I/O Tensors": [*io, {"IOMode": "Input"}, 3]})
    )
    first = read_engine(folder).bindings
    assert [(each.shape_range, each.tensor.format.short) for each in first] == [
        (((1, 8), (2, 8), (4, 8)), "FP32 linear")
    ]
    (found,) = read_engine(folder, optimization_profile=1).bindings
    assert (found.name, found.mode, found.tensor.name) == ("x", "input", "x [profile 1]")
    assert found.shape_range == ((8, 8), (16, 8), (32, 8))


@pytest.mark.parametrize("largest", [[4], [4, 8, 1], [[], [[]], []], [0, 8]])
def test_shapes_that_are_no_range_are_unknown(capture, largest):
    shapes = [{"MinShape": [1, 8], "OptShape": [2, 8], "MaxShape": largest}]
    io = [{"Name": "x", "IOMode": "Input", "DataType": "Float", "Dimensions": [-1, 8], "ProfileInfo": shapes}]
    engine = read_engine(capture(graph=graph(layer("a", [], ["t"]), **{"I/O Tensors": io})))
    assert [binding.shape_range for binding in engine.bindings] == [None]
    assert "I/O tensor 'x'" in " ".join(note.message for note in engine.notes)


def test_bindings_of_a_second_profile(capture):
    layers = [*CHAIN, layer("a [profile 1]", ["x [profile 1]"], ["y [profile 1]"])]
    for names in (["x", "y", "x [profile 1]", "y [profile 1]"], ["x", "y"]):
        folder = capture(graph=graph(*layers, Bindings=names))
        assert [mode for _, mode in bound(read_engine(folder))] == ["input", "output"]
        assert [mode for _, mode in bound(read_engine(folder, optimization_profile=1))] == ["input", "output"]
    with pytest.raises(InputError, match=r"no optimization profile 2\. The file has: 0, 1"):
        read_engine(folder, optimization_profile=2)


def test_a_name_that_is_read_and_written_again_is_an_output(capture):
    layers = (layer("a", ["x"], ["t"]), layer("b", ["t"], ["u"]), layer("c", ["u"], ["t"]))
    assert bound(read_engine(capture(graph=graph(*layers)))) == [("x", "input"), ("t", "output")]


def test_inferred_bindings_leave_out_what_is_myelins_own(capture):
    reads = ["x", "__mye_constant", "l2_cache_policy_inputs_0", "(Unnamed) [Constant]_output"]
    engine = read_engine(capture(graph=graph(layer("a", reads, ["y", "__myln_k_arg__bb0_1_myl0"]))))
    assert bound(engine) == [("x", "input"), ("y", "output")]


def test_sizes_known_only_at_run_time_give_a_note(capture):
    engine = read_engine(
        capture(
            graph=graph(
                layer(
                    "a",
                    Inputs=[tensor("x", -1, 8)],
                    Outputs=[tensor("y", 1, text="N/A due to dynamic shapes")],
                )
            )
        )
    )
    assert "dynamic-shapes" in slugs(engine)
    assert "unknown-formats" not in slugs(engine)
    assert any("whose size, type and layout are unknown: 1." in note.message for note in engine.notes)


@pytest.mark.parametrize("of_another_type", [False, True])
def test_shapes_of_a_run_are_asked_for_unless_myelin_generated_all_layers(capture, of_another_type):
    tensors = {"Inputs": [tensor("x", -1, 8)], "Outputs": [tensor("y", -1, 8)]}
    records = [layer("a", LayerType="kgen", **tensors)]
    if of_another_type:
        records.append(layer("b", LayerType="Unary", Inputs=tensors["Outputs"], Outputs=[tensor("z", -1, 8)]))
    engine = read_engine(capture(graph=graph(*records)))
    (note,) = (each for each in engine.notes if each.slug == "dynamic-shapes")
    assert ("with --shapes" in note.hint) is of_another_type


def test_the_name_can_be_given(capture):
    folder = capture(graph=graph(*CHAIN))
    assert read_engine(folder).name == "x"
    assert read_engine(folder, name="given").name == "given"


def test_every_real_engine_is_read(engines_folder):
    folders = sorted(each for each in engines_folder.iterdir() if each.is_dir())
    assert folders
    for folder in folders:
        engine = read_engine(folder)
        found = next(source for source in engine.sources if source.role == "graph")
        document = json.loads(found.data, strict=False)
        assert len(engine.layers) == len(document["Layers"])
        assert all(binding.mode != "unknown" for binding in engine.bindings) or engine.names_only
        assert {note.severity for note in engine.notes} <= {"info", "repaired", "degraded"}
        if not engine.names_only:
            assert not {"unknown-formats", "layers-not-profiled", "profile-without-layer"} & set(
                slugs(engine)
            )
            assert all(
                t.size_bytes is not None for each in engine.layers for t in (*each.inputs, *each.outputs)
            )


def test_a_log_of_errors_alone_names_the_first(capture):
    log = "[01/02/2025-10:00:00] [E] Error[1]: no such file m.onnx\n[01/02/2025-10:00:00] [E] another\n"
    with pytest.raises(InputError, match=r"The first error: Error\[1\]: no such file m\.onnx"):
        read_engine(capture(log=log))


def test_an_empty_log_beside_a_graph_is_noted(capture, tmp_path):
    folder = capture(graph=graph(layer("a", ["x"], ["y"])))
    (tmp_path / "run.log").write_text("")
    engine = read_engine(folder / "x.graph.json", files={"log": tmp_path / "run.log"})
    assert "log-empty" in slugs(engine)


def test_what_is_missing_is_stated(capture):
    engine = read_engine(capture(graph=graph(layer("a", ["x"], ["y"]))))
    missing = {note.slug: note.affects for note in engine.notes if note.severity == "info"}
    assert missing == {"no-timing": ("timing",), "no-setup": ("overview", "build")}


def test_a_cache_that_is_updated_in_place_is_an_input_and_an_output(capture):
    steps = (layer("a", ["x", "cache"], ["t"]), layer("b", ["t"], ["cache"]))
    listed = read_engine(capture(graph=graph(*steps, Bindings=["x", "cache"])))
    assert [(each.name, each.mode, each.tensor.version) for each in listed.bindings] == [
        ("x", "input", 0),
        ("cache", "input", 0),
        ("cache", "output", 1),
    ]
    io = [{"Name": "x", "IOMode": "Input"}, {"Name": "cache", "IOMode": "Output"}]
    stated = read_engine(capture(graph=graph(*steps, **{"I/O Tensors": io})))
    assert [(each.name, each.mode) for each in stated.bindings] == [
        ("x", "input"),
        ("cache", "input"),
        ("cache", "output"),
    ]


@pytest.mark.parametrize(
    ("kind", "more", "computed"),
    [
        ("CaskConvolution", {}, "Convolution"),
        ("CaskGemmConvolution", {}, "Convolution"),
        ("CaskSoftMaxV2", {}, "SoftMax"),
        ("CaskDeconvolutionV2", {"ParameterType": "Convolution"}, "Deconvolution"),
        ("CaskPooling", {}, "Pooling"),
        ("CublasLtMatrixMultiply", {}, "MatrixMultiply"),
        ("CaskConvolution", {"ParameterType": "ConvActPool"}, "ConvActPool"),
        ("kgen", {}, "kgen"),
        ("PluginV2", {}, "PluginV2"),
    ],
)
def test_implementations_are_known_by_what_they_compute(kind, more, computed, capture):
    (found,) = read_engine(capture(graph=graph(layer("a", ["x"], ["y"], kind, **more)))).layers
    assert (found.type, found.subtype) == (computed, kind)


def test_the_layers_of_runs_of_one_model_are_read_once(capture, monkeypatch):
    read = []
    monkeypatch.setattr(
        capture_reading, "read_graph", lambda *given, make=read_graph: read.append(given) or make(*given)
    )
    capture_reading._graphs.clear()
    folder = capture(graph=graph(*CHAIN), profile=TIMES)
    (path,) = folder.glob("*graph.json")
    path.write_bytes(path.read_bytes().replace(b'"b"', b'"b\xff"'))
    first, second = read_engine(folder), read_engine(folder)
    assert len(read) == 1
    assert first == second
    assert "encoding" in {note.slug for note in second.notes}
    # The same under another name, which notes state, and another content.
    path = path.rename(path.with_name("another.graph.json"))
    assert ("encoding", path.name) in {(note.slug, note.source) for note in read_engine(folder).notes}
    path.write_bytes(path.read_bytes().replace(b'"x"', b'"w"'))
    assert read_engine(folder).layers[0].inputs[0].name == "w"
    assert len(read) == 3


def test_a_large_file_of_layers_is_not_remembered(capture, monkeypatch):
    monkeypatch.setattr(capture_reading, "_LARGEST_REMEMBERED", 10)
    capture_reading._graphs.clear()
    folder = capture(graph=graph(layer("a", ["x"], ["y"])))
    assert read_engine(folder) == read_engine(folder)
    assert not capture_reading._graphs._values


@pytest.mark.parametrize(
    ("command", "hint"),
    [
        ("--loadEngine=m.plan", "Build the engine again with --profilingVerbosity=detailed, and run it with"),
        ("--onnx=m.onnx --saveEngine=m.plan", "Run trtexec with --profilingVerbosity=detailed"),
        ("--onnx=m.onnx --profilingVerbosity=detailed", "Add --exportLayerInfo to the command, and with"),
        (
            "--onnx=m.onnx --profilingVerbosity=detailed --dumpLayerInfo",
            "Give the whole log, in which --dumpLayerInfo lists the layers, or add --exportLayerInfo to",
        ),
        (
            "--loadEngine=m.plan --profilingVerbosity=detailed",
            "Build the engine again with --profilingVerbosity=detailed, and run it with",
        ),
    ],
)
def test_a_loaded_engine_has_to_be_built_again_for_its_layers(tmp_path, command, hint):
    (tmp_path / "a.log").write_text(f"&&&& RUNNING TensorRT.trtexec [TensorRT v8601] # trtexec {command}\n")
    (note,) = (note for note in read_engine(tmp_path).notes if note.slug == "no-graph")
    assert note.hint.startswith(hint)
    assert "--exportProfile" in note.hint


@pytest.mark.parametrize(
    ("options", "hint"),
    [
        (
            "--exportLayerInfo=/x/g.json",
            "Give g.json, which --exportLayerInfo of the command writes, too.",
        ),
        (
            "--exportLayerInfo='/x/g h.json'",
            "Give g h.json, which --exportLayerInfo of the command writes, too.",
        ),
        (
            "--exportLayerInfo=/x/",
            "Give what --exportLayerInfo of the command writes, too.",
        ),
        (
            "--exportProfile=/x/p.json --exportLayerInfo=/x/g.json",
            "Give g.json and p.json, which --exportLayerInfo and --exportProfile of the command write, too.",
        ),
        (
            "--exportProfile=/x/p.json",
            "Build the engine again with --profilingVerbosity=detailed, and run it with --exportLayerInfo.",
        ),
    ],
)
def test_what_the_command_wrote_is_asked_for_as_a_file(tmp_path, options, hint):
    line = f"&&&& RUNNING TensorRT.trtexec [TensorRT v8601] # trtexec --loadEngine=m.plan {options}\n"
    (tmp_path / "a.log").write_text(line)
    (note,) = (note for note in read_engine(tmp_path).notes if note.slug == "no-graph")
    assert note.hint == hint


@pytest.mark.parametrize("has_median", [False, True])
def test_a_table_without_medians_may_be_of_a_version_that_exports_no_layers(tmp_path, has_median):
    heads, figures = ("   Median Time (ms)", "   0.2") if has_median else ("", "")
    table = (
        "=== Profile (100 iterations ) ===",
        f"   Layer   Time (ms)   Avg. Time (ms){heads}   Time %",
        f"  Conv_0       20.00             0.2{figures}    100.0",
        f"   Total       20.00             0.2{figures}    100.0",
    )
    (tmp_path / "a.log").write_text("\n".join(f"[06/26/2020-13:30:20] [I] {line}" for line in table))
    (note,) = (note for note in read_engine(tmp_path).notes if note.slug == "no-graph")
    assert note.hint.startswith("Run trtexec with" if has_median else "From TensorRT 8.2 on: build the")


def test_an_early_version_has_no_layer_information_to_export(tmp_path):
    (tmp_path / "a.log").write_text(
        "&&&& RUNNING TensorRT.trtexec [TensorRT v7103] # trtexec --loadEngine=m.plan\n"
    )
    (note,) = (note for note in read_engine(tmp_path).notes if note.slug == "no-graph")
    assert note.hint == "Run trtexec with --exportProfile: it names the layers, with their times."


def test_an_early_version_that_can_profile_apart_is_asked_to(tmp_path):
    lines = ("=== Inference Options ===", "Separate profiling: Disabled", "=== Reporting Options ===")
    begin = "&&&& RUNNING TensorRT.trtexec [TensorRT v8001] # trtexec --loadEngine=m.plan"
    (tmp_path / "a.log").write_text(
        "\n".join([begin, *(f"[06/26/2021-13:30:20] [I] {line}" for line in lines)])
    )
    (note,) = (note for note in read_engine(tmp_path).notes if note.slug == "no-graph")
    assert note.hint.startswith("Run trtexec with --exportProfile --separateProfileRun: it names")


def test_an_early_version_that_exported_a_profile_is_asked_for_the_file(tmp_path):
    line = "&&&& RUNNING TensorRT.trtexec [TensorRT v7103] # trtexec --loadEngine=m --exportProfile=p.json\n"
    (tmp_path / "a.log").write_text(line)
    (note,) = (note for note in read_engine(tmp_path).notes if note.slug == "no-graph")
    says = "Give p.json, which --exportProfile of the command writes: it names the layers, with their times."
    assert note.hint == says


def test_the_summary_of_tensorrt_7_shows_that_there_is_no_layer_information(tmp_path):
    figures = ("min: 3.6 ms", "max: 4.1 ms", "mean: 3.7 ms", "median: 3.7 ms", "percentile: 3.9 ms at 99%")
    lines = ("GPU Compute", *figures, "total compute time: 3.68 s")
    (tmp_path / "a.log").write_text("\n".join(f"[I] {line}" for line in lines))
    (note,) = (note for note in read_engine(tmp_path).notes if note.slug == "no-graph")
    assert note.hint == "Run trtexec with --exportProfile: it names the layers, with their times."


def test_the_log_of_tensorrt_7_shows_by_an_option_that_there_is_no_layer_information(tmp_path):
    lines = ("=== Build Options ===", "Workspace: 4096 MiB", "Builder Cache: Enabled")
    text = "\n".join(f"[02/09/2021-09:12:31] [I] {line}" for line in lines)
    (tmp_path / "a.log").write_text(f"&&&& RUNNING TensorRT.trtexec # trtexec --onnx=m.onnx\n{text}\n")
    (tmp_path / "profile.json").write_text(
        '[{"count": 10}, {"name": "Conv_0", "timeMs": 1.0, "averageMs": 0.1}]'
    )
    (note,) = (note for note in read_engine(tmp_path).notes if note.slug == "no-graph")
    assert note.hint == "TensorRT exports it from 8.2 on."
