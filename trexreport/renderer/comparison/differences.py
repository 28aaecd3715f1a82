"""Where a candidate differs: the steps from one time to the other, and new and resolved findings."""

from __future__ import annotations

from trexreport.analyzer.analysis.comparison import Comparison, FindingChange
from trexreport.analyzer.analysis.waterfall import Step, Waterfall
from trexreport.lazy_dataclass import dataclass
from trexreport.renderer.comparison.waterfall_chart import draw_waterfall
from trexreport.renderer.links import filter_link, term
from trexreport.wording.comparison import alike, block_steps, no_waterfalls, steps_sentence

#: Widths of drawings in pixels: over the whole column, and on a telephone.
WIDE, NARROW = 1040, 358
#: The order of the waterfalls: why first, then where.
_WATERFALLS = {
    "cause": "By cause",
    "type": "By type",
    "output precision": "By output precision",
    "block": "By block",
    "module": "By module",
    "source line": "By source line",
}
#: What a click on a step filters the aligned layers by.
_FIELDS = {
    "cause": "cause",
    "type": "type",
    "output precision": "out",
    "block": "block",
    "module": "onnx",
    "source line": "source",
}
_MODULES = frozenset({"modules", "module series"})


@dataclass(frozen=True)
class WaterfallView:
    """A waterfall with its heading, a note on its steps, and the alternative text of its drawing in a PDF."""

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
    is_different_model: bool
    waterfalls: list[WaterfallView]
    missing: str
    new_findings: list[FindingChange]
    resolved_findings: list[FindingChange]
    unchecked: int


def difference_view(
    comparison: Comparison, index: int, *, is_focus: bool, width: int = WIDE
) -> DifferenceView:
    """Return where a candidate differs, drawn at a width in pixels; the focus has links to its rows."""
    engine = comparison.engines[index]
    names = (comparison.engines[comparison.baseline].name, engine.name)
    found = {waterfall.by: waterfall for waterfall in engine.waterfalls}
    if "module" in found and comparison.block_basis in _MODULES:
        # Blocks are then modules too, and count what is shared among the first of them.
        found.pop("block", None)
    return DifferenceView(
        name=engine.name,
        is_focus=is_focus,
        is_different_model="model" in engine.blocking_conditions,
        waterfalls=[
            _waterfall_view(comparison, found[by], title, names, width, linked=is_focus)
            for by, title in _WATERFALLS.items()
            if by in found and any(step.difference_ms for step in found[by].steps)
        ],
        missing=no_waterfalls(engine) or alike(engine),
        new_findings=[each for each in engine.new_findings if each.checked],
        resolved_findings=[each for each in engine.resolved_findings if each.checked],
        unchecked=sum(not each.checked for each in (*engine.new_findings, *engine.resolved_findings)),
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
    known = {step.name for step in waterfall.steps if step.baseline_layers or step.candidate_layers}

    def link_of(step: Step) -> str:
        return filter_link(term(_FIELDS[waterfall.by], step.name)) if linked and step.name in known else ""

    is_module = waterfall.by == "block" and comparison.block_basis in _MODULES
    note = block_steps(comparison) if waterfall.by == "block" else ""
    # Time that moves from one precision to another is neither better nor worse.
    role_of = _precision_role if waterfall.by == "output precision" else None
    wide, narrow = (
        draw_waterfall(waterfall, names, link_of, each, role_of=role_of) for each in (width, NARROW)
    )
    return WaterfallView("By module" if is_module else title, steps_sentence(waterfall), note, wide, narrow)


def _precision_role(step: Step) -> str:
    return f"precision:{step.name}"
