"""What the page of a comparison shows, put into words: the templates only lay it out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from trexreport.analyzer.analysis.comparison import (
    BLOCKS,
    EXPLAINS,
    ComparedEngine,
    ComparedRow,
    Comparison,
    Figures,
    FindingChange,
    RowSide,
    Share,
    Step,
    Waterfall,
)
from trexreport.analyzer.analysis.verdict import Verdict
from trexreport.numbers import format_count, format_ms, format_number
from trexreport.renderer.comparison.waterfall_chart import draw_waterfall
from trexreport.renderer.comparison.wording import (
    alike,
    at_least,
    is_comparable,
    ratio_of,
    signed_ms,
    signed_percent,
    verdict_word,
    where_sentence,
    why,
)
from trexreport.renderer.links import filter_link, term

#: Widths of drawings in pixels: over the whole column, and on a telephone.
WIDE, NARROW = 1040, 388
#: The order in which waterfalls are told: why first, then where.
_WATERFALLS = {
    "cause": "By cause",
    "type": "By type",
    "output precision": "By precision",
    "block": "By block",
}
#: What a click on a step filters the aligned layers by.
_FIELDS = {"cause": "cause", "type": "type", "output precision": "out", "block": "module"}
_MOST_SHARES, _MOST_CHANGED, _MOST_STATIC_ROWS = 25, 20, 60


@dataclass(frozen=True)
class VerdictView:
    """The verdict about one candidate.

    Attributes:
        kind: As JSON spells it.
        of: Which time was judged.
        way: From the baseline's time to the candidate's.
        why: What most of the difference is made of.
    """

    name: str
    kind: str
    word: str
    of: str
    change: str
    way: str
    why: str
    reasons: list[str]
    obstacles: list[str]


@dataclass(frozen=True)
class Cell:
    """A figure and how it differs from the baseline's."""

    text: str
    change: str = ""


@dataclass(frozen=True)
class WaterfallView:
    """A waterfall with its heading and its sentence."""

    title: str
    sentence: str
    note: str
    svg: str
    narrow_svg: str


@dataclass(frozen=True)
class DifferenceView:
    """Where one candidate differs."""

    name: str
    is_focus: bool
    waterfalls: list[WaterfallView]
    missing: str
    appeared: list[FindingChange]
    vanished: list[FindingChange]
    unchecked: int


@dataclass(frozen=True)
class ShareView:
    """Latency of the layers that stand for some names of the model, in each engine."""

    label: str
    more: int
    times: list[str]
    difference: str


@dataclass(frozen=True)
class RowView:
    """A row of the table that needs no script."""

    index: int
    label: str
    others: int
    times: list[str]
    difference: str
    mark: str
    changes: list[str]


@dataclass(frozen=True)
class ChangedView:
    """A row in which engines disagree: its layers and what each engine has there."""

    index: int
    label: str
    values: list[str]
    difference: str


def candidates(comparison: Comparison) -> list[tuple[int, ComparedEngine]]:
    """Return the engines that are held against the baseline, with their index."""
    return [
        (index, engine) for index, engine in enumerate(comparison.engines) if index != comparison.baseline
    ]


def verdict_views(comparison: Comparison) -> list[VerdictView]:
    """Return the verdict of each candidate."""
    views = []
    for _, engine in candidates(comparison):
        verdict = engine.verdict
        if verdict is None:
            continue
        views.append(
            VerdictView(
                name=engine.name,
                kind=verdict.verdict,
                word=verdict_word(verdict.verdict),
                of=engine.verdict_of,
                change=signed_percent(ratio_of(engine), 1) if is_comparable(engine) else "",
                way=_way(verdict),
                why=why(engine),
                reasons=verdict.reasons,
                obstacles=engine.obstacles,
            )
        )
    return views


def _way(verdict: Verdict) -> str:
    before, after = verdict.baseline.median_ms, verdict.candidate.median_ms
    return f"{format_ms(before)} → {format_ms(after)}" if before is not None and after is not None else ""


