"""The Markdown of a comparison says what the page says, in few words, and fits a comment."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest

from trexreport.analyzer.comparison.compare import compare
from trexreport.reader import read_engine
from trexreport.renderer.comparison.summary import comparison_summary
from trexreport.renderer.short_document.markdown import MAX_BYTES, render_markdown
from trexreport.wording.comparison import ranking, signed_ms, synthetic

SAMPLES = Path(__file__).resolve().parents[3] / "samples"


@pytest.fixture(scope="module")
def before():
    return read_engine(SAMPLES / "resnet18-int8-before")


@pytest.fixture(scope="module")
def after():
    return read_engine(SAMPLES / "resnet18-int8-after")


@pytest.fixture(scope="module")
def pair(before, after):
    return compare([before, after])


def text_of(comparison, **options):
    return render_markdown(comparison_summary(comparison), **options).decode("utf-8")


def at_level(engine, name, level):
    """Return an engine that takes `factor` times as long for each query."""
    queries = engine.queries
    times = {
        field: tuple(level * each for each in getattr(queries, field))
        for field in ("latency_ms", "compute_ms")
    }
    return dataclasses.replace(engine, name=name, sources=(), queries=dataclasses.replace(queries, **times))


def test_a_verdict_says_why(pair):
    lines = text_of(pair).splitlines()
    assert "**Verdict: faster (provisional), −27\\.6% in GPU compute time.**".replace("\\", "") in lines
    (verdict,) = [line for line in lines if "(95% CI: " in line]
    assert verdict.startswith(
        "The candidate takes 27.6% less time than the baseline (95% CI: 23.0% to 32.0% less)"
    )
    assert re.search(r"Total layer time: 0\.848\sms → 0\.614\sms \(−0\.234\sms\)\. Main causes: \w", verdict)


def test_rows_that_are_not_shown_are_added_up(pair):
    lines = text_of(pair).splitlines()
    start = lines.index("| Layers | What changed | Difference | Baseline | Candidate |")
    rows = [line.split(" | ") for line in lines[start + 2 : lines.index("", start)]]
    (rest,) = [cells for cells in rows if re.fullmatch(r"\| \d+ more", cells[0])]
    shown = [cells for cells in rows if cells is not rest]
    changed = sum(abs(row.sides[1].difference_ms or 0) > 0 for row in pair.rows)
    assert len(shown) + int(rest[0].split()[1]) == changed

    def ms(text):
        number = text.replace("\N{MINUS SIGN}", "-").removesuffix("\N{NO-BREAK SPACE}ms")
        return 0.0 if "<" in number or ">" in number else float(number)  # below the resolution

    total = sum(ms(cells[2]) for cells in rows)
    assert total == pytest.approx(pair.engines[1].waterfalls[0].difference_ms, abs=0.001)


def test_what_is_only_on_one_side_is_stated_once(before):
    shorter = dataclasses.replace(before, layers=before.layers[:-4], name="shorter")
    text = text_of(compare([before, shorter]))
    assert "| baseline only |" in text
    assert "baseline only, baseline only" not in text


def test_findings_of_a_single_layer_say_what_they_are_about(pair):
    engine = pair.engines[1]
    change = engine.resolved_findings[0]
    one, several = (
        dataclasses.replace(
            change, code=f"TRX{at}", title="A reformat converts", message=message, checked=True
        )
        for at, message in enumerate(("It converts FP32 to FP16.", "12 reformats convert."))
    )
    changed = dataclasses.replace(engine, new_findings=[one, several])
    lines = text_of(dataclasses.replace(pair, engines=[pair.engines[0], changed])).splitlines()
    assert f"| A reformat converts. It converts FP32 to FP16. | {one.severity} | TRX0 |" in lines
    assert f"| 12 reformats convert. | {several.severity} | TRX1 |" in lines


@pytest.mark.parametrize(
    ("obstacles", "stated"),
    [
        (["model"], "model differs."),
        (["GPU", "batch"], "GPU, batch differ."),
        (["input shapes"], "input shapes differ."),
    ],
)
def test_one_condition_differs_and_two_differ(pair, obstacles, stated):
    candidate = dataclasses.replace(pair.engines[1], blocking_conditions=obstacles)
    comparison = dataclasses.replace(pair, engines=[pair.engines[0], candidate])
    assert f"Different test conditions: {stated}" in text_of(comparison)


def test_of_several_engines_the_fastest_is_named_first(before):
    engines = [at_level(before, f"e{level}", level) for level in (1.0, 1.5, 0.5, 0.7)]
    comparison = compare(engines)
    assert "e0.5 (0.399\N{NO-BREAK SPACE}ms) has the lowest GPU compute time, followed by e0.7 (" in ranking(
        comparison
    )
    names = re.findall(r"(e[\d.]+|the baseline \S+) \(", ranking(comparison))
    assert names == ["e0.5", "e0.7", "the baseline e1.0"]
    assert text_of(comparison).splitlines()[10].startswith("e0.5 (")


def test_where_none_is_faster_no_order_is_made_of_chance(before):
    engines = [at_level(before, f"e{level}", level) for level in (1.0, 0.9999, 1.5)]
    comparison = compare(engines)
    assert [engine.verdict.verdict for engine in comparison.engines[1:]] == ["inconclusive", "slower"]
    assert ranking(comparison).startswith("No engine is faster than the baseline e1.0 (0.798")


def test_what_no_gpu_measured_is_stated_first(pair):
    first, second = pair.engines
    measured = dataclasses.replace(first, identity=dataclasses.replace(first.identity, synthetic=False))
    for engines, stated in (
        ([first, second], "These captures are synthetic: they were not measured on a GPU."),
        ([measured, second], f"Synthetic, not measured on a GPU: {second.name}."),
        ([measured, dataclasses.replace(second, identity=measured.identity)], ""),
    ):
        comparison = dataclasses.replace(pair, engines=engines)
        assert synthetic(comparison) == stated
        assert not stated or text_of(comparison).splitlines()[8] == stated


def test_two_engines_need_no_order(pair):
    assert ranking(pair) == ""


def test_engines_that_can_not_be_compared_have_no_place_in_the_order(before):
    engines = [at_level(before, f"e{level}", level) for level in (1.0, 1.5, 0.7)]
    comparison = compare([*engines, at_level(read_engine(SAMPLES / "detector-trt11"), "other", 0.001)])
    assert comparison.engines[3].verdict.verdict == "inconclusive"
    stated = ranking(comparison)
    assert stated.startswith("e0.7 (")
    assert stated.endswith("1 engine with different test conditions left out.")


@pytest.mark.parametrize("max_bytes", [MAX_BYTES, 20_000, 4_000, 1_500])
def test_many_engines_fit_a_comment(pair, max_bytes):
    candidate = pair.engines[1]
    count = 40
    many = dataclasses.replace(
        pair,
        engines=[pair.engines[0], *(dataclasses.replace(candidate, name=f"e{at}") for at in range(count))],
        conditions=[],
        rows=[dataclasses.replace(row, sides=[row.sides[0], *[row.sides[1]] * count]) for row in pair.rows],
    )
    text = render_markdown(comparison_summary(many), max_bytes=max_bytes)
    assert len(text) <= max_bytes
    text = text.decode("utf-8")
    verdicts = len(re.findall(r"^- \*\*e\d+: faster", text, re.MULTILINE))
    left_out = re.search(r"^(\d+) more verdicts are not shown\.$", text, re.MULTILINE)
    assert verdicts + (int(left_out[1]) if left_out else 0) == count
    sections = len(re.findall(r"^### (?:Breakdown of e\d+|Test conditions)$", text, re.MULTILINE))
    rest = re.search(r"^(\d+) more sections? (?:is|are) not shown\.$", text, re.MULTILINE)
    assert sections + (int(rest[1]) if rest else 0) == count + 1


def test_an_engine_against_itself_differs_nowhere(before):
    text = text_of(compare([before, before]))
    assert "No difference: every part takes exactly as long as in the baseline." in text
    assert "| Total |" not in text


def test_long_names_are_shortened(before, after):
    named = dataclasses.replace(after, name="x" * 5000)
    assert "x" * 400 not in text_of(compare([before, named]))


def test_the_parts_of_the_expected_speedup_have_their_sum(pair):
    text, speedup = text_of(pair), pair.engines[1].speedup
    table = text[text.index("| Measured minus expected") :].split("\n\n")[0].splitlines()
    assert len(table) == 3 + len(speedup.gaps)
    gap_ms = speedup.measured_ms - speedup.expected_ms
    assert signed_ms(gap_ms) in table[-1]
    assert text.count("Measured minus expected") == 1


def test_steps_between_candidates_have_sections(before, after):
    comparison = compare([before, before, after], names=["a", "b", "c"])
    text = text_of(comparison)
    assert [engine.speedup is None for engine in comparison.engines] == [True, True, False]
    assert "Speedup from b to c" in text
    assert text.count("Measured minus expected") == 2
