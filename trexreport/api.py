"""The public functions for one engine: read it, analyze it, render it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from html import escape
from pathlib import Path

from trexreport.analyzer.analysis import Analysis
from trexreport.analyzer.analysis.comparison import Comparison
from trexreport.api_arguments import check_engine, refusal
from trexreport.lazy_dataclass import dataclass
from trexreport.model import Engine
from trexreport.output import write_output
from trexreport.pipeline.reports import ReportFormat, make_report, render_report
from trexreport.pipeline.settings import Settings, read_settings
from trexreport.reader import read_engine
from trexreport.renderer.html_options import HtmlOptions


class _Savable(ABC):
    """A result that is written as one file."""

    title: str

    @property
    @abstractmethod
    def _content(self) -> bytes: ...

    def __repr__(self) -> str:
        """Return one line: notebooks store it beside what they show."""
        return f"{type(self).__name__}({self.title!r}, {len(self._content):,} bytes)"

    def save(self, path: str | Path, *, force: bool = False) -> Path:
        """Write the file and return its path.

        Args:
            path: A file; an existing one is replaced only if trexreport wrote it.
            force: Replace any file.

        Raises:
            OutputError: trexreport did not write the existing file, or the file can't be written.
        """
        write_output(path, self._content, force=force)
        return Path(path)


@dataclass(frozen=True, repr=False)
class Page(_Savable):
    """A page that shows itself in a notebook and can be saved.

    Attributes:
        title: Of the page or file.
        html: The page.
    """

    title: str
    html: bytes

    @property
    def _content(self) -> bytes:
        return self.html

    @property
    def _shown(self) -> bytes:
        """The page that a notebook shows."""
        return self.html

    def _repr_html_(self) -> str:
        """Show the page in a frame, which separates its styles from the notebook's.

        Where a notebook is not trusted, Jupyter and GitHub remove frames and keep the text in them.
        """
        page, title = escape(self._shown.decode("utf-8")), escape(self.title)
        return (
            f'<iframe srcdoc="{page}" title="{title}" width="100%" height="800" '
            f'sandbox="allow-scripts allow-downloads" frameborder="0">'
            f"{title}: not shown, as this notebook is not trusted. Run the cell, or trust the notebook."
            "</iframe>"
        )


@dataclass(frozen=True, repr=False)
class Pdf(_Savable):
    """A PDF that can be saved.

    Attributes:
        title: Of the page or file.
        pdf: The file.
    """

    title: str
    pdf: bytes

    @property
    def _content(self) -> bytes:
        return self.pdf


@dataclass(frozen=True, repr=False)
class PdfReport(Pdf):
    """A report of one engine, with its `analysis`."""

    analysis: Analysis


@dataclass(frozen=True, repr=False)
class Report(Page):
    """A report of one engine, with its `analysis`.

    A notebook keeps what it shows, so it gets the page without plotly.js and the input files; `save` writes
    it with them.
    """

    analysis: Analysis

    @property
    def _shown(self) -> bytes:
        lean = HtmlOptions(interactive_charts=False, embed_inputs=False, raw_attributes=False)
        return render_report(self.analysis, (), ReportFormat(page=lean)).data


def load(
    *paths: str | Path,
    files: Mapping[str, str | Path] | None = None,
    optimization_profile: int | None = None,
    name: str | None = None,
    log_run: int | None = None,
) -> Engine:
    """Read one engine from a capture folder, a graph file, an archive or an earlier report.

    Args:
        paths: Where it is; several files of one capture may be given.
        files: Role ("graph", "profile", "timing", "metadata", "build-metadata", "profile-metadata",
            "log") to file, for files whose role is stated rather than found.
        optimization_profile: Index of the one to read; None takes the one that was measured, else 0.
        name: Title of the engine.
        log_run: Which run of a log with several to show, 1 for the first; None takes the last complete one.

    Raises:
        InputError: A file can't be read, or nothing usable is there.
    """
    return read_engine(
        *paths, files=files, optimization_profile=optimization_profile, name=name, log_run=log_run
    )


def analyze(engine: Engine, *, settings: Settings | None = None, with_blocks: bool = True) -> Analysis:
    """Return the analysis of an engine; the same engine and settings give the same analysis.

    Args:
        engine: What `load` returned.
        settings: Of rules and GPU; see `render`.
        with_blocks: Divide the engine into blocks, which only its graph shows.

    Raises:
        UsageError: No engine is given, the chosen GPU is in no table, or the user's table is invalid.
    """
    check_engine(engine, "analyze")
    return (settings or Settings()).analyze(engine, with_blocks=with_blocks)


def render(
    engine: Engine,
    *,
    interactive_charts: bool = True,
    shown: frozenset[str] = frozenset(),
    settings: Settings | None = None,
) -> Report:
    """Analyze an engine and return its report.

    Args:
        engine: What `load` returned.
        interactive_charts: Embed plotly.js (about 2 MB); otherwise the charts are static SVG.
        shown: Layers that the graph leaves out by default: "constants", "noops", "shape" (size computations,
            signals and waits).
        settings: Of rules and GPU; the defaults if not given. No configuration file is read here:
            `read_settings()` returns what one states.

    Raises:
        MissingToolError: Interactive charts are wanted and plotly is not installed.
        UsageError: No engine is given, the chosen GPU is in no table, or the user's table is invalid.
    """
    check_engine(engine, "render")
    page = ReportFormat(page=HtmlOptions(interactive_charts, shown=shown))
    analysis, report = make_report(engine, settings or Settings(), page)
    return Report(f"Report of {analysis.identity.name}", report.data, analysis)


def render_pdf(
    engine: Engine, *, shown: frozenset[str] = frozenset(), settings: Settings | None = None
) -> PdfReport:
    """Analyze an engine and return its report as PDF/A-3b, with the engine's files attached.

    Args:
        engine: What `load` returned.
        shown: Layers that the graph leaves out by default; see `render`.
        settings: Of rules and GPU; see `render`.

    Raises:
        MissingToolError: WeasyPrint is not installed, or the libraries of Pango are missing.
        UsageError: No engine is given, the chosen GPU is in no table, or the user's table is invalid.
    """
    check_engine(engine, "render_pdf")
    format_ = ReportFormat("pdf", HtmlOptions(shown=shown))
    analysis, report = make_report(engine, settings or Settings(), format_)
    return PdfReport(f"Report of {analysis.identity.name}", report.data, analysis)


def summarize(
    result: Engine | Analysis | Comparison, *, max_tokens: int = 2000, settings: Settings | None = None
) -> str:
    """Return a summary in Markdown within a budget of tokens, for language models.

    Args:
        result: What `load`, `analyze` or `compare` returned.
        max_tokens: Tokens as they are estimated, from 100 to 1,000,000; the estimate is rather too high.
        settings: Of rules and GPU, for an engine; see `render`.

    Raises:
        UsageError: Not even the identity fits, there is no such budget, or something else is given.
    """
    from trexreport.renderer.token_summary import token_summary

    if isinstance(result, Engine):
        result = analyze(result, settings=settings, with_blocks=False)
    if not isinstance(result, (Analysis, Comparison)):
        hint = "Give what trexreport.load, analyze or compare returns."
        raise refusal("summarize", "an engine, analysis or comparison", result, hint)
    return token_summary(result, max_tokens)


__all__ = [
    "Page",
    "Pdf",
    "PdfReport",
    "Report",
    "Settings",
    "analyze",
    "load",
    "read_settings",
    "render",
    "render_pdf",
    "summarize",
]
