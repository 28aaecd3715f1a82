"""Render the pages of a site that are of many engines: the index, the comparison of figures, histories."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from trexreport import __version__
from trexreport.lazy_dataclass import dataclass
from trexreport.numbers import counted, middle_ellipsis
from trexreport.renderer.charts.svg import PHONE, to_svg
from trexreport.renderer.packing import in_columns
from trexreport.renderer.page import environment, packed_json, page_bytes, page_styles, style_and_script
from trexreport.site.contents import Site
from trexreport.site.entries import Entry
from trexreport.site.hints import place_hints
from trexreport.site.history import History, HistoryRun, date_order, steps_of
from trexreport.site.history_chart import history_chart
from trexreport.site.jobs import HOME
from trexreport.wording.site import change_word, history_sentence, mark_word, order_sentence, site_sentence

INDEX, FIGURES_PAGE = "index.html", "compare.html"
#: Engines in the table that needs no script.
STATIC_ROWS = 300
#: Steps on the first screen, and failures and histories in tables that are all in the page.
_MAX_STEPS, _MAX_LISTED = 5, 2000
#: Runs of a sparkline.
_MAX_TREND = 30
_STYLES = page_styles("comparison", "site", live=("page", "table", "charts"))
#: Width of a chart in a wide window, in pixels.
_WIDE = 1040
_DIGITS = 6


@dataclass(frozen=True)
class EngineRow:
    """An engine in the index.

    Attributes:
        run: What it is among the runs of its model.
        history: Address of their page; empty if it is the only one.
        hint: Folder that says more than its name; may be empty.
    """

    entry: Entry
    run: HistoryRun
    history: str
    hint: str


def render_pages(
    site: Site, labels: Sequence[str], title: str, redacted: str = ""
) -> Iterator[tuple[str, bytes]]:
    """Yield each page's name and content; the same site gives the same bytes.

    Args:
        site: What is in it.
        labels: The folders that were searched.
        title: Of the index; empty for how many engines there are.
        redacted: What is redacted, in words; empty for nothing.
    """
    rows = _rows(site)
    records = [_record(row) for row in rows]
    yield INDEX, _index(site, rows, records, title, labels=labels, redacted=redacted)
    yield FIGURES_PAGE, _figures_page(site, rows, records)
    for history in filter(is_followed, site.histories):
        yield f"history/{history.address}.html", _history(site, history)


def _rows(site: Site) -> list[EngineRow]:
    """Return the engines, the latest first, those without a date last."""
    hints = place_hints(site.entries, _day)
    rows = []
    for history in site.histories:
        address = history.address if is_followed(history) else ""
        rows += [EngineRow(run.entry, run, address, hints.get(run.entry.place, "")) for run in history.runs]
    return sorted(rows, key=lambda row: date_order(row.entry), reverse=True)


def is_followed(history: History) -> bool:
    """Whether there are runs to compare."""
    return len(history.runs) > 1


def _index(
    site: Site, rows: list[EngineRow], records: list[dict[str, Any]], title: str, **about: Any
) -> bytes:
    steps = steps_of(site.histories)
    slower = [step for step in steps if step.run.mark.direction == "slower"]
    trends = _trends(site)
    trend_of = {address: key for key, runs in trends.items() for address, _ in runs}
    records = [
        record | ({"trend": trend_of[record["address"]]} if record["address"] in trend_of else {})
        for record in records
    ]
    return _page(
        "index",
        home="",
        titles={
            "overview": "Overview",
            "engines": "Engines",
            "histories": "Histories",
            **({"failures": "Failed"} if site.failures else {}),
            "provenance": "About this site",
        },
        headline=title or counted(len(rows), "engine"),
        sentence=site_sentence(site.entries),
        rows=rows[:STATIC_ROWS],
        total=len(rows),
        slower=slower[:_MAX_STEPS],
        slower_count=len(slower),
        faster_count=len(steps) - len(slower),
        is_measured=any(row.run.time_ms is not None for row in rows),
        is_compared=any(row.run.change is not None for row in rows),
        synthetic=sum(row.entry.summary.synthetic for row in rows),
        has_dates=any(row.entry.summary.date for row in rows),
        histories=sorted(
            filter(is_followed, site.histories), key=lambda each: (-len(each.runs), each.model, each.gpu)
        ),
        max_listed=_MAX_LISTED,
        failures=site.failures,
        **about,
        comparison_of=_comparison_of(site),
        data=packed_json({"rows": in_columns(records), "compared": _pairs(site, rows), "trends": trends}),
    )


def _trends(site: Site) -> dict[str, list[list[Any]]]:
    """Return the latest runs of each variant of a history: the address and the time of each, in ms."""
    found = {}
    for history in filter(is_followed, site.histories):
        for number, variant in enumerate(history.variants):
            times = [(run.entry.address, run.time_ms) for run in variant.runs]
            runs = [[address, float(f"{time:.4g}")] for address, time in times if time is not None]
            if len(runs) > 1:
                found[f"{history.address}.{number}"] = runs[-_MAX_TREND:]
    return found


def _figures_page(site: Site, rows: list[EngineRow], records: list[dict[str, Any]]) -> bytes:
    """Return the page on which any two engines can be compared, by what the site knows of them."""
    details = [
        {
            **record,
            **{
                name: [
                    [group.name, group.layers, group.time_ms] for group in getattr(row.entry.summary, field)
                ]
                for name, field in (("types", "by_type"), ("precisions", "by_precision"))
            },
            "conditions": dict(row.entry.summary.conditions),
        }
        for row, record in zip(rows, records, strict=True)
    ]
    return _page(
        "compare", home=INDEX, data=packed_json({"rows": in_columns(details), "compared": _pairs(site, rows)})
    )


def _history(site: Site, history: History) -> bytes:
    entries = [run.entry for run in history.runs]
    return _page(
        "history",
        home=HOME,
        history=history,
        hints=place_hints(entries, str),
        titles={
            "overview": "Overview",
            **{
                f"variant-{number}": middle_ellipsis(variant.precision or variant.shapes or "Runs", 24)
                for number, variant in enumerate(history.variants)
            },
        },
        sentence=history_sentence(history),
        charts=[
            (to_svg(chart, _WIDE), to_svg(replace(chart, key=f"{chart.key}-narrow"), PHONE))
            if (chart := history_chart(variant, number))
            else ()
            for number, variant in enumerate(history.variants)
        ],
        comparison_of=_comparison_of(site),
        data=packed_json({}),
    )


def _day(date: str) -> str:
    return date[:10]


def _page(kind: str, **values: Any) -> bytes:
    templates = environment()
    templates.filters.update(
        mark_word=mark_word, change_word=change_word, order_sentence=order_sentence, day=_day
    )
    return page_bytes(
        templates.get_template(f"site/{kind}.html.j2"),
        version=__version__,
        live=False,
        **style_and_script(_STYLES, f"site_{kind}"),
        **values,
    )


def _comparison_of(site: Site) -> dict[str, str]:
    """Return the page that compares a run with the one before it, by the run's address."""
    return {after: name for name, (_, after) in sorted(site.comparisons.items())}


