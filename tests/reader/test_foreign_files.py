"""Files of other programs are called what they are, and of any other file it is stated what is in it."""

from __future__ import annotations

import gzip
import io
import json
import pickle
import tarfile

import pytest

from trexreport.errors import InputError
from trexreport.reader import read_engine
from trexreport.reader.foreign_files import foreign_kind, general_kind


def _tar():
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("x"))
    return data.getvalue()


FOREIGN = [
    ("m.tflite", b"\x1c\x00\x00\x00TFL3" + bytes(9), "TensorFlow Lite", "ONNX"),
    ("m.gguf", b"GGUF\x03", "llama.cpp", "layer information"),
    ("m.safetensors", bytes(8) + b'{"a": {"dtype": "F16"}}', "weights", "ONNX"),
    ("m.pth", pickle.dumps({"a": 1}), "checkpoint of PyTorch", "ONNX"),
    ("c", b"TRT-8601-EntropyCalibration2\nx: 3c\n", "calibration cache", "layer information"),
    ("a.gz", gzip.compress(b"x"), "gzip", "Unpack"),
    ("a.xz", b"\xfd7zXZ\x00", "compressed", "Unpack"),
    ("a.tar", _tar(), "tar archive", "Unpack"),
    ("p", b"\x89PNG\r\n", "picture", "layer information"),
    ("p.so", b"\x7fELF", "library", "--plugins"),
    ("m.xml", b'<?xml version="1.0"?><net name="x">', "OpenVINO", "ONNX"),
    ("n.csv", b"==1== NVPROF is profiling", "nvprof", "layer information"),
    ("s.csv", b"timestamp, name, utilization.gpu [%]\n", "nvidia-smi", "trexreport collect"),
    ("d.csv", b"Entity,SMACT\n", "DCGM", "trexreport collect"),
    ("o.csv", b"engine,version,providers,device\n", "ONNX Runtime's benchmark", "--baseline-latency"),
    ("m.txt", b"=====\nMLPerf Results Summary\n", "MLPerf", "--baseline-latency"),
    ("u.yaml", b"description: Ultralytics YOLO11n model\n", "Ultralytics", "trexreport run"),
    ("g.json", b'{"request_latency": {"avg": 1}}', "genai-perf", "--baseline-latency"),
    ("e.json", b'{"pretrained_config": {}}', "TensorRT-LLM", "layer information"),
    ("h.json", b'{"architectures": ["Bert"]}', "Hugging Face", "ONNX"),
    ("n.ipynb", b'{"cells": [], "nbformat": 4}', "notebook", "layer information"),
    ("c.json", b'[{"name": "a", "ph": "X", "ts": 1}]', "trace of a profiler", "layer information"),
    ("d.log", b"INFO NvDsInferContext: x", "DeepStream", "--verbose"),
    ("v.log", b"INFO vLLM API server version 0.5", "vLLM", "--verbose"),
    (
        "p.log",
        b"[I] trt-runner-N0 | Completed 9 iteration(s) in 9 ms | Average inference time: 1 ms.",
        "polygraphy run",
        "--baseline-latency",
    ),
    ("r.log", b"I0501 10:00:00.123456 1 server.cc:674] x", "Triton", "--verbose"),
    ("l.log", b"[TensorRT-LLM] version 0.12", "TensorRT-LLM", "--verbose"),
    ("p.txt", b"x\n    Layer 0    | conv [Op: CaskConvolution]\n", "Polygraphy", "layer information"),
    ("r.nsys-rep", bytes(9), "Nsight Systems", "nsys export"),
    ("r.ncu-rep", bytes(9), "Nsight Compute", "ncu --import"),
    ("s.pb", b"\x08\x01", "TensorFlow", "ONNX"),
    ("t.cache", bytes(9), "timing cache", "layer information"),
]


@pytest.mark.parametrize(("name", "data", "what", "hint"), FOREIGN, ids=[name for name, *_ in FOREIGN])
def test_what_it_is_and_what_to_give(name, data, what, hint):
    found = foreign_kind(name, data)
    assert found is not None
    assert what in found[0]
    assert hint in found[1]


@pytest.mark.parametrize(
    ("data", "stated"),
    [
        (b" \n", "is empty"),
        (b"\x00\x01" + bytes(9), "is binary and begins with 00 01 00 00 00 00 00 00"),
        (b'{"a": 1, "b": 2, "c": 3, "d": 4, "e": 5}', "is JSON with 'a', 'b', 'c', 'd' and 1 more"),
        (b'[{"a": 1}, 2]', "is a JSON list of 2 items with 'a'"),
        (b"[]", "is a JSON list of 0 items"),
        (b"a,b\n1,2\n", "is a table with the columns 'a', 'b'"),
        (b"a, b\n", "is a text that begins with 'a, b'"),
        (b"[" * 100_000, "is a text that begins with '" + "[" * 60 + "…'"),
        (json.dumps({"x" * 99: 1}).encode(), "is JSON with '" + "x" * 30 + "…'"),
        ("a\u202eb".encode(), "is a text that begins with 'a\ufffdb'"),
    ],
)
def test_of_any_other_file_what_is_in_it(data, stated):
    assert foreign_kind("x", data) is None
    assert general_kind(data) == stated


def test_a_log_of_another_program_is_named_before_its_errors(tmp_path):
    (tmp_path / "p.log").write_text(
        "[I] trt-runner-N0 | Completed 9 iteration(s) in 9 ms | Average inference time: 1 ms.\n"
        "[E] FAILED | Mismatched outputs: ['y']\n"
    )
    with pytest.raises(InputError, match=r"p\.log is a log of `polygraphy run`"):
        read_engine(tmp_path)
