"""What the phases of a set are read from, and reading them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from trexreport.errors import UsageError, in_part
from trexreport.lazy_dataclass import dataclass
from trexreport.model import Phase
from trexreport.numbers import format_count, list_names, middle_ellipsis
from trexreport.pipeline.captures import CaptureInput
from trexreport.pipeline.targets import refuse_to_overwrite
from trexreport.reader import add_runs, phase_set
from trexreport.reader.file_names import distinct_names
from trexreport.reader.phase_list import LIST_NAME
from trexreport.redaction.kinds import Redaction

_MAX_NAMED = 8
_MAX_DIGITS = 100
_ONE_PHASE = "Choose one with --phase NAME."


@dataclass(frozen=True)
class PhasesInput:
    """What several phases are read from.

    Attributes:
        title: Of the set.
        phases: In the order in which they are shown.
        times: Phase to its runs for one request, as far as they are stated.
        capture: What holds for all of them: redaction and the optimization profile.
        left_out: Phases of the set that the user did not choose.
        runs: Further measurements of the same phases.

    Raises:
        UsageError: No phase runs, which would make the total 0 ms.
    """

    title: str
    phases: tuple[phase_set.PhaseInput, ...]
    times: Mapping[str, int]
    capture: CaptureInput
    left_out: tuple[str, ...] = ()
    runs: tuple[PhasesInput, ...] = ()

    def __post_init__(self) -> None:
        counts = [self.times.get(phase.name) for phase in self.phases]
        if len(counts) > 1 and set(counts) == {0}:
            raise UsageError("Every phase runs 0 times: there is no total.", "Give one --times NAME=N.")

    @property
    def inputs(self) -> list[CaptureInput]:
        """What each phase is read from."""
        return [self._input(phase) for phase in self.phases]

    def read(self, outputs: Iterable[str] = ()) -> list[Phase]:
        """Read the engines.

        Args:
            outputs: Files that results are written to, which must not be files that are read.

        Raises:
            UsageError: An output is one of the inputs.
            InputError: A file can't be read, or holds nothing usable.
        """
        outputs = tuple(outputs)
        for output in outputs:
            # A list of phases, or the only copy of their files.
            refuse_to_overwrite(output, self.files)
        further = []
        for run in self.runs:
            with in_part(", ".join(run.capture.paths)):
                further.append({phase.name: phase.engine for phase in run.read(outputs)})
        found = []
        for phase, each in zip(self.phases, self.inputs, strict=True):
            with in_part(phase.name):
                engine = each.read(outputs)
            if runs := [engines[phase.name] for engines in further if phase.name in engines]:
                engine = add_runs(engine, runs)
            found.append(Phase(phase.name, engine, self.times.get(phase.name)))
        return found

    @property
    def files(self) -> list[Path]:
        """The files that say which phases there are."""
        places = [Path(path) for path in self.capture.paths]
        return [place / LIST_NAME if place.is_dir() else place for place in places]

    def _input(self, phase: phase_set.PhaseInput) -> CaptureInput:
        if phase.capture is None:
            return replace(self.capture, paths=(phase.path,))
        return replace(self.capture, carried=phase.capture)


def choose_engines(
    capture: CaptureInput, named: Sequence[str] = (), counts: Sequence[str] = ()
) -> CaptureInput | PhasesInput:
    """Return one engine, or the phases of a set.

    Args:
        capture: What the command's arguments choose.
        named: Phases as "NAME=PATH", or names of phases of the set at the capture's path; one such name gives
            its engine alone.
        counts: Runs for one request as "NAME=N".

    Raises:
        UsageError: An option can't be read, names no phase, or is of a single engine.
        InputError: A list of phases is damaged.
    """
    chosen = choose_set(capture, named, counts)
    if chosen is None:
        return capture
    if not chosen.left_out or len(chosen.phases) > 1:
        return chosen
    if counts:
        raise UsageError("--times is for several phases, and one is chosen.", "Leave it out.")
    return replace(chosen.inputs[0], name=capture.name)


def choose_set(
    capture: CaptureInput, named: Sequence[str] = (), counts: Sequence[str] = ()
) -> PhasesInput | None:
    """Return the phases of a set, also where only one is chosen; None for one engine.

    Args and errors are those of `choose_engines`.
    """
    if not (capture.paths and named):
        return choose_phases(capture, named, counts)
    phases = choose_phases(capture, (), ())
    if phases is None:
        raise UsageError(
            f"{capture.paths[0]} is one engine, and --phase names {named[0]}.",
            "Leave --phase out, or give each phase with --phase NAME=PATH and no other path.",
        )
    names = [phase.name for phase in phases.phases]
    wanted = [_known_name(each, names, "--phase", capture.redaction) for each in named]
    stated = counts_of(counts, wanted, capture.redaction)
    return replace(
        phases,
        phases=tuple(phase for phase in phases.phases if phase.name in wanted),
        times={name: count for name, count in {**phases.times, **stated}.items() if name in wanted},
        left_out=tuple(name for name in names if name not in wanted),
    )


def choose_engine(capture: CaptureInput, named: Sequence[str], what: str) -> CaptureInput:
    """Return one engine: the only one, or the one of a set that the user names.

    Args:
        capture: What the command's arguments choose.
        named: Phases as for `choose_engines`.
        what: What has one engine only, for the message: "A drawing".

    Raises:
        UsageError: There are several phases, and the user names none of them, or several.
        InputError: A list of phases is damaged.
    """
    chosen = choose_engines(capture, named)
    if isinstance(chosen, CaptureInput):
        return chosen
    if len(chosen.phases) == 1:
        return chosen.inputs[0]
    names = list_names([phase.name for phase in chosen.phases], _MAX_NAMED)
    raise UsageError(f"{what} is of one engine, and there are the phases {names}.", _ONE_PHASE)


def choose_phases(capture: CaptureInput, named: Sequence[str], counts: Sequence[str]) -> PhasesInput | None:
    """Return the phases that options name, or those of the given folder or report; None if it is not a set.

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
        phase_set.check_names([phase.name for phase in phases], "--phase")
        is_folder = len(named) == 1 and "=" not in named[0] and capture.redaction is None
        title = Path(named[0]).resolve().name if is_folder else _joined(phases)
    else:
        found = phase_set.find_phases(capture.paths[0]) if len(capture.paths) == 1 else phase_set.PhaseSet()
        phases = _redacted(found.phases, capture.redaction)
        # The name of a folder or a file may be what is to be redacted.
        title = found.title if capture.redaction is None else _joined(phases)
    if not phases:
        if counts:
            raise UsageError("--times is for reports of several phases.", "Name them with --phase NAME=PATH.")
        return None
    others = {"metric": capture.metrics, "log-run": capture.log_run}
    of_one_engine = min(capture.files, default=next((name for name, value in others.items() if value), ""))
    if of_one_engine:
        raise UsageError(
            f"--{of_one_engine} is for one engine, and these are several phases.",
            "Give the folder of one phase as the path, or put the file into the folder of its phase.",
        )
    times = {phase.name: phase.times for phase in phases if phase.times is not None}
    return PhasesInput(
        capture.name or title,
        phases,
        {**times, **counts_of(counts, [phase.name for phase in phases], capture.redaction)},
        replace(capture, name=None),
    )