def _pairs(site: Site, rows: list[EngineRow]) -> list[list[int]]:
    """Return the pairs of rows that have a page of their own, the earlier one first."""
    at = {row.entry.address: number for number, row in enumerate(rows)}
    return [[at[before], at[after]] for _, (before, after) in sorted(site.comparisons.items())]


def _record(row: EngineRow) -> dict[str, Any]:
    """Return an engine for the script; what is empty or not known is left out."""
    summary, run = row.entry.summary, row.run
    record = {
        "address": row.entry.address,
        "place": row.entry.place,
        "history": row.history,
        "name": summary.name,
        "hint": row.hint,
        "model": summary.model,
        "gpu": summary.gpu,
        "tensorrt": summary.tensorrt,
        "precision": summary.precision,
        "shapes": summary.shapes,
        "batch": summary.batch,
        "date": summary.date,
        "latency": summary.latency_ms,
        "p99": summary.p99_ms,
        "compute": summary.compute_ms,
        "throughput": summary.throughput_qps,
        "sum": summary.layer_sum_ms,
        "size": summary.size_bytes,
        "weights": summary.weights_bytes,
        "peak": summary.peak_live_bytes,
        "layers": summary.layers,
        "reformats": summary.reformats,
        "reformat": summary.reformat_ms,
        "errors": summary.errors,
        "warnings": summary.warnings,
        "infos": summary.infos,
        "codes": " ".join(summary.codes),
        "change": None if run.change is None else 100 * run.change,
        "mark": mark_word(run.mark),
        "notes": summary.degraded or None,
        "contradictions": summary.contradictions or None,
        "synthetic": summary.synthetic or None,
    }
    return {
        key: float(f"{value:.{_DIGITS}g}") if isinstance(value, float) else value
        for key, value in record.items()
        if value not in (None, "")
    }
