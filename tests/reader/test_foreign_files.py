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
    ("s.txt", b"# gpu    pwr gtemp mtemp     sm\n# Idx      W      C\n", "nvidia-smi", "trexreport collect"),
    ("s.txt", b"#Date       Time        gpu   pwr gtemp\n", "nvidia-smi", "trexreport collect"),
    ("s.txt", b"Thu Oct  3 2024\n+---+\n| NVIDIA-SMI 535.54  Driver\n", "nvidia-smi", "trexreport collect"),
    ("a.txt", b"*** Measurement Settings ***\n  Batch size: 1\n", "perf_analyzer", "--baseline-latency"),
    ("b.txt", b"= PYTORCH BACKEND\nTensorRT-LLM Version: 1.1\n", "TensorRT-LLM's", "--baseline-latency"),
    ("b.txt", b"[BENCHMARK] model_name x tokens_per_sec 43\n", "TensorRT-LLM's", "--baseline-latency"),
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


def _edge_profile(**changes):
    stages = [
        {"stage_id": "vision_encoder", "average_time_per_run_ms": 20.0, "total_runs": 5},
        {"stage_id": "llm_generation", "average_time_per_run_ms": 180.0, "total_runs": 5},
    ]
    document = {
        "generation": {"average_time_per_token_ms": 6.0},
        "peak_unified_memory_bytes": 2**32,
        "stages": stages,
    }
    return json.dumps({**document, **changes}, indent=2).encode()


EDGE_LOG = """\
[01:02:03.004] [INFO] [llm_inference.cpp:308:parseLLMInferenceArgs] Profile dumping to console is enabled
[01:02:03.005] [INFO] [TensorRT] Loaded engine size: 1300 MiB
[01:02:03.005] [WARNING] [TensorRT] Using an engine plan file across different models of devices is not \
recommended and is likely to affect performance or even cause errors.
=== LLM Prefill ===
Average Time per Token: 0.4 ms
LLM Prefill - Total Runs: 5, Total GPU Time: 50.00 ms, Average: 10.00 ms
=== LLM Generation (Excluding sampling after prefill) ===
Generated Tokens: 635
Average Time per Token: 6.5 ms
LLM Generation - Total Runs: 5, Total GPU Time: 900.00 ms, Average: 180.00 ms
=== Memory Usage ===
Peak Unified Memory: 4096.00 MB (4294967296 bytes)
"""


def _refusal(path, data):
    path.write_bytes(data)
    with pytest.raises(InputError) as error:
        read_engine(path)
    assert "layer_MODE.csv" in error.value.hint
    return error.value.args[0].replace("\xa0", " ")


def test_stages_of_edge_llm_are_stated_though_it_has_no_layers(tmp_path):
    stated = _refusal(tmp_path / "p.json", _edge_profile())
    assert "p.json is a result of TensorRT Edge-LLM: stages and no layers." in stated
    assert "by stage: llm_generation 180 ms (90.0%), vision_encoder 20.0 ms (10.0%)." in stated
    assert "A generated token takes 6.00 ms. Peak memory: 4.00 GiB." in stated


def test_a_page_that_quotes_edge_llm_is_explained_in_a_folder_too(tmp_path):
    stages = EDGE_LOG[EDGE_LOG.index("=== LLM Prefill") :]
    (tmp_path / "issue.md").write_text(f"# Slow\n{stages}")
    with pytest.raises(InputError, match=r"issue\.md is a log of TensorRT Edge-LLM.*LLM Generation 180"):
        read_engine(tmp_path)
    bench = "# Slow\n[INFO] E2E Time (actual performance): 14.9224 ms\n"
    assert "is a log of TensorRT Edge-LLM" in _refusal(tmp_path / "bench.md", bench.encode())


def test_a_log_of_edge_llm_has_no_shares_as_it_may_leave_out_stages(tmp_path):
    stated = _refusal(tmp_path / "e.log", EDGE_LOG.encode())
    assert "e.log is a log of TensorRT Edge-LLM" in stated
    assert "by stage: LLM Generation 180 ms, LLM Prefill 10.0 ms." in stated
    assert "A generated token takes 6.50 ms. Peak memory: 4.00 GiB." in stated
    assert stated.endswith("built on another model of device.")


@pytest.mark.parametrize("time", [-180.0, "x", None, 1e30, 0])
def test_stages_with_times_that_can_not_be_are_left_out(tmp_path, time):
    stages = [
        {"stage_id": "vision_encoder", "average_time_per_run_ms": 20.0, "total_runs": 5},
        {"stage_id": "llm_generation", "average_time_per_run_ms": time, "total_runs": 5},
    ]
    changes = {"stages": stages, "generation": {"average_time_per_token_ms": time}}
    stated = _refusal(tmp_path / "p.json", _edge_profile(peak_unified_memory_bytes=-1, **changes))
    assert stated.endswith("Mean time of a run by stage: vision_encoder 20.0 ms.")


@pytest.mark.parametrize("stages", [None, {}, [1], [[]], ["a"]])
def test_a_damaged_profile_of_edge_llm_is_called_what_it_is(tmp_path, stages):
    data = _edge_profile(stages=stages, generation=[], note={"stage_id": "a"})
    assert "is a result of TensorRT Edge-LLM" in _refusal(tmp_path / "p.json", data)


def test_a_folder_of_files_of_another_program_says_what_they_are(tmp_path):
    (tmp_path / "e.log").write_text(EDGE_LOG, encoding="utf-8")
    (tmp_path / "p.json").write_bytes(_edge_profile())
    with pytest.raises(InputError) as error:
        read_engine(tmp_path)
    assert "holds no capture: e.log is a log of" in str(error.value)
    assert "p.json is a result of TensorRT Edge-LLM" in str(error.value)
