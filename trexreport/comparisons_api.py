"""The public functions for several engines: compare them, render the comparison."""

from __future__ import annotations

from collections.abc import Sequence

from trexreport.analyzer.analysis.comparison import Comparison
from trexreport.api import Page, Pdf
from trexreport.api_arguments import check_engines
from trexreport.lazy_dataclass import dataclass
from trexreport.model import Engine, ExternalLatency
from trexreport.pipeline.comparisons import compare_engines
from trexreport.pipeline.reports import check_tools
from trexreport.pipeline.settings import Settings
from trexreport.wording.comparison import headline


@dataclass(frozen=True, repr=False)
class PdfComparison(Pdf):
    """A comparison of several engines, with its `comparison`."""

    comparison: Comparison


@dataclass(frozen=True, repr=False)
class ComparisonPage(Page):
    """A comparison of several engines, with its `comparison`."""

    comparison: Comparison


def render_comparison(
    engines: Sequence[Engine],
    *,
    baseline: int = 0,
    focus: int | None = None,
    settings: Settings | None = None,
    names: Sequence[str] | None = None,
    others: Sequence[ExternalLatency] = (),
) -> ComparisonPage:
    """Compare engines and return the page of the comparison.

    Args:
        engines: What `load` returned, at least two of them.
        baseline: Index of the engine that the others are compared with.
        focus: Index of the engine whose graph is shown; the first candidate if not given.
        settings: Of rules, GPU and verdicts; see `render`.
        names: Titles, one for each engine; the engines' own if not given.
        others: Latencies of what is not a TensorRT engine.

    Raises:
        UsageError: There is no such engine, not one name for each, or something else than engines is given.
    """
    check_engines(engines, "render_comparison")
    compared = compare_engines(
        engines, settings or Settings(), ["html"], baseline=baseline, shown=focus, names=names, others=others
    )
    return ComparisonPage(headline(compared.comparison), compared.render("html"), compared.comparison)


def render_comparison_pdf(
    engines: Sequence[Engine],
    *,
    baseline: int = 0,
    focus: int | None = None,
    settings: Settings | None = None,
    names: Sequence[str] | None = None,
    others: Sequence[ExternalLatency] = (),
) -> PdfComparison:
    """Compare engines and return the comparison as PDF/A-3b, with the files of all engines attached.

    Args:
        engines: What `load` returned, at least two of them.
        baseline: Index of the engine that the others are compared with.
        focus: Index of the engine whose graph is shown; see `render_comparison`.
        settings: Of rules, GPU and verdicts; see `render`.
        names: Titles, one for each engine; the engines' own if not given.
        others: Latencies of what is not a TensorRT engine.

    Raises:
        MissingToolError: WeasyPrint is not installed, or the libraries of Pango are missing.
        UsageError: There is no such engine, not one name for each, or something else than engines is given.
    """
    check_engines(engines, "render_comparison_pdf")
    check_tools(["pdf"])
    compared = compare_engines(
        engines, settings or Settings(), ["pdf"], baseline=baseline, shown=focus, names=names, others=others
    )
    return PdfComparison(headline(compared.comparison), compared.render("pdf"), compared.comparison)


def compare(
    engines: Sequence[Engine],
    *,
    baseline: int = 0,
    settings: Settings | None = None,
    names: Sequence[str] | None = None,
    others: Sequence[ExternalLatency] = (),
) -> Comparison:
    """Compare engines and return the comparison.

    Args:
        engines: What `load` returned, at least two of them.
        baseline: Index of the engine that the others are compared with.
        settings: Of rules, GPU and verdicts; see `render`.
        names: Titles, one for each engine; the engines' own if not given.
        others: Latencies of what is not a TensorRT engine.

    Raises:
        UsageError: There is no such engine, not one name for each, or something else than engines is given.
    """
    check_engines(engines, "compare")
    return compare_engines(
        engines, settings or Settings(), [], baseline=baseline, names=names, others=others
    ).comparison
