"""That one of several runs is shown informs, as no figure is wrong."""

from __future__ import annotations

from dataclasses import replace

import pytest

from trexreport.analyzer import analyze
from trexreport.model import InputWarning
from trexreport.reader import read_engine


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
