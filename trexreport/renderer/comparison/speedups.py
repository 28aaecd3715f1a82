"""What a lower precision should save and what it saves, for the page and the PDF of a comparison."""

from __future__ import annotations

from trexreport.analyzer.analysis.comparison import Comparison
from trexreport.analyzer.analysis.speedup import ExpectedSpeedup, SpeedupGap, SpeedupPlace
from trexreport.analyzer.analysis.waterfall import Step, Waterfall
from trexreport.lazy_dataclass import dataclass
from trexreport.numbers import counted, format_ms, list_names, middle_ellipsis
from trexreport.renderer.comparison.differences import NARROW, WIDE
from trexreport.renderer.comparison.verdicts import candidates
from trexreport.renderer.comparison.waterfall_chart import draw_waterfall
from trexreport.wording import speedup as words
from trexreport.wording.comparison import signed_ms

#: More places of one part are only counted, and more names of a place.
_MAX_PLACES, _MAX_NAMES, _MAX_NAME = 20, 3, 60


@dataclass(frozen=True)
class PlaceView:
    """A place with the row of the aligned layers that it is in."""

    row: int
    name: str
    time: str
    details: str


@dataclass(frozen=True)
class GapView:
    """A part of the difference between measured and expected time."""

    title: str
    time: str
    reasons: str
    count: int
    places: list[PlaceView]


@dataclass(frozen=True)
class SpeedupView:
    """What is expected of one candidate, or of the baseline against it."""

    name: str
    is_focus: bool
    title: str
    sentences: list[str]
    total: str
    gaps: list[GapView]
    svg: str
    narrow_svg: str


def speedup_views(comparison: Comparison, focus: int, width: int = WIDE) -> list[SpeedupView]:
    """Return the views of the candidates whose precision is lower or higher than the baseline's.

    Args:
        comparison: Of the engines.
        focus: Index of the candidate whose graph is shown.
        width: Of the drawings, in pixels.
    """
    of_candidates = [
        (engine.name, index == focus, engine.speedup)
        for index, engine in candidates(comparison)
        if engine.speedup is not None
    ]
    steps = [(f"{each.reference} → {each.engine}", False, each) for each in comparison.speedup_steps]
    return [_view(comparison, *each, width) for each in (*of_candidates, *steps)]


def _view(
    comparison: Comparison, name: str, is_focus: bool, speedup: ExpectedSpeedup, width: int
) -> SpeedupView:
    places = {engine.name: index for index, engine in enumerate(comparison.engines)}
    engines = places[speedup.engine], places[speedup.reference]
    waterfall = _waterfall(speedup)
    drawings = ["", ""]
    if waterfall is not None:
        drawings = [_drawing(waterfall, speedup, each) for each in (width, NARROW)]
    return SpeedupView(
        name=name,
        is_focus=is_focus,
        title=words.speedup_title(speedup),
        sentences=words.speedup_sentences(speedup),
        total="" if waterfall is None else signed_ms(_gap_ms(speedup)),
        gaps=[_gap(comparison, engines, speedup, gap) for gap in speedup.gaps],
        svg=drawings[0],
        narrow_svg=drawings[1],
    )


def _drawing(waterfall: Waterfall, speedup: ExpectedSpeedup, width: int) -> str:
    first = waterfall.steps[0]

    def hover(step: Step) -> list[str]:
        if step is first:
            times = [f"reference: {format_ms(step.baseline_ms)}", f"expected: {format_ms(step.candidate_ms)}"]
            return [step.name, *times, f"difference: {signed_ms(step.difference_ms)}"]
        layers = f" in {counted(step.candidate_layers, 'layer')}" if step.candidate_layers else ""
        return [step.name, f"difference: {signed_ms(step.difference_ms)}{layers}"]

    return draw_waterfall(
        waterfall,
        (speedup.reference, speedup.engine),
        lambda _: "",
        width,
        title=f"From {speedup.reference} to the expected and the measured time of {speedup.engine}",
        hover=hover,
        metric=speedup.metric,
    )


def _gap_ms(speedup: ExpectedSpeedup) -> float:
    return (speedup.measured_ms or 0.0) - (speedup.expected_ms or 0.0)


def _waterfall(speedup: ExpectedSpeedup) -> Waterfall | None:
    """Return the way from the time in the higher precision to the expected and to the measured one."""
    before, expected, after = speedup.reference_ms, speedup.expected_ms, speedup.measured_ms
    if before is None or expected is None or after is None:
        return None
    steps = [Step(f"Expected in {speedup.precision}", expected - before, before, expected, 0, 0)]
    for gap in speedup.gaps:
        layers = {index for place in gap.places for index in place.layers}
        removed = {index for place in gap.places for index in place.reference_layers}
        count = len(layers or removed)
        steps.append(Step(words.gap_title(speedup, gap), gap.cost_ms, 0.0, gap.cost_ms, 0, count))
    return Waterfall("cause", before, after, after - before, steps)


def _gap(
    comparison: Comparison, engines: tuple[int, int], speedup: ExpectedSpeedup, gap: SpeedupGap
) -> GapView:
    return GapView(
        title=words.gap_title(speedup, gap),
        time=signed_ms(gap.cost_ms),
        reasons=words.gap_reasons(speedup, gap),
        count=len(gap.places),
        places=[_place(comparison, engines, speedup, place) for place in gap.places[:_MAX_PLACES]],
    )


def _place(
    comparison: Comparison, engines: tuple[int, int], speedup: ExpectedSpeedup, place: SpeedupPlace
) -> PlaceView:
    lower, higher = engines
    row = (
        comparison.row_of[lower][place.layers[0]]
        if place.layers
        else comparison.row_of[higher][place.reference_layers[0]]
    )
    count = len(place.layers or place.reference_layers)
    nodes = [middle_ellipsis(name, _MAX_NAME) for name in place.nodes if name != place.name]
    details = (
        f"and {count - 1} more" if count > 1 else "",
        words.place_reasons(speedup, place.reasons),
        f"ONNX {'nodes' if len(nodes) > 1 else 'node'} {list_names(nodes, _MAX_NAMES)}" if nodes else "",
        list_names([middle_ellipsis(source, _MAX_NAME) for source in place.sources], _MAX_NAMES),
    )
    return PlaceView(row, place.name, signed_ms(place.cost_ms), "; ".join(filter(None, details)))
