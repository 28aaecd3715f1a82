"""The public functions: read an engine, analyze it, render it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from trexreport.analyzer import Analysis, GpuChoice, analyze
from trexreport.analyzer.analysis.comparison import Comparison
from trexreport.analyzer.analysis.verdict import VerdictSettings
from trexreport.analyzer.comparison.compare import compare
from trexreport.analyzer.rules import LintSettings, Registry
from trexreport.errors import UsageError
from trexreport.model import Engine, ExternalLatency
from trexreport.output import write_output
from trexreport.reader import read_engine
from trexreport.renderer.comparison.html import render_comparison_html
from trexreport.renderer.html import HtmlOptions, render_html
from trexreport.wording.comparison import headline


class _Savable(ABC):
    """What is written as one file."""

    @property
    @abstractmethod
    def _content(self) -> bytes: ...

    def save(self, path: str | Path, *, force: bool = False) -> Path:
        """Write the file and return its path; only one of ours is replaced, anything else with `force`.

        Raises:
            OutputError: The file is somebody else's, or can't be written.
        """
        write_output(path, self._content, force=force)
        return Path(path)


@dataclass(frozen=True)
class Page(_Savable):
    """A page that shows itself in a notebook and can be saved.

    Attributes:
        title: What it is of.
        html: The page.
    """

    title: str
    html: bytes

    @property
    def _content(self) -> bytes:
        return self.html

    def _repr_html_(self) -> str:
        """Show the page in a frame of its own, so that neither its styles nor a notebook's interfere."""
        page = escape(self.html.decode("utf-8"))
        return (
            f'<iframe srcdoc="{page}" title="{escape(self.title)}" width="100%" height="800" '
            f'sandbox="allow-scripts allow-downloads" frameborder="0"></iframe>'
        )


@dataclass(frozen=True)
class Pdf(_Savable):
    """A PDF that can be saved.

    Attributes:
        title: What it is of.
        pdf: The file.
    """

    title: str
    pdf: bytes

    @property
    def _content(self) -> bytes:
        return self.pdf


@dataclass(frozen=True)
class PdfReport(Pdf):
    """A report of one engine; `analysis` is everything that it says."""

    analysis: Analysis


@dataclass(frozen=True)
class PdfComparison(Pdf):
    """Several engines side by side; `comparison` is everything that it says."""

    comparison: Comparison


@dataclass(frozen=True)
class Report(Page):
    """A report of one engine; `analysis` is everything that it says."""

    analysis: Analysis


@dataclass(frozen=True)
class ComparisonPage(Page):
    """Several engines side by side; `comparison` is everything that it says."""

    comparison: Comparison


def load(
    *paths: str | Path,
    files: Mapping[str, str | Path] | None = None,
    optimization_profile: int | None = None,
    name: str | None = None,
) -> Engine:
    """Read one engine from a capture folder, a graph file, an archive or an earlier report.

    Args:
        paths: Where it is; several files of one capture may be given.
        files: Role ("graph", "profile", "timing", "metadata", "build-metadata", "profile-metadata",
            "log") to file, for files whose role is stated rather than found.
        optimization_profile: Index of the one to read; None takes the one that was measured, else 0.
        name: Title of the engine.

    Raises:
        InputError: A file can't be read, or nothing usable is there.
    """
    return read_engine(*paths, files=files, optimization_profile=optimization_profile, name=name)


def render(
    engine: Engine,
    *,
    interactive_charts: bool = True,
    shown: frozenset[str] = frozenset(),
    settings: LintSettings | None = None,
    registry: Registry | None = None,
    gpu: GpuChoice | None = None,
) -> Report:
    """Analyze an engine and return its report.

    Args:
        engine: What `load` returned.
        interactive_charts: Embed plotly.js (about 2 MB); else the charts are static SVG.
        shown: What the graph does not leave out: "constants", "noops", "shape" (size computations, signals
            and waits).
        settings: Which rules run and what is kept quiet; all rules as they are if not given.
            Configuration files are the command line's: nothing is read here.
        registry: The rules; all that are installed if not given.
        gpu: Which GPU's peaks the layers are held against; the one that the capture states if not given.

    Raises:
        MissingToolError: Interactive charts are wanted and plotly is not installed.
        UsageError: The chosen GPU is in no table, or the user's table can't be used.
    """
    analysis = analyze(engine, settings=settings, registry=registry, gpu=gpu)
    html = render_html(analysis, engine.sources, HtmlOptions(interactive_charts, shown=shown))
    return Report(f"Report of {analysis.identity.name}", html, analysis)


