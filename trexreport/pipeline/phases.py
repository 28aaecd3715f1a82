"""The report of several phases: from what they are read from to bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from trexreport.analyzer.analysis.phases import PhasesReport
from trexreport.analyzer.phases import compare_phases
from trexreport.errors import UsageError
from trexreport.lazy_dataclass import dataclass
from trexreport.model import Engine, Phase
from trexreport.pipeline.captures import CaptureInput
from trexreport.pipeline.reports import ReportFormat, analyze_for
from trexreport.pipeline.settings import Settings
from trexreport.pipeline.targets import refuse_to_overwrite
from trexreport.reader.assemble import assemble
from trexreport.reader.file_names import distinct_names
from trexreport.reader.phase_set import (
    MOST_TIMES,
    PhaseInput,
    PhaseSet,
    check_names,
    find_phases,
    phases_below,
)
from trexreport.redaction.kinds import Redaction
from trexreport.renderer.sizing import SizedReport, fit_report
from trexreport.renderer.variants import phases_variants


@dataclass(frozen=True)
class PhasesInput:
    """What several phases are read from.

    Attributes:
        title: Of the set.
        phases: In the order in which they are shown.
        times: Phase to its runs for one request, as far as they are stated.
        capture: What holds for all of them: redaction and the optimization profile.
    """

    title: str
    phases: tuple[PhaseInput, ...]
    times: Mapping[str, int]
    capture: CaptureInput

    def read(self, output: str) -> list[Phase]:
        """Read the engines.

        Args:
            output: The file that the report is written to, which must not be one that is read.

        Raises:
            UsageError: The output is one of the inputs.
            InputError: A file can't be read, or holds nothing usable.
        """
        return [Phase(each.name, self._read(each, output), self.times.get(each.name)) for each in self.phases]

    def _read(self, phase: PhaseInput, output: str) -> Engine:
        if phase.capture is None:
            return replace(self.capture, paths=(phase.path,)).read([output])
        capture = phase.capture
        refuse_to_overwrite(output, [Path(path) for path in self.capture.paths])
        if self.capture.redaction is not None:
            from trexreport.redaction.capture import redact_capture

            change = partial(redact_capture, redaction=self.capture.redaction, keep_name=False)
            capture = change(capture)
        return assemble(capture, self.capture.optimization_profile, None, ())


def choose_phases(capture: CaptureInput, named: Sequence[str], counts: Sequence[str]) -> PhasesInput | None:
    """Return the phases that options name, or those of the given folder or report; None if it is no set.

    Args:
        capture: What the command's arguments choose.
        named: Phases as "NAME=PATH".
        counts: Runs for one request as "NAME=N".

    Raises:
        UsageError: An option can't be read, names no phase, or is of a single engine.
        InputError: A list of phases is damaged.
    """
    if named:
        if capture.paths:
            raise UsageError("Both a path and --phase are given.", "Give each phase with --phase NAME=PATH.")
        phases = tuple(phase for each in named for phase in _phases_of(each, capture.redaction))
        check_names([phase.name for phase in phases], "--phase")
        is_folder = len(named) == 1 and "=" not in named[0] and capture.redaction is None
        title = Path(named[0]).resolve().name if is_folder else _joined(phases)
    else:
        found = find_phases(capture.paths[0]) if len(capture.paths) == 1 else PhaseSet()
        phases = _redacted(found.phases, capture.redaction)
        # The name of a folder or a file may be what is to be redacted.
        title = found.title if capture.redaction is None else _joined(phases)
    if not phases:
        if counts:
            raise UsageError("--times is for reports of several phases.", "Name them with --phase NAME=PATH.")
        return None
    of_one_engine = min(capture.files, default="metric" if capture.metrics else "")
    if of_one_engine:
        raise UsageError(
            f"--{of_one_engine} is for one engine, and these are several phases.",
            "Give each phase a folder of its own.",
        )
    times = {phase.name: phase.times for phase in phases if phase.times is not None}
    return PhasesInput(
        capture.name or title,
        phases,
        {**times, **counts_of(counts, [phase.name for phase in phases], capture.redaction)},
        replace(capture, name=None),
    )


def analyze_phases(title: str, phases: Sequence[Phase], settings: Settings, kind: str) -> PhasesReport:
    """Analyze each phase and add up their times.

    Raises:
        UsageError: The chosen GPU is in no table.
    """
    analyses = [analyze_for([kind], phase.engine, settings) for phase in phases]
    times = {phase.name: phase.times for phase in phases if phase.times is not None}
    return PhasesReport(title, compare_phases([phase.name for phase in phases], analyses, times), analyses)


def make_phases_report(
    title: str, phases: Sequence[Phase], settings: Settings, format_: ReportFormat
) -> tuple[PhasesReport, SizedReport]:
    """Return the analyses and the report of several phases.

    Raises:
        UsageError: The report does not fit, or the chosen GPU is in no table.
        MissingToolError: A library that the format needs is missing.
    """
    report = analyze_phases(title, phases, settings, format_.kind)
    sources = [phase.engine.sources for phase in phases]
    variants = phases_variants(format_.kind, report, sources, format_.page, format_.max_bytes)
    return report, fit_report(variants, format_.max_bytes)


def _redacted(phases: tuple[PhaseInput, ...], redaction: Redaction | None) -> tuple[PhaseInput, ...]:
    """Return phases under the redacted names of what they are named after."""
    if redaction is None:
        return phases
    names = [_redacted_name(phase.name, redaction) for phase in phases]
    return tuple(replace(phase, name=name) for phase, name in zip(phases, distinct_names(names), strict=True))


def _redacted_name(name: str, redaction: Redaction) -> str:
    from trexreport.redaction.capture import redact_text

    return redact_text(name, redaction)


def _phases_of(text: str, redaction: Redaction | None) -> tuple[PhaseInput, ...]:
    """Return the phases that an option names: "NAME=PATH", or a folder with several captures."""
    folder = Path(text)
    if "=" not in text and folder.is_dir():
        return _redacted(find_phases(folder).phases or phases_below(folder), redaction)
    name, path = split_phase(text)
    return (PhaseInput(name, path=path),)


def _joined(phases: Sequence[PhaseInput]) -> str:
    return " + ".join(phase.name for phase in phases)


def split_phase(text: str) -> tuple[str, str]:
    """Return name and path of "decode=captures/decode".

    Raises:
        UsageError: It is no such text.
    """
    name, equals, path = text.partition("=")
    if not (equals and name.strip() and path):
        raise UsageError(f"--phase: '{text}' is no NAME=PATH.", "Write it as decode=captures/decode.")
    return name, path


def counts_of(
    counts: Sequence[str], names: Sequence[str], redaction: Redaction | None = None
) -> dict[str, int]:
    """Return the runs of each phase that options such as "decode=128" state.

    Args:
        counts: The options.
        names: Of the phases.
        redaction: What their names were redacted by, while options have the original ones.

    Raises:
        UsageError: One can't be read, names no phase, or is given twice.
    """
    found: dict[str, int] = {}
    for text in counts:
        name, equals, number = text.rpartition("=")
        if not equals or not (number.isascii() and number.isdecimal()) or len(number) > len(str(MOST_TIMES)):
            raise UsageError(f"--times: '{text}' is no NAME=N.", "Write it as decode=128.")
        if name not in names and redaction is not None:
            name = _redacted_name(name, redaction)
        if name not in names:
            raise UsageError(f"--times: there is no phase '{name}'.", f"There are {', '.join(names)}.")
        if name in found:
            raise UsageError(f"--times: '{name}' is given twice.", "Give it once.")
        found[name] = int(number)
    return found
