"""What is done for each capture, by whoever does it: another process, another machine, or this one.

A job gets plain values with all files in them, and returns plain values: nothing has to be at the same place
on the machine that does it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from trexreport.analyzer import Analysis, GpuChoice, analyze
from trexreport.analyzer.comparison.compare import compare
from trexreport.analyzer.rules import LintSettings, Registry, all_rules
from trexreport.errors import TrexReportError
from trexreport.model import Engine
from trexreport.reader import assemble
from trexreport.reader.locate import Capture
from trexreport.redaction import Redaction, redact_capture
from trexreport.site.summary import EngineSummary, summarize
from trexreport.visible import one_line

#: From a page of the site to its index.
HOME = "../index.html"


@dataclass(frozen=True)
class PageOptions:
    """What all pages of engines have in common.

    Attributes:
        interactive_charts: Embed plotly.js, about 2 MB in each page.
        settings: Of the rules.
        gpu: For the roofline.
        redaction: What has pseudonyms; None for nothing.
    """

    interactive_charts: bool
    settings: LintSettings
    gpu: GpuChoice
    redaction: Redaction | None = None


@dataclass(frozen=True)
class Made:
    """What a job returns.

    Attributes:
        page: The HTML; empty if it failed.
        summary: Of the engine, where the job was to make its page.
        error: Why it failed, in one line.
    """

    page: bytes = b""
    summary: EngineSummary | None = None
    error: str = ""


def make_page(capture: Capture, place: str, options: PageOptions) -> Made:
    """Return the page of an engine and its summary, or why there is none."""
    from trexreport.renderer.html import HtmlOptions, render_html

    try:
        engine = _assemble(capture, options)
        analysis = _analyze(engine, options)
        html = HtmlOptions(options.interactive_charts, home=HOME)
        return Made(render_html(analysis, engine.sources, html), summarize(engine, analysis, place))
    except Exception as error:  # noqa: BLE001 - one capture must not stop the others
        return Made(error=reason(error))


def make_comparison(before: Capture, after: Capture, names: tuple[str, str], options: PageOptions) -> Made:
    """Return the page that compares two captures, or why there is none."""
    from trexreport.renderer.comparison.html import render_comparison_html

    try:
        engines = [_assemble(before, options), _assemble(after, options)]
        analyses = [
            _analyze(engines[0], options, with_blocks=False),
            _analyze(engines[1], options),
        ]
        comparison = compare(engines, names=names, analyses=analyses)
        return Made(render_comparison_html(comparison, analyses, 1, home=HOME))
    except Exception as error:  # noqa: BLE001 - one pair must not stop the others
        return Made(error=reason(error))


def _assemble(capture: Capture, options: PageOptions) -> Engine:
    return assemble(redact_capture(capture, options.redaction) if options.redaction else capture)


def _analyze(engine: Engine, options: PageOptions, *, with_blocks: bool = True) -> Analysis:
    return analyze(
        engine, settings=options.settings, registry=_registry(), gpu=options.gpu, with_blocks=with_blocks
    )


@cache
def _registry() -> Registry:
    """Return the rules that are installed where the job runs; they cannot be sent."""
    return all_rules()


def reason(error: BaseException) -> str:
    """Say in one line what went wrong."""
    if isinstance(error, TrexReportError):
        return one_line(str(error))
    if isinstance(error, MemoryError):
        return "It needs more memory than there is."
    told = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return one_line(
        f"trexreport failed on it ({told[:300]}). That is a fault of trexreport: please report it."
    )