def figure_rows(comparison: Comparison) -> list[tuple[ComparedEngine, list[Cell]]]:
    """Return the figures of each engine, in the order of `FIGURE_TITLES`."""
    baseline = comparison.engines[comparison.baseline].figures
    rows = []
    for index, engine in enumerate(comparison.engines):
        figures = engine.figures
        against = None if index == comparison.baseline else baseline

        def cell(text: str, name: str, against: object = against, figures: Figures = figures) -> Cell:
            before = getattr(against, name) if against else None
            partly = any(
                getattr(each, _PARTS[name]) for each in (figures, against) if each and name in _PARTS
            )
            return Cell(text, "" if partly else signed_percent(getattr(figures, name), before))

        per_item = figures.latency_per_item_ms
        rows.append(
            (
                engine,
                [
                    cell(format_ms(figures.latency_ms), "latency_ms"),
                    cell(format_ms(figures.latency_p99_ms), "latency_p99_ms"),
                    cell(format_ms(per_item), "latency_per_item_ms"),
                    cell(format_number(figures.throughput_qps), "throughput_qps"),
                    cell(format_ms(figures.layer_sum_ms), "layer_sum_ms"),
                    cell(format_count(figures.layers), "layers"),
                    Cell(_reformats(figures.reformats, figures.reformat_ms)),
                    cell(at_least(figures.weights_bytes, figures.weights_unknown), "weights_bytes"),
                    cell(at_least(figures.peak_live_bytes, figures.activations_unknown), "peak_live_bytes"),
                ],
            )
        )
    return rows


#: What is known of a part of an engine only, and by which count of the others.
_PARTS = {"weights_bytes": "weights_unknown", "peak_live_bytes": "activations_unknown"}

FIGURE_TITLES = (
    "Latency, median",
    "Latency, 99 %",
    "Per item",
    "Queries/s",
    "Sum of the layers",
    "Layers",
    "Reformats",
    "Weights",
    "Live tensors",
)


def _reformats(count: int, time_ms: float | None) -> str:
    return (
        format_count(count)
        if not count or time_ms is None
        else f"{format_count(count)}, {format_ms(time_ms)}"
    )


def difference_view(
    comparison: Comparison, index: int, *, is_focus: bool, width: int = WIDE
) -> DifferenceView:
    """Return where a candidate differs, drawn so many pixels wide; the focus has links to its rows."""
    engine = comparison.engines[index]
    names = (comparison.engines[comparison.baseline].name, engine.name)
    found = {waterfall.by: waterfall for waterfall in engine.waterfalls}
    return DifferenceView(
        name=engine.name,
        is_focus=is_focus,
        waterfalls=[
            _waterfall_view(comparison, found[by], title, names, width, linked=is_focus)
            for by, title in _WATERFALLS.items()
            if by in found and any(step.difference_ms for step in found[by].steps)
        ],
        missing=engine.no_waterfalls or alike(engine),
        appeared=[each for each in engine.appeared if each.checked],
        vanished=[each for each in engine.vanished if each.checked],
        unchecked=sum(not each.checked for each in (*engine.appeared, *engine.vanished)),
    )


def _waterfall_view(
    comparison: Comparison,
    waterfall: Waterfall,
    title: str,
    names: tuple[str, str],
    width: int,
    *,
    linked: bool,
) -> WaterfallView:
    known = {step.name for step in waterfall.steps}

    def link_of(step: Step) -> str:
        return filter_link(term(_FIELDS[waterfall.by], step.name)) if linked and step.name in known else ""

    note = comparison.blocks_by if waterfall.by == "block" else ""
    wide, narrow = (draw_waterfall(waterfall, names, link_of, each) for each in (width, NARROW))
    return WaterfallView(title, where_sentence(waterfall), note, wide, narrow)


def static_rows(comparison: Comparison, focus: int) -> list[RowView]:
    """Return the rows of the table that needs no script: those in which the candidate differs most."""
    order = sorted(
        range(len(comparison.rows)),
        key=lambda at: (-abs(comparison.rows[at].sides[focus].difference_ms or 0.0), at),
    )
    return [_row_view(comparison.rows[at], at, focus) for at in order[:_MOST_STATIC_ROWS]]


def _row_view(row: ComparedRow, index: int, focus: int) -> RowView:
    side = row.sides[focus]
    return RowView(
        index=index,
        label=row.label,
        others=row.others,
        times=[format_ms(each.time_ms) if each.members else "" for each in row.sides],
        difference=signed_ms(side.difference_ms),
        mark=side.mark,
        changes=[change for change in side.changes if change != side.mark],
    )


