"""Histories: which runs belong together, in which order, and what is a step in real times."""

from __future__ import annotations

import re
from types import SimpleNamespace

import pytest
from significance_samples import run
from site_captures import build, write_capture, write_history

from trexreport.analyzer.analysis.verdict import VerdictSettings
from trexreport.site.history import RunComparator, histories_of, natural, steps_of
from trexreport.site.history_chart import history_chart
from trexreport.wording.site import change_word, history_sentence, mark_word, site_sentence


@pytest.fixture
def captures(tmp_path):
    return tmp_path / "captures"


def marks(history):
    return [f"{run.mark.kind} {run.mark.direction}".strip() for run in history.runs]


def test_the_run_that_made_it_slower_is_marked(captures, tmp_path):
    write_history(captures, [1.0, 1.0, 1.0, 1.06, 1.06])
    site = build(captures, tmp_path / "site")
    (history,) = site.histories
    assert marks(history) == ["first", "level", "level", "step slower", "level"]
    step = history.runs[3]
    assert step.entry.place == "captures/run-4/net.engine"
    assert step.change == pytest.approx(0.06, abs=0.005)
    assert step.before.place == "captures/run-3/net.engine"
    (page,) = site.comparisons
    assert site.comparisons[page] == (step.before.address, step.entry.address)
    assert "slower" in (tmp_path / "site" / page).read_text()
    assert 'href="../index.html"' in (tmp_path / "site" / page).read_text()
    assert history_sentence(history) == "5 runs: 1 regression."


def test_models_and_gpus_whose_names_join_alike_have_addresses_of_their_own():
    summaries = [{"model": "a b", "gpu": "c"}, {"model": "a", "gpu": "b c"}]
    blank = {"name": "", "precision": "", "shapes": "", "date": "", "contradictions": 0, "queries": 0}
    times = dict.fromkeys(("compute_ms", "latency_ms", "layer_sum_ms"))
    entries = [
        SimpleNamespace(place="x", summary=SimpleNamespace(**blank, **times, **each)) for each in summaries
    ]
    histories = histories_of(entries, RunComparator(lambda *_: [], VerdictSettings(), {}))
    assert [(each.model, each.gpu) for each in histories] == [("a", "b c"), ("a b", "c")]
    assert len({each.address for each in histories}) == 2
    assert {each.address.rpartition("-")[0] for each in histories} == {"a-b-c"}


def test_noise_is_no_step(captures, tmp_path):
    write_history(captures, [1.0, 1.01, 0.995, 1.005, 1.01, 0.99])
    (history,) = build(captures, tmp_path / "site").histories
    assert set(marks(history)) == {"first", "level"}


def test_averages_need_a_larger_difference(captures, tmp_path):
    write_history(captures / "a", [1.0, 1.0, 1.06, 1.06], queries=0, model="a.onnx")
    site = build(captures, tmp_path / "site")
    # Only the total layer time is known, and it is the same for all.
    assert [variant.basis for history in site.histories for variant in history.variants] == [
        "total layer time"
    ]
    assert set(marks(site.histories[0])) == {"first", "level"}


@pytest.mark.parametrize(("time_ms", "expected"), [(1.06, ""), (1.11, "slower"), (0.95, ""), (0.9, "faster")])
@pytest.mark.parametrize("queries", [0, 300])
def test_sums_of_layers_need_a_larger_difference_even_where_queries_are_known(time_ms, expected, queries):
    def times_of(*_):
        pytest.fail("queries show nothing of the layers")

    entries = [
        SimpleNamespace(
            summary=SimpleNamespace(layer_sum_ms=each, queries=queries, contradictions=0),
            fingerprint=f"{each}",
        )
        for each in (1.0, 1.001, time_ms)
    ]
    comparator = RunComparator(times_of, VerdictSettings(), {})
    assert comparator.judge(entries[:2], entries[2], "layer_sum_ms") == expected


def test_captures_are_sittings_of_their_own():
    """Five of them show what runs of one share; those of the latest may share more."""
    entries = [
        SimpleNamespace(
            summary=SimpleNamespace(queries=300, compute_ms=time_ms, contradictions=0), fingerprint=f"{each}"
        )
        for each, time_ms in enumerate([1.0] * 5 + [1.03])
    ]

    def times_of(entry, _):
        ms = entry.summary.compute_ms
        return [run(f"{entry.fingerprint} {each}", 300, ms, variation=0.003) for each in range(3)]

    comparator = RunComparator(times_of, VerdictSettings(resamples=100), {})
    assert comparator.judge(entries[:5], entries[5], "compute_ms") == "slower"
    assert comparator.judge(entries[:1], entries[5], "compute_ms") == ""


