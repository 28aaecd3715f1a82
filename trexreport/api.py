"""The public functions: read an engine, analyse it, render it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path

from trexreport.analyzer import Analysis, GpuChoice, analyze
from trexreport.analyzer.rules import LintSettings, Registry
from trexreport.model import Engine
from trexreport.output import write_output
from trexreport.reader import read_engine
from trexreport.renderer.html import HtmlOptions, render_html


@dataclass(frozen=True)
class Report:
    """A report of one engine that shows itself in a notebook and can be saved.

    Attributes:
        analysis: Everything the report says.
        html: The page.
    """

    analysis: Analysis
    html: bytes

    def save(self, path: str | Path, *, force: bool = False) -> Path:
        """Write the page and return its path; only a report is replaced, anything else with `force`.

        Raises:
            OutputError: The file is somebody else's, or can't be written.
        """
        write_output(path, self.html, force=force)
        return Path(path)

    def _repr_html_(self) -> str:
        """Show the page in a frame of its own, so that neither its styles nor a notebook's interfere."""
        page = escape(self.html.decode("utf-8"))
        title = escape(self.analysis.identity.name)
        return (
            f'<iframe srcdoc="{page}" title="Report of {title}" width="100%" height="800" '
            f'sandbox="allow-scripts allow-downloads" frameborder="0"></iframe>'
        )


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
    """Analyse an engine and return its report.

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
    return Report(
        analysis, render_html(analysis, engine.sources, HtmlOptions(interactive_charts, shown=shown))
    )


__all__ = ["Report", "analyze", "load", "render"]
