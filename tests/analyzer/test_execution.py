"""What runs outside of TensorRT: figures, sentences, finding, and the same after redaction."""

from __future__ import annotations

import pytest
from front_ends import ort_event, ort_events, ort_log, ort_profile, torch_dryrun

from trexreport.analyzer import analyze
from trexreport.analyzer.execution import describe_execution
from trexreport.reader import assemble, locate, read_engine
from trexreport.reader.execution import read_execution
from trexreport.redaction.capture import redact_capture
from trexreport.redaction.kinds import Redaction
from trexreport.wording.execution import execution_remarks, execution_sentence

PLACED = {
    "TensorrtExecutionProvider": [("TRTKernel_0", "engine_0")],
    "CPUExecutionProvider": [("NonZero", "/resize/NonZero")],
}
NBSP = "\N{NO-BREAK SPACE}"
HOST = (
    "ONNX Runtime times nodes on the host. CUDA nodes return before the GPU has finished, so their work can "
    "count for a later node that waits."
)


def facts(data):
    return describe_execution(read_execution(data.decode(), "e.json")[0])


def test_no_file_no_facts():
    assert describe_execution(None) is None


def test_providers_with_times():
    found = facts(ort_profile())
    rows = [
        (each.name, each.is_tensorrt, each.nodes, each.time_ms, each.share_percent)
        for each in found.providers
    ]
    assert rows == [
        ("TensorrtExecutionProvider", True, 2, 0.25, pytest.approx(83.333, abs=0.001)),
        ("CPUExecutionProvider", False, 1, pytest.approx(0.036), pytest.approx(12)),
        ("CUDAExecutionProvider", False, 2, pytest.approx(0.014), pytest.approx(4.667, abs=0.001)),
    ]
    assert [node.name for node in found.fallbacks] == ["/nms/NonMaxSuppression", "/resize/Resize", "Memcpy"]
    assert (found.switches, found.copies, found.copies_ms) == (2, 1, 0.004)
    assert execution_sentence(found) == (
        f"3 nodes run outside of TensorRT and take 16.7% of the nodes' time (0.0500{NBSP}ms)."
    )
    assert execution_remarks(found) == [
        "Times are means of 2 runs of the model; the first of 3 is left out as a warm-up.",
        HOST,
        "A run takes 0.315\N{NO-BREAK SPACE}ms, its nodes 0.300\N{NO-BREAK SPACE}ms together.",
        "Execution changes 2 times between TensorRT and other providers in a run.",
        "1 node copies tensors between CPU and GPU, 0.00400\N{NO-BREAK SPACE}ms.",
    ]


def test_operators_without_times():
    found = facts(torch_dryrun())
    assert [(each.name, each.nodes, each.operators, each.time_ms) for each in found.providers] == [
        ("TensorRT", 2, 7, None),
        ("PyTorch", 2, 3, None),
    ]
    assert (found.outside_operators, found.switches, found.nodes_ms) == (3, None, None)
    assert execution_sentence(found) == "3 operators run outside of TensorRT, 30.0% of 10."
    assert execution_remarks(found) == ["TensorRT supports 9 of 10 operators."]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (torch_dryrun(7, 7, (7,), 0), "Torch-TensorRT runs all 7 operators on TensorRT."),
        (torch_dryrun(2, 0, (), 2), "Torch-TensorRT runs no part of the model on TensorRT."),
        (ort_profile([ort_event("a", 1, 2)]), "ONNX Runtime runs no part of the model on TensorRT."),
        (
            ort_profile([ort_event("a", 1, 2, provider="NvTensorRTRTXExecutionProvider")]),
            "ONNX Runtime runs the whole model on TensorRT.",
        ),
        (
            ort_profile([ort_event("a", 1, 0), ort_event("b", 3, 0, provider="TensorrtExecutionProvider")]),
            "1 node runs outside of TensorRT.",
        ),
    ],
)
def test_sentences(data, says):
    assert execution_sentence(facts(data)) == says


def findings(tmp_path, data):
    (tmp_path / "e.json").write_bytes(data)
    analysis = analyze(read_engine(tmp_path / "e.json"))
    return [
        (each.severity, each.places[0].message) for each in analysis.lint.findings if each.code == "TRX917"
    ]


COPY = "beside 1 node that copies between CPU and GPU"


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (
            ort_profile(),
            [
                (
                    "warning",
                    f"2 nodes run outside of TensorRT, {COPY} (16.7% of the nodes' time, 0.0500{NBSP}ms).",
                )
            ],
        ),
        (
            ort_profile([each for each in ort_events() if "NonMax" not in each and "Resize" not in each]),
            [
                (
                    "info",
                    f"Only {COPY[7:]} runs outside of TensorRT (1.57% of the nodes' time, 0.00400{NBSP}ms).",
                )
            ],
        ),
        (ort_profile([ort_event("a", 1, 2)]), [("warning", "No part of the model ran on TensorRT.")]),
        (torch_dryrun(), [("warning", "3 operators run outside of TensorRT (30.0% of 10).")]),
        (torch_dryrun(7, 7, (7,), 0), []),
    ],
)
def test_the_finding(tmp_path, data, found):
    assert findings(tmp_path, data) == found


@pytest.mark.parametrize(
    ("name", "data"), [("e.json", ort_profile()), ("e.txt", torch_dryrun()), ("e.log", ort_log(PLACED))]
)
def test_redaction_keeps_providers_times_and_counts(tmp_path, name, data):
    (tmp_path / name).write_bytes(data.replace(b"/resize/", b"/secret/").replace(b"/m/1/", b"/secret/"))
    capture = locate([tmp_path / name])
    redacted = redact_capture(capture, Redaction(frozenset({"names", "paths", "host"}), b"key"))
    one, other = (analyze(assemble(each)).execution for each in (capture, redacted))
    assert other.providers == one.providers
    assert [node.time_ms for node in other.nodes] == [node.time_ms for node in one.nodes]
    assert "secret" in str(one.nodes)
    assert "secret" not in str(other.nodes)
