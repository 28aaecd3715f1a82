"""Input transfers of another length show inputs of another size, where no file states shapes."""

from __future__ import annotations

import pytest

from trexreport.analyzer.comparison.compare import compare
from trexreport.analyzer.comparison.compare_conditions import INPUT_TRANSFERS
from trexreport.reader import read_engine
from trexreport.wording.verdict import reason_sentences

NAME = INPUT_TRANSFERS


def write(folder, name, ms, *, compute=7, before=""):
    lines = [before, "=== Performance summary ==="]
    lines += [
        f"{each}: min = {time} ms, max = {time} ms, mean = {time} ms, median = {time} ms"
        for each, time in (("Latency", 9), ("GPU Compute Time", compute), ("H2D Latency", ms))
    ]
    path = folder / name
    path.write_text("\n".join(lines))
    return read_engine(path)


@pytest.mark.parametrize(
    ("one", "other", "differs"), [(0.8, 1.5, True), (1.5, 1.6, False), (0.01, 0.04, False)]
)
def test_transfers_show_other_inputs(tmp_path, one, other, differs):
    engines = [write(tmp_path, "a.log", one), write(tmp_path, "b.log", other)]
    found = {each.name: each for each in compare(engines).conditions}
    assert (NAME in found) is differs
    if differs:
        assert found[NAME].values == ["0.800\u00a0ms", "1.50\u00a0ms"]


def judged(*engines):
    """Return the candidate against the baseline."""
    return compare(engines).engines[1]


@pytest.mark.parametrize(
    ("times", "reason"),
    [
        ((0.8, 1.5), "different-transfers"),
        # Transfers of one length show inputs of one size, short ones nothing.
        ((0.8, 0.81), None),
        ((0.01, 0.01), "unknown-work"),
    ],
)
def test_what_may_be_other_work_qualifies_the_verdict(tmp_path, times, reason):
    one = write(tmp_path, "a.log", times[0])
    other = write(tmp_path, "b.log", times[1], compute=9)
    found = judged(one, other)
    codes = {each.code for each in found.verdict.reasons}
    assert codes & {"different-transfers", "unknown-work", "different-work"} == ({reason} - {None})
    assert found.verdict.verdict == ("inconclusive" if reason == "different-transfers" else "slower")
    assert found.blocking_conditions == ([NAME] if reason == "different-transfers" else [])


def test_stated_batches_are_believed_before_transfers(tmp_path):
    binding = "[I] Input binding for x with dimensions {}x3x8x8 is created.\n"
    one = write(tmp_path, "a.log", 0.8, before=binding.format(1))
    other = write(tmp_path, "b.log", 3.2, before=binding.format(4))
    found = judged(one, other)
    assert [each.code for each in found.verdict.reasons if "work" in each.code] == ["different-work"]
    assert found.blocking_conditions == ["batch", "input shapes"]


def test_transfers_of_other_gpus_show_nothing(tmp_path):
    gpu = "[I] === Device Information ===\n[I] Selected Device: {}\n"
    one = write(tmp_path, "a.log", 0.8, before=gpu.format("NVIDIA A10"))
    other = write(tmp_path, "b.log", 1.6, before=gpu.format("Orin"))
    found = judged(one, other)
    assert found.blocking_conditions == ["GPU"]
    assert "unknown-work" in {each.code for each in found.verdict.reasons}


@pytest.mark.parametrize(
    ("section", "option"),
    [
        ("Inference Options", "Inference Streams: {}"),
        ("Inference Options", "Use managed memory: {}"),
        ("Build Options", "Input(s)s format: fp{}:CHW"),
    ],
)
@pytest.mark.parametrize("values", [(1, 4), (4, 4)])
def test_transfers_that_were_measured_otherwise_show_nothing(tmp_path, section, option, values):
    lines = [f"[I] === {section} ===\n[I] {option.format(value)}\n" for value in values]
    one, other = (write(tmp_path, f"{at}.log", 0.8 + at, before=line) for at, line in enumerate(lines))
    codes = {each.code for each in judged(one, other).verdict.reasons if "-" in each.code}
    assert ("different-transfers" in codes) is (values[0] == values[1])
    assert bool(codes & {"unknown-work", "different-streams"}) is (values[0] != values[1])


@pytest.mark.parametrize(("streams", "is_open"), [((1, 2), True), ((2, 2), False)])
def test_times_of_queries_that_share_the_gpu_show_no_faster_engine(tmp_path, streams, is_open):
    options = "[I] === Inference Options ===\n[I] Inference Streams: {}\n"
    one, other = (
        write(tmp_path, f"{at}.log", 0.8, compute=4 + at * 4, before=options.format(count))
        for at, count in enumerate(streams)
    )
    found = judged(one, other)
    assert (found.verdict.verdict == "inconclusive") is is_open
    assert ("streams 2 vs. 1" in " ".join(reason_sentences(found.verdict))) is is_open


def test_only_the_side_without_a_time_is_named(tmp_path):
    failed = tmp_path / "failed.log"
    failed.write_text(
        "&&&& RUNNING TensorRT.trtexec [TensorRT v8601] # trtexec --onnx=m.onnx\n"
        "[I] [E] [TRT] 4: Network must have at least one output\n"
        "&&&& FAILED TensorRT.trtexec [TensorRT v8601] # trtexec --onnx=m.onnx\n"
    )
    measured, failed_engine = write(tmp_path, "a.log", 0.8), read_engine(failed)
    found = judged(measured, failed_engine)
    assert reason_sentences(found.verdict) == ["No time of the candidate is known."]
    # Where nothing was built, nothing but that is known to be new or resolved.
    assert [each.code for each in found.new_findings] == ["TRX921"]
    assert found.resolved_findings == []
    back = judged(failed_engine, measured)
    assert [each.code for each in back.resolved_findings] == ["TRX921"]
    assert back.new_findings == []