def test_what_else_changed_is_reported(captures, tmp_path):
    write_history(captures, [1.0, 1.0, 1.0])
    for day in (4, 5):
        folder = captures / f"run-{day}"
        write_capture(folder, ms=1.2, seed=day, date=f"2024-05-{day:02}T10:00:00Z")
        metadata = folder / "net.engine.build.metadata.json"
        metadata.write_text(metadata.read_text().replace('"NVIDIA L4"', '"NVIDIA L4", "SMs": "58"'))
    (history,) = build(captures, tmp_path / "site").histories
    assert marks(history)[3] == "step slower"
    # SMs were not known before, so it is not known that they changed.
    assert history.runs[3].changed == ()


def test_what_else_changed_is_stated_from_the_run_before_to_the_step(captures, tmp_path):
    times = [(1.0, "54"), (1.0, "56"), (1.0, "56"), (1.2, "58"), (1.2, "58")]
    for day, (time_ms, sms) in enumerate(times, 1):
        folder = write_capture(
            captures / f"run-{day}", ms=time_ms, seed=day, date=f"2024-05-{day:02}T10:00:00Z"
        )
        metadata = folder / "net.engine.build.metadata.json"
        metadata.write_text(metadata.read_text().replace('"NVIDIA L4"', f'"NVIDIA L4", "SMs": "{sms}"'))
    (history,) = build(captures, tmp_path / "site").histories
    assert marks(history)[3] == "step slower"
    (changed,) = history.runs[3].changed
    assert (changed.before, changed.after) == ("56", "58")


def test_models_gpus_precisions_and_shapes_are_held_apart(captures, tmp_path):
    for at, facts in enumerate(
        [
            {"model": "a.onnx"},
            {"model": "b.onnx"},
            {"model": "a.onnx", "gpu": "NVIDIA H100"},
            {"model": "a.onnx", "precision": "INT8"},
        ]
    ):
        write_capture(captures / str(at), ms=1 + at, **facts)
    site = build(captures, tmp_path / "site")
    assert [(each.model, each.gpu, len(each.variants)) for each in site.histories] == [
        ("a.onnx", "NVIDIA H100", 1),
        ("a.onnx", "NVIDIA L4", 2),
        ("b.onnx", "NVIDIA L4", 1),
    ]
    assert steps_of(site.histories) == []


def test_runs_without_dates_go_by_their_places(captures, tmp_path):
    for number in (1, 2, 9, 10, 11):
        write_capture(captures / f"build-{number}", ms=1.0 if number < 10 else 1.2, seed=number)
    (history,) = build(captures, tmp_path / "site").histories
    assert [run.entry.place.split("/")[1] for run in history.runs] == [
        f"build-{number}" for number in (1, 2, 9, 10, 11)
    ]
    assert marks(history)[3] == "step slower"
    assert not history.variants[0].by_date


def test_verdicts_are_remembered(captures, tmp_path, monkeypatch):
    write_history(captures, [1.0, 1.0, 1.2, 1.2])
    first = build(captures, tmp_path / "site")
    monkeypatch.setattr("trexreport.site.history.compare_times", None)
    monkeypatch.setattr("trexreport.site.history.compare_averages", None)
    assert build(captures, tmp_path / "site").histories == first.histories


def test_each_run_can_be_compared_with_the_one_before(captures, tmp_path):
    write_history(captures, [1.0, 1.0, 1.0])
    site = build(captures, tmp_path / "site", comparisons="previous")
    assert len(site.comparisons) == 2
    assert build(captures, tmp_path / "site", comparisons="previous").made == 0
    assert build(captures, tmp_path / "site", comparisons="none").removed == 2


def test_words():
    from trexreport.site.steps import Mark

    assert [change_word(each) for each in (None, 0.0, 0.05, -0.05, 0.00001)] == [
        "",
        "0%",
        "+5.00%",
        "\u22125.00%",
        "+<0.01%",
    ]
    assert [mark_word(Mark(kind, "slower")) for kind in ("step", "open", "once")] == [
        "slower",
        "slower?",
        "outlier (slower)",
    ]


def test_the_site_is_summed_up(captures, tmp_path):
    write_history(captures, [1.0, 1.0])
    write_capture(captures / "x", model="x.onnx", gpu="")
    site = build(captures, tmp_path / "site")
    assert site_sentence(site.entries) == (
        "2 models on 1 GPU from 2024-05-01 to 2024-05-02. The GPU of 1 engine is unknown."
    )


def test_numbers_in_places_count_as_numbers():
    assert sorted(["b10", "b9", "b", "²", "a1", "1"], key=natural) == ["1", "a1", "b", "b9", "b10", "²"]


