"""That one of several runs is shown informs, as no figure is wrong."""

from __future__ import annotations

from dataclasses import replace

import pytest

from trexreport.analyzer import analyze
from trexreport.model import InputWarning
from trexreport.reader import read_engine
from trexreport.wording.findings import clean_sentence


@pytest.mark.parametrize(
    ("slug", "severity"), [("log-several-engines", "info"), ("log-cut-table", "warning")]
)
def test_which_run_is_shown_informs(slug, severity, tmp_path):
    log = tmp_path / "a.log"
    log.write_text("[I] Throughput: 100 qps\n[I] === Performance summary ===\n")
    note = InputWarning("degraded", slug, "The log has several.", log.name)
    analysis = analyze(replace(read_engine(log), notes=(note,)))
    (finding,) = [each for each in analysis.lint.findings if each.code == "TRX907"]
    assert finding.severity == severity


def test_of_several_logs_the_clean_one_is_named(tmp_path):
    summary = (
        "&&&& RUNNING TensorRT.trtexec [TensorRT v8601] # trtexec --onnx={0}.onnx --fp16",
        "[I] === Performance summary ===",
        "[I] Throughput: {1} qps",
        "[I] Latency: min = {2} ms, max = {2} ms, mean = {2} ms, median = {2} ms, percentile(99%) = {2} ms",
        "[I] GPU Compute Time: min = {2} ms, max = {2} ms, mean = {2} ms, median = {2} ms",
        "[I] Total Host Walltime: 3.0 s",
        "[I] Total GPU Compute Time: 2.98 s",
        "&&&& PASSED TensorRT.trtexec [TensorRT v8601] # trtexec --onnx={0}.onnx --fp16",
    )
    for name, qps, ms in (("one", 100, 9.95), ("two", 50, 19.9)):
        text = "\n".join(summary).format(name, qps, ms)
        (tmp_path / f"{name}.log").write_text(f"{text}\n")
    sentence = clean_sentence(analyze(read_engine(tmp_path)))
    assert sentence.startswith("In one.log only the GPU limits the throughput: ")
    (tmp_path / "two.log").unlink()
    assert clean_sentence(analyze(read_engine(tmp_path))).startswith("Only the GPU limits the throughput: ")
