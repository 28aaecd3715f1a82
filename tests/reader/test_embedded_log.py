"""A log in the texts of a JSON document is read as the log that it was."""

from __future__ import annotations

import json

import pytest

from trexreport import api
from trexreport.reader import log_text
from trexreport.reader.log_text import embedded_log

COMMAND = "TensorRT.trtexec [TensorRT v100300] # trtexec --onnx=net.onnx"
LINES = [
    f"&&&& RUNNING {COMMAND}",
    "[11/01/2024-10:32:46] [I] Selected Device: NVIDIA A10",
    "[11/01/2024-10:32:46] [I] Compute Capability: 8.6",
    "[11/01/2024-10:32:46] [I] === Performance summary ===",
    "[11/01/2024-10:32:46] [I] Throughput: 400 qps",
    "[11/01/2024-10:32:46] [I] GPU Compute Time: min = 2 ms, max = 3 ms, mean = 2 ms, median = 2 ms",
    f"&&&& PASSED {COMMAND}",
]
TEXT = "\n".join([*LINES, ""])
CELL = {"output_type": "stream", "name": "stdout", "text": [f"{line}\n" for line in LINES]}
DOCUMENTS = {
    "a result of a benchmark": {"model": "net", "ok": True, "stdout": TEXT, "stderr": ""},
    "results in a list": [{"returncode": 0, "stdout": TEXT}],
    "a notebook": {"cells": [{"source": ["!trtexec --onnx=net.onnx\n"], "outputs": [CELL]}], "nbformat": 4},
    "lines without ends": {"lines": LINES},
    "lines of a container": {"stdout": "".join(f"[pod/a-1] {line}\n" for line in LINES)},
}


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("document", DOCUMENTS.values(), ids=DOCUMENTS)
def test_the_log_in_a_document_is_read_as_one(document, indent, tmp_path):
    (tmp_path / "run.json").write_text(json.dumps(document, indent=indent))
    analysis = api.analyze(api.load(tmp_path / "run.json"))
    assert analysis.identity.gpu == "NVIDIA A10"
    assert analysis.identity.tensorrt_version == "10.3.0"
    assert analysis.latency.throughput_qps == 400
    assert not analysis.contradictions
    assert not {"impossible-values", "log-unfinished"} & {note.slug for note in analysis.notes}


def test_a_log_far_behind_the_beginning_of_a_notebook_is_found(tmp_path):
    other = {"source": ["print('x')\n"], "outputs": [{"text": ["x" * 99] * 999}]}
    notebook = {"cells": [other, {"outputs": [CELL]}], "nbformat": 4}
    (tmp_path / "run.ipynb").write_text(json.dumps(notebook, indent=1))
    analysis = api.analyze(api.load(tmp_path / "run.ipynb"))
    assert analysis.latency.throughput_qps == 400


@pytest.mark.parametrize(
    "data",
    [TEXT.encode(), b'{"Layers": []}', b"[01/02] [I] x]", b'{"a": [1', b'{"a": "[I] "' + b"}" * 2, b""],
)
def test_what_is_no_document_with_a_log_is_left_alone(data):
    assert embedded_log(data) is None


def test_texts_that_can_have_no_line_of_a_log_are_not_searched_for_prefixes(monkeypatch):
    searched = []
    monkeypatch.setattr(log_text, "without_line_prefix", lambda text: searched.append(text) or text)
    document = {"layers": [{"name": f"conv_{number}", "kind": "conv"} for number in range(100)]}
    assert log_text.embedded_log(json.dumps(document).encode()) is None
    assert searched == []
