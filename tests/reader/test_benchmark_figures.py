"""Results of benchmarks without layers are refused with the figures that they state."""

from __future__ import annotations

import json

import pytest

from trexreport.errors import InputError
from trexreport.reader import read_engine
from trexreport.reader.benchmark_figures import benchmark_figures

LOAD = """Request concurrency: {0}
  Client:
    Throughput: {1} infer/sec
    p99 latency: {2} usec
  Server:
    Avg request latency: 4000 usec (overhead 2 usec + queue {3} usec + compute input 3000 usec + compute infer
"""
LLM = """= PYTORCH BACKEND
TensorRT-LLM Version: 1.0
Request Throughput (req/sec):                     24.5
Total Output Throughput (tokens/sec):             6957.3030
Average request latency (ms):                     535.5
"""
OF_LLM = (
    " Request Throughput 24.50 requests/s, Total Output Throughput 6,957 tokens/s, Average request latency "
    "536 ms. It ran PyTorch's backend, without an engine of TensorRT."
)


def shown(data):
    return benchmark_figures(data.encode()).replace("\N{NO-BREAK SPACE}", " ")


def load(*values):
    return LOAD.format(*values).replace("infer\n", "infer 900 usec + compute output 20 usec)\n")


def test_the_load_of_the_highest_throughput_and_what_takes_the_time_of_a_request():
    text = "*** Measurement Settings ***\n" + load(1, 210.5, 11000, 80) + load(4, 220, 22000, 40)
    text += load(8, 2, 9, 9)
    says = (
        " At concurrency 4: 220.0 infer/s, p99 22.0 ms. A request takes 4.00 ms in the server: inputs 75.0%, "
        "the engine 22.5%, the queue 1.00% and outputs 0.50%."
    )
    assert shown(text) == says
    without = text.replace("Avg request", "Request").replace("p99", "p90")
    assert shown(without) == " At concurrency 4: 220.0 infer/s."
    assert shown(text.replace("Throughput", "Rate")) == ""


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            LLM,
            OF_LLM,
        ),
        ("[BENCHMARK] model_name x batch_size 8 tokens_per_sec 432.5 x\n", " Throughput 432.5 tokens/s."),
        ("= PYTORCH BACKEND\n", ""),
        ("TensorRT-LLM Version: 1.0\n", ""),
        ('{"a": 1', ""),
        (
            json.dumps({"results": {"output_tokens_per_sec": 512.25, "ttft_ms": 33.5, "batch": 4}, "qps": 7}),
            " It states results.output_tokens_per_sec 512.3 tokens/s, results.ttft_ms 33.50, qps 7.000.",
        ),
        (json.dumps({"batch": 3, "latency": None, "throughput": True, "fps": "30"}), ""),
    ],
)
def test_the_figures_of_other_programs(text, says):
    assert shown(text) == says


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("a.txt", f"*** Measurement Settings ***\n{load(1, 210.5, 11000, 80)}", "At concurrency 1"),
        ("b.log", f"[07/23/2025-04:30:27] [TRT-LLM] [I] Engine loaded\n{LLM}", "6,957 tokens/s"),
        ("c.json", json.dumps({"results": {"tokens_per_second": 5.5}}), "5.500 tokens/s"),
    ],
)
def test_a_refused_file_states_them(tmp_path, name, text, says):
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=says):
        read_engine(tmp_path / name)


@pytest.mark.parametrize(
    "prefix", ["", "2025-06-01T10:00:00.1234567Z \x1b[36m", "Jun  1 10:00:00 host run[7]: ", "a-1  | "]
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_what_saved_the_output_does_not_matter(tmp_path, prefix, encoding):
    lines = f"*** Measurement Settings ***\n{load(1, 210.5, 11000, 80)}".splitlines()
    (tmp_path / "a.txt").write_text("".join(f"{prefix}{line}\r\n" for line in lines), encoding)
    with pytest.raises(InputError, match=r"perf_analyzer: .* At concurrency 1: 210"):
        read_engine(tmp_path / "a.txt")