def test_runs_of_which_none_can_be_compared_with_another_are_no_history(captures, tmp_path):
    for precision in ("FP32", "INT8"):
        write_capture(captures / precision, model="a.onnx", precision=precision)
    (history,) = build(captures, tmp_path / "site").histories
    assert history_sentence(history) == "2 runs: no earlier run of the same precision and shape yet."


def test_a_latest_run_that_is_slower_is_reported_with_what_is_not_known_yet(captures, tmp_path):
    write_history(captures, [1.0, 1.0, 1.2])
    (history,) = build(captures, tmp_path / "site").histories
    assert history_sentence(history) == ("3 runs: 1 possible regression, not confirmed by a later run yet.")


def test_runs_of_a_chart_are_counted_from_one_on(captures, tmp_path):
    write_history(captures, [1.0, 1.0])
    (history,) = build(captures, tmp_path / "site").histories
    page = (tmp_path / "site" / "history" / f"{history.address}.html").read_text()
    figure = page[page.index('<div class="static-chart') :]
    at_foot = re.findall(r">([0-9.]+)</text>", figure[: figure.index("</svg>")])[-2:]
    assert at_foot == ["1", "2"]


def test_beside_a_column_of_dates_nothing_says_the_date_again(captures, tmp_path):
    for day in (1, 2):
        write_capture(captures / f"2024-05-0{day}", seed=day)
    (history,) = build(captures, tmp_path / "site").histories
    for name in (f"history/{history.address}.html", "index.html"):
        page = (tmp_path / "site" / name).read_text()
        assert '<td class="date">2024-05-01</td>' in page
        assert '<span class="muted">2024-05' not in page


def test_tables_of_runs_have_names_of_their_own(captures, tmp_path):
    for precision in ("FP16", "INT8"):
        write_capture(captures / precision, precision=precision)
    (history,) = build(captures, tmp_path / "site").histories
    page = (tmp_path / "site" / "history" / f"{history.address}.html").read_text()
    names = re.findall(r'role="region" aria-label="([^"]*)"', page)
    assert len(names) == 2
    assert len(set(names)) == 2
    assert names[0].startswith("Runs of FP")


def test_a_run_whose_files_contradict_each_other_is_not_called_unmeasured(captures, tmp_path):
    write_history(captures, [1.0, 5.0])
    site = build(captures, tmp_path / "site")
    assert [bool(each.summary.contradictions) for each in site.entries] == [False, True]
    page = (tmp_path / "site" / "history" / f"{site.histories[0].address}.html").read_text()
    rows = re.findall(r'<tr id="run-.*?</tr>', page)
    assert ["contradictory files" in row for row in rows] == [False, True]
    assert "not measured" not in page


def test_runs_that_all_contradict_themselves_do_not_count_as_not_timed(captures, tmp_path):
    write_history(captures, [5.0, 5.1])
    (history,) = build(captures, tmp_path / "site").histories
    assert history_sentence(history) == "2 runs: their times are not known."
    page = (tmp_path / "site" / "history" / f"{history.address}.html").read_text()
    assert "files contradict each other. Collect them again." in page
    assert "No run has times." not in page


@pytest.mark.parametrize(
    ("dates", "shown"),
    [
        (("2024-05-01T10:00:00Z", "2024-05-02T10:00:00Z"), ("2024-05-01", "2024-05-02")),
        (("2024-05-01T10:00:00Z", "2024-05-01T12:00:00Z"), ("2024-05-01 10:00:00Z", "2024-05-01 12:00:00Z")),
        (("2024-05-01T10:00:00Z", ""), ("run-0", "run-1")),
    ],
)
def test_compared_runs_are_named_by_the_days_on_which_they_differ(captures, tmp_path, dates, shown):
    for at, date in enumerate(dates):
        write_capture(captures / f"run-{at}", ms=1.0 + at / 5, seed=at, date=date)
    build(captures, tmp_path / "site", comparisons="previous")
    (page,) = (tmp_path / "site" / "compare").glob("*.html")
    title = re.search(r"<h1[^>]*>([^<]*)<", page.read_text("utf-8"))[1]
    assert sorted(re.findall(r"\(([^)]*)\)", title)) == sorted(shown)


def test_an_outlier_is_not_drawn_as_a_regression(captures, tmp_path):
    write_history(captures, [1.0, 1.0, 1.5, 1.0, 1.0, 1.2, 1.2])
    (history,) = build(captures, tmp_path / "site").histories
    chart = history_chart(history.variants[0], 1)
    assert [(series.name, series.x) for series in chart.series] == [
        ("no change detected", (1, 2, 4, 5, 7)),
        ("regression", (6,)),
        ("outlier", (3,)),
    ]
    assert (chart.x.title, chart.y.title) == ("Run", "Median")
