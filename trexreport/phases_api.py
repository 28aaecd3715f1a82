"""The public functions for several phases: read them, render them as one page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from trexreport.analyzer.analysis.phases import PhasesReport
from trexreport.api import Page
from trexreport.errors import UsageError
from trexreport.lazy_dataclass import dataclass
from trexreport.model import Phase
from trexreport.pipeline.captures import CaptureInput
from trexreport.pipeline.phase_reports import make_phases_report
from trexreport.pipeline.phases import PhasesInput, choose_phases, counts_of
from trexreport.pipeline.reports import ReportFormat
from trexreport.pipeline.settings import Settings
from trexreport.reader.phase_set import PhaseInput, check_names, name_of_phase
from trexreport.renderer.html_options import HtmlOptions


@dataclass(frozen=True, repr=False)
class PhasesPage(Page):
    """A report of several phases, with its `report`: what they take together, and the analysis of each."""

    report: PhasesReport


def load_phases(
    phases: str | Path | Mapping[str, str | Path], *, times: Mapping[str, int] | None = None
) -> list[Phase]:
    """Read several phases of one request.

    Args:
        phases: A set: a folder with a list of phases, a report or an archive of several; or name to capture.
        times: Name of a phase to its runs for one request; these come before those of the set.

    Raises:
        UsageError: The path is not a set, or a count names no phase.
        InputError: A file can't be read, or holds nothing usable.
    """
    counts = [f"{name}={count}" for name, count in (times or {}).items()]
    if isinstance(phases, Mapping):
        given = tuple(PhaseInput(name_of_phase(name), path=str(path)) for name, path in phases.items())
        names = [phase.name for phase in given]
        check_names(names, "load_phases")
        return PhasesInput("", given, counts_of(counts, names), CaptureInput(())).read()
    found = choose_phases(CaptureInput((str(phases),)), (), counts)
    if found is None:
        raise UsageError(f"{phases} is not a set of phases.", "Give trexreport.load one engine.")
    return found.read()


def render_phases(
    phases: Sequence[Phase],
    *,
    title: str = "",
    interactive_charts: bool = True,
    settings: Settings | None = None,
) -> PhasesPage:
    """Analyze phases and return their report: one page with a tab for each.

    Args:
        phases: What `load_phases` returned.
        title: Of the set; the names of the phases if not given.
        interactive_charts: Embed plotly.js (about 2 MB); otherwise the charts are static SVG.
        settings: Of rules and GPU; the defaults if not given.

    Raises:
        MissingToolError: Interactive charts are wanted and plotly is not installed.
        UsageError: The chosen GPU is in no table.
    """
    title = title or " + ".join(phase.name for phase in phases)
    format_ = ReportFormat(page=HtmlOptions(interactive_charts))
    report, sized = make_phases_report(title, phases, settings or Settings(), format_)
    return PhasesPage(f"Report of {title}", sized.data, report)
