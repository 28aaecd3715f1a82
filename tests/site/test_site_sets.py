"""Sets of phases in a site: one entry each, with the total where counts are stated."""

from __future__ import annotations

import json
import shutil

import pytest
from front_ends import edge_llm_layers
from sets_of_phases import write_set
from site_captures import build, write_capture

from trexreport.redaction.kinds import parse_redaction

COUNTS = {"prefill": 1, "decode": 128}
TIMES = {"prefill": 1.0, "decode": 0.9}


def test_a_set_is_one_entry_with_its_total(tmp_path):
    write_set(tmp_path / "in" / "asr", TIMES, COUNTS)
    write_capture(tmp_path / "in" / "alone", name="alone")
    site = build(tmp_path / "in", tmp_path / "site")
    assert [each.summary.name for each in site.entries] == [
        "alone",
        "asr (prefill \u00d7 1, decode \u00d7 128)",
    ]
    assert not site.failures
    summary = site.entries[1].summary
    assert summary.compute_ms == pytest.approx(1.0 + 128 * 0.9, rel=0.01)
    assert summary.shapes == "prefill \u00d7 1, decode \u00d7 128"
    page = (tmp_path / "site" / site.entries[1].page).read_bytes()
    assert b'id="trexreport-phase-1"' in page
    assert b"../index.html" in page
    assert build(tmp_path / "in", tmp_path / "site").made == 0


@pytest.mark.parametrize("times", [{}, {"decode": 128}])
def test_a_set_without_all_counts_has_no_time(tmp_path, times):
    write_set(tmp_path / "in" / "asr", TIMES, times)
    (entry,) = build(tmp_path / "in", tmp_path / "site").entries
    assert (entry.summary.compute_ms, entry.summary.latency_ms, entry.summary.layer_sum_ms) == (None,) * 3


def test_only_sets_of_equal_counts_have_a_trend(tmp_path):
    for day, (decode, count) in enumerate(((0.9, 128), (0.9, 128), (1.1, 128), (0.9, 64)), 1):
        times, counts = {"prefill": 1.0, "decode": decode}, {"prefill": 1, "decode": count}
        write_set(tmp_path / "in" / f"2024-05-0{day}", times, counts)
    site = build(tmp_path / "in", tmp_path / "site", comparisons="previous")
    (history,) = site.histories
    assert sorted(len(variant.runs) for variant in history.variants) == [1, 3]
    longest = max(history.variants, key=lambda variant: len(variant.runs))
    assert longest.runs[2].change == pytest.approx(0.22, abs=0.02)
    assert len(site.comparisons) == 2
    assert not site.failures
    name = min(site.comparisons)
    assert b'id="trexreport-phase-1"' in (tmp_path / "site" / name).read_bytes()


def test_a_page_of_a_set_that_is_there_says_nothing_new(run_report, tmp_path):
    write_set(tmp_path / "in" / "asr", TIMES, COUNTS)
    run_report(tmp_path / "in" / "asr", tmp_path / "in" / "asr.html")
    assert len(build(tmp_path / "in", tmp_path / "site").entries) == 1
    shutil.rmtree(tmp_path / "in" / "asr")
    (entry,) = build(tmp_path / "in", tmp_path / "other").entries
    assert entry.summary.shapes == "prefill \u00d7 1, decode \u00d7 128"


@pytest.fixture
def run_report():
    """Return a function that writes the report of a set."""
    from trexreport.pipeline.captures import CaptureInput
    from trexreport.pipeline.phase_reports import make_phases_report
    from trexreport.pipeline.phases import choose_phases
    from trexreport.pipeline.reports import ReportFormat
    from trexreport.pipeline.settings import Settings
    from trexreport.renderer.html_options import HtmlOptions

    def make(folder, file):
        phases = choose_phases(CaptureInput((str(folder),)), (), ())
        page = ReportFormat(page=HtmlOptions(interactive_charts=False))
        file.write_bytes(make_phases_report(phases.title, phases.read(), Settings(), page)[1].data)

    return make


def test_captures_beside_the_phases_stay(tmp_path):
    folder = write_set(tmp_path / "in" / "asr", TIMES, COUNTS)
    write_capture(folder / "unlisted", name="unlisted")
    site = build(tmp_path / "in", tmp_path / "site")
    assert sorted(each.summary.name for each in site.entries) == [
        "asr (prefill \u00d7 1, decode \u00d7 128)",
        "unlisted",
    ]


def test_a_damaged_list_is_a_failure_and_hides_no_engine(tmp_path):
    folder = write_set(tmp_path / "in" / "asr", TIMES, COUNTS)
    (folder / "trexreport-phases.json").write_text("{")
    site = build(tmp_path / "in", tmp_path / "site")
    assert sorted(each.summary.name for each in site.entries) == ["engine-0", "engine-1"]
    assert ["is not a list of phases" in each.error for each in site.failures] == [True]


def test_tables_of_edge_llm_are_one_entry(tmp_path):
    folder = tmp_path / "in" / "llm"
    folder.mkdir(parents=True)
    for name in ("prefill_inputlen128", "decode_kv64", "decode_kv768"):
        (folder / f"layer_{name}.csv").write_bytes(edge_llm_layers())
    site = build(tmp_path / "in", tmp_path / "site")
    assert [each.summary.name for each in site.entries] == [
        "llm (prefill_inputlen128, decode_kv64, decode_kv768)"
    ]
    assert not site.failures


def test_names_of_phases_are_redacted(tmp_path):
    folder = write_set(tmp_path / "in" / "asr", {"zorblax": 1.0, "decode": 0.9}, COUNTS)
    document = json.loads((folder / "trexreport-phases.json").read_text())
    assert document["phases"][0]["name"] == "zorblax"
    site = build(tmp_path / "in", tmp_path / "site", redaction=parse_redaction("names,paths"))
    assert len(site.entries) == 1
    texts = [path.read_bytes() for path in (tmp_path / "site").rglob("*.*")]
    assert len(texts) > 1
    assert not [text for text in texts if b"zorblax" in text]
