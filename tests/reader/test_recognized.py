"""A file that does not belong to a capture: what it is, and what would be needed."""

from __future__ import annotations

import pytest
from front_ends import model_analyzer, perf_analyzer, ultralytics_engine
from onnx import TensorProto, helper

from trexreport.errors import InputError
from trexreport.reader import read_engine
from trexreport.reader.onnx import read_onnx


def context_model(**attributes):
    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1]) for name in "xy"]
    node = helper.make_node("EPContext", ["x"], ["y"], "TRTKernel_0", domain="com.microsoft", **attributes)
    other = helper.make_node("Relu", ["x"], ["y"])
    graph = helper.make_graph([node, node, other], "g", values[:1], values[1:])
    return helper.make_model(graph).SerializeToString()


EMBEDDED = context_model(
    embed_mode=1,
    ep_cache_context=b"ftrt" + bytes(40_000),
    hardware_architecture="80",
    onnx_model_filename="m.onnx",
)


@pytest.mark.parametrize(
    ("name", "data", "says", "hint"),
    [
        (
            "y.engine",
            ultralytics_engine(),
            "exported by Ultralytics .*task detect.*imgsz 640x480",
            "run y.engine",
        ),
        ("m.engine", b"ftrt" + bytes(99), "is a TensorRT engine", "trexreport run m.engine"),
        ("m.engine", bytes(99), "not a file that trexreport knows", "trexreport run m.engine"),
        ("m.bin", b"ftrt" + bytes(99), "is a TensorRT engine", "trexreport run m.bin"),
        (
            "p.csv",
            perf_analyzer({1: 5}),
            "perf_analyzer: times of queries",
            "--baseline-latency 'NAME=p.csv'",
        ),
        ("p.csv", model_analyzer([("a", 1, 2)]), "model_analyzer: times of queries", "--baseline-latency"),
        (
            "a.json",
            b'{"schemaVersion": 1, "traceEvents": []}',
            "trace of a profiler",
            "layer_information.json",
        ),
        ("k.csv", b"Time (%),Total Time (ns),Instances,Avg\n", "Nsight Systems", "layer information"),
        (
            "m_ctx.onnx",
            EMBEDDED,
            "2 engines .compute capability 80, built from m.onnx. and 1 node",
            "made from",
        ),
        ("a.bin", b"version https://git-lfs.github.com/spec/v1\n", "pointer of Git LFS", "git lfs pull"),
        ("a.html", b"<!DOCTYPE html><html>404</html>", "is a web page", "Download the file itself"),
        (
            "x.bin",
            b"\x00\x01\x02",
            "not a file that trexreport knows: it is binary .* 00 01 02",
            "--exportLayerInfo",
        ),
        ("x.json", b'{"a": 1}', "knows: it is JSON with 'a'", "--exportLayerInfo"),
    ],
)
def test_what_a_file_is_and_what_to_give(tmp_path, name, data, says, hint):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(InputError, match=says) as raised:
        read_engine(tmp_path / name)
    assert hint in raised.value.hint
    assert "\n" not in str(raised.value)


def test_a_context_model_names_the_file_of_its_engine(tmp_path):
    data = context_model(embed_mode=0, ep_cache_context="cache/a.engine", source="TensorrtExecutionProvider")
    (tmp_path / "m.onnx").write_bytes(data)
    with pytest.raises(InputError, match=r"provider TensorrtExecutionProvider, engine file cache/a.engine"):
        read_onnx(tmp_path / "m.onnx")


@pytest.mark.parametrize(
    ("name", "data"), [("errors.csv", b"tensor,snr_db\na,20\n"), ("errors.json", b'{"a": 0.1, "b": 2}')]
)
def test_figures_of_tensors_need_their_option(name, data, tmp_path):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(InputError) as error:
        read_engine(tmp_path / name)
    assert f"--accuracy {name}" in error.value.hint
