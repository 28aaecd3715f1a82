"""The summary within a budget of tokens: of engines, comparisons and phases, also with hostile names."""

from __future__ import annotations

import pytest
from hostile_captures import hostile_capture

import trexreport
from trexreport.analyzer.analysis.phases import PhasesReport
from trexreport.analyzer.phases import compare_phases
from trexreport.errors import UsageError
from trexreport.renderer.short_document.tokens import estimate_tokens
from trexreport.renderer.token_summary import token_summary
from trexreport.resources import resource_folder

BEFORE, AFTER = "resnet18-int8-before", "resnet18-int8-after"


@pytest.fixture(scope="module")
def engines():
    return [trexreport.load(resource_folder("samples") / name) for name in (BEFORE, AFTER)]


@pytest.fixture(scope="module")
def analysis(engines):
    return trexreport.analyze(engines[0], with_blocks=False)


def test_an_engine_in_2000_tokens(analysis):
    text = token_summary(analysis, 2000)
    assert estimate_tokens(text) <= 2000
    assert text.startswith(f"# {BEFORE}\n\nNVIDIA A100 80GB PCIe")
    assert "- Median latency: 0.798 ms (p99 0.803 ms, without data transfers)" in text
    assert "TRX302" in text
    assert "|/maxpool/MaxPool|Pooling|FP16|6.71%|0.0570|" in text


def test_the_number_of_layers_can_be_limited(analysis):
    assert "|/maxpool/MaxPool|Pooling" in token_summary(analysis, 9000)
    assert "|/maxpool/MaxPool|Pooling" not in token_summary(analysis, 9000, max_rows=1)


def test_a_comparison_states_its_verdict_and_what_changed(engines):
    comparison = trexreport.compare(engines)
    text = token_summary(comparison, 1500)
    assert "**Verdict: faster" in text
    assert "reformats removed" in text
    assert "Verdict: faster" in token_summary(comparison, 200)


def test_each_phase_has_its_share(analysis):
    together = compare_phases(["prefill", "decode"], [analysis, analysis], {})
    text = token_summary(PhasesReport("both", together, [analysis, analysis]), 2500)
    assert estimate_tokens(text) <= 2500
    assert "## prefill: Top findings" in text
    assert "## decode: Top findings" in text


@pytest.mark.parametrize("text", ["名" * 500, "😀" * 400, "a1B2" * 300, "`|<b>\n# " * 90, "\u202e\x00" * 200])
def test_hostile_names_stay_within_the_budget(tmp_path, text):
    engine = trexreport.load(hostile_capture(tmp_path / "capture", text), name="engine")
    analysis = trexreport.analyze(engine, with_blocks=False)
    written = token_summary(analysis, 2000)
    assert estimate_tokens(written) <= 2000
    assert "\n# " not in written[1:]
    assert "<b>" not in written.replace("\\<b\\>", "")


def test_the_function_for_python(engines, analysis):
    assert trexreport.summarize(engines[0]) == token_summary(analysis, 2000)
    assert trexreport.summarize(analysis, max_tokens=300) == token_summary(analysis, 300)
    assert trexreport.summarize(trexreport.compare(engines)).startswith(f"# {AFTER} vs. {BEFORE}")
    with pytest.raises(UsageError, match="object of type str"):
        trexreport.summarize("capture")