def _redacted(
    phases: tuple[phase_set.PhaseInput, ...], redaction: Redaction | None
) -> tuple[phase_set.PhaseInput, ...]:
    """Return phases under the redacted names of what they are named after."""
    if redaction is None:
        return phases
    names = [_redacted_name(phase.name, redaction) for phase in phases]
    return tuple(replace(phase, name=name) for phase, name in zip(phases, distinct_names(names), strict=True))


def _redacted_name(name: str, redaction: Redaction) -> str:
    from trexreport.redaction.capture import redact_text

    return redact_text(name, redaction)


def _phases_of(text: str, redaction: Redaction | None) -> tuple[phase_set.PhaseInput, ...]:
    """Return the phases that an option names: "NAME=PATH", or a folder with several captures."""
    folder = Path(text)
    if "=" not in text and folder.is_dir():
        return _redacted(phase_set.find_phases(folder).phases or phase_set.phases_below(folder), redaction)
    name, path = split_phase(text)
    return (phase_set.PhaseInput(name, path=path),)


def _joined(phases: Sequence[phase_set.PhaseInput]) -> str:
    return " + ".join(phase.name for phase in phases)


def split_phase(text: str) -> tuple[str, str]:
    """Return name and path of "decode=captures/decode".

    Raises:
        UsageError: It is no such text.
    """
    name, equals, path = text.partition("=")
    if not (equals and name.strip() and path):
        raise UsageError(f"--phase: '{text}' is not NAME=PATH.", "Write it as decode=captures/decode.")
    return phase_set.name_of_phase(name), path


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
        if not equals or not (number.isascii() and number.isdecimal()):
            raise UsageError(f"--times: '{text}' is not NAME=N.", "Write it as decode=128.")
        if len(number) > _MAX_DIGITS or int(number) > phase_set.MOST_TIMES:
            raise UsageError(
                f"--times: '{text}' is above {format_count(phase_set.MOST_TIMES)}.", "Correct it."
            )
        name = _known_name(name, names, "--times", redaction)
        if name in found:
            raise UsageError(f"--times: '{name}' is given twice.", "Give it once.")
        found[name] = int(number)
    return found


def _known_name(name: str, names: Sequence[str], option: str, redaction: Redaction | None) -> str:
    """Return the name of a phase as the set has it; options have the one before redaction.

    Raises:
        UsageError: There is no such phase.
    """
    name = phase_set.name_of_phase(name)
    if name not in names and redaction is not None:
        name = _redacted_name(name, redaction)
    if name not in names:
        shown = list_names(list(names), _MAX_NAMED)
        raise UsageError(f"{option}: there is no phase '{middle_ellipsis(name, 60)}'.", f"Known: {shown}.")
    return name
