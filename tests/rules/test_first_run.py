"""What is reported of a first run of an engine, within which kernels and modules are loaded."""

from __future__ import annotations

from trexreport.analyzer import analyze
from trexreport.reader import read_engine

#: The reformat at the input and one convolution load, so the largest layer is not a finding.
PRINTED = {
    "Reformatting CopyNode for Input Tensor 0 to /block.0/conv/Conv": 5.6,
    **{
        f"/block.{number}/conv/Conv + PWN(/block.{number}/Relu)": 18.0 if number == 3 else 1.0 / (number + 1)
        for number in range(12)
    },
}


def _codes(path, printed, runs=1):
    lines = [f"{name}: {time_ms}ms" for name, time_ms in printed.items()] * runs
    path.write_text("\n".join(lines))
    return {finding.code for finding in analyze(read_engine(path)).lint.findings}


def test_what_a_first_run_lengthens_is_one_finding(tmp_path):
    found = _codes(tmp_path / "printed.txt", PRINTED)
    assert {"TRX804", "TRX915"} <= found
    assert not {"TRX205", "TRX914"} & found


def test_layers_that_are_slow_in_every_run_are_findings(tmp_path):
    assert "TRX914" in _codes(tmp_path / "printed.txt", PRINTED, runs=20)