def render_pdf(
    engine: Engine,
    *,
    shown: frozenset[str] = frozenset(),
    settings: LintSettings | None = None,
    registry: Registry | None = None,
    gpu: GpuChoice | None = None,
) -> PdfReport:
    """Analyze an engine and return its report as PDF/A-3b, with the engine's files attached.

    Args:
        engine: What `load` returned.
        shown: What the graph does not leave out; see `render`.
        settings: Which rules run and what is kept quiet; see `render`.
        registry: The rules; all that are installed if not given.
        gpu: Which GPU's peaks the layers are held against; see `render`.

    Raises:
        MissingToolError: WeasyPrint is not installed, or the libraries of Pango are missing.
        UsageError: The chosen GPU is in no table, or the user's table can't be used.
    """
    from trexreport.renderer import pdf

    pdf.check_pdf_tools()
    analysis = analyze(engine, settings=settings, registry=registry, gpu=gpu)
    data = pdf.render_pdf(analysis, engine.sources, shown)
    return PdfReport(f"Report of {analysis.identity.name}", data, analysis)


def render_comparison(
    engines: Sequence[Engine],
    *,
    baseline: int = 0,
    focus: int | None = None,
    settings: VerdictSettings | None = None,
    names: Sequence[str] | None = None,
    others: Sequence[ExternalLatency] = (),
) -> ComparisonPage:
    """Compare engines and return the page of it.

    Args:
        engines: What `load` returned, at least two of them.
        baseline: Index of the engine that the others are held against.
        focus: Index of the engine whose graph is shown; the first that is not the baseline if not given.
        settings: What has to hold for a verdict.
        names: Titles, one for each engine; the engines' own if not given.
        others: What is no engine and has latencies only.

    Raises:
        UsageError: There is no such engine, or not one name for each.
    """
    comparison, analyses = _compared(
        engines, focus=focus, baseline=baseline, settings=settings, names=names, others=others
    )
    html = render_comparison_html(comparison, analyses, focus)
    return ComparisonPage(headline(comparison), html, comparison)


def render_comparison_pdf(
    engines: Sequence[Engine],
    *,
    baseline: int = 0,
    focus: int | None = None,
    settings: VerdictSettings | None = None,
    names: Sequence[str] | None = None,
    others: Sequence[ExternalLatency] = (),
) -> PdfComparison:
    """Compare engines and return that as PDF/A-3b, with the files of all of them attached.

    Args:
        engines: What `load` returned, at least two of them.
        baseline: Index of the engine that the others are held against.
        focus: Index of the engine whose graph is shown; see `render_comparison`.
        settings: What has to hold for a verdict.
        names: Titles, one for each engine; the engines' own if not given.
        others: What is no engine and has latencies only.

    Raises:
        MissingToolError: WeasyPrint is not installed, or the libraries of Pango are missing.
        UsageError: There is no such engine, or not one name for each.
    """
    from trexreport.renderer import pdf

    pdf.check_pdf_tools()
    comparison, analyses = _compared(
        engines, focus=focus, baseline=baseline, settings=settings, names=names, others=others
    )
    sources = [engine.sources for engine in engines]
    data = pdf.render_comparison_pdf(comparison, analyses, sources, focus, others)
    return PdfComparison(headline(comparison), data, comparison)


def _compared(
    engines: Sequence[Engine],
    *,
    focus: int | None,
    baseline: int,
    settings: VerdictSettings | None,
    names: Sequence[str] | None,
    others: Sequence[ExternalLatency],
) -> tuple[Comparison, list[Analysis]]:
    """Compare engines and check the one that is shown."""
    analyses = [analyze(engine) for engine in engines]
    comparison = compare(
        engines, baseline=baseline, settings=settings, names=names, analyses=analyses, others=others
    )
    if focus is not None and not 0 <= focus < len(engines):
        raise UsageError(f"There is no engine {focus} to show.", f"Choose from 0 to {len(engines) - 1}.")
    return comparison, analyses


__all__ = [
    "ComparisonPage",
    "Page",
    "Pdf",
    "PdfComparison",
    "PdfReport",
    "Report",
    "analyze",
    "load",
    "render",
    "render_comparison",
    "render_comparison_pdf",
    "render_pdf",
]