def share_views(comparison: Comparison, shares: Sequence[Share], focus: int) -> list[ShareView]:
    """Return the names of the model whose latency differs most between baseline and candidate."""
    baseline = comparison.baseline

    def difference(share: Share) -> float | None:
        before, after = share.times_ms[baseline], share.times_ms[focus]
        unknown = any(
            time is None and share.layers[engine] for engine, time in ((baseline, before), (focus, after))
        )
        return None if unknown or (before is None and after is None) else (after or 0.0) - (before or 0.0)

    ranked = sorted(shares, key=lambda share: -abs(difference(share) or 0.0))
    return [
        ShareView(
            label=" + ".join(share.names[:3]) or "layers that name none",
            more=max(0, len(share.names) - 3),
            times=[format_ms(time) if time is not None else "" for time in share.times_ms],
            difference="0" if difference(share) == 0 else signed_ms(difference(share)),
        )
        for share in ranked[:_MOST_SHARES]
    ]


def in_common(comparison: Comparison, shares: Sequence[Share], focus: int) -> float:
    """Return which part of the names stands in both the baseline and a candidate."""
    known = [(share.layers[comparison.baseline], share.layers[focus]) for share in shares if share.names]
    told = [pair for pair in known if any(pair)]
    return sum(all(pair) for pair in told) / len(told) if told else 1.0


def precision_changes(comparison: Comparison, focus: int) -> tuple[int, list[ChangedView]]:
    """Return how many aligned groups of layers differ in precision, and those that cost most."""
    return _changed(comparison, focus, _precisions)


def tactic_changes(comparison: Comparison, focus: int) -> tuple[int, list[ChangedView]]:
    """Return in how many aligned groups engines run other kernels in the same precision; the dearest."""

    def tactics(side: RowSide) -> str:
        return ", ".join(dict.fromkeys(m.tactic for m in side.members if not m.helps and m.tactic))

    return _changed(comparison, focus, tactics, within=_precisions)


def _changed(
    comparison: Comparison,
    focus: int,
    told: Callable[[RowSide], str],
    within: Callable[[RowSide], str] = lambda _: "",
) -> tuple[int, list[ChangedView]]:
    """Return the rows whose sides tell different things, those first in which the candidate costs most.

    Sides are held against those of which `within` says the same.
    """
    found = []
    for index, row in enumerate(comparison.rows):
        values = [told(side) for side in row.sides]
        groups: dict[str, set[str]] = {}
        for side, value in zip(row.sides, values, strict=True):
            if value:
                groups.setdefault(within(side), set()).add(value)
        if any(len(group) > 1 for group in groups.values()):
            found.append((index, row, values))
    found.sort(key=lambda each: (-abs(each[1].sides[focus].difference_ms or 0.0), each[0]))
    return len(found), [
        ChangedView(index, row.label, values, signed_ms(row.sides[focus].difference_ms))
        for index, row, values in found[:_MOST_CHANGED]
    ]


def _precisions(side: RowSide) -> str:
    """Return the precisions that the computing layers take in and put out."""
    found = dict.fromkeys(
        member.precision
        if member.precision == member.output_precision or not member.output_precision
        else f"{member.precision} → {member.output_precision}"
        for member in side.members
        if not member.helps and member.precision
    )
    return ", ".join(found)


def conditions_sentence(comparison: Comparison) -> str:
    """Say in one sentence whether like is compared with like."""
    blocking = [each.name for each in comparison.comparability if each.differs and each.gravity == BLOCKS]
    explaining = [each.name for each in comparison.comparability if each.differs and each.gravity == EXPLAINS]
    if blocking:
        return f"Not like with like: {', '.join(blocking)} differ between the engines."
    if explaining:
        return f"Like with like, but for what may explain a difference: {', '.join(explaining)}."
    return "Nothing that is known of build and measurement stands in the way of comparing."


def alike_facts(comparison: Comparison) -> list[str]:
    """Return what all engines have in common, for the head of the page."""
    identities = [engine.identity for engine in comparison.engines]
    facts = {
        "{}": {identity.gpu for identity in identities},
        "TensorRT {}": {identity.tensorrt_version for identity in identities},
        "{} ": {identity.shapes for identity in identities},
    }
    return [
        form.format(*values).strip() for form, values in facts.items() if len(values) == 1 and values != {""}
    ]
