"""The list of a set's phases, which `collect --phase` writes beside their captures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from trexreport.errors import UsageError
from trexreport.lazy_dataclass import dataclass
from trexreport.output import write_output
from trexreport.pipeline.phases import counts_of, split_phase
from trexreport.reader.file_names import distinct_names, folder_names
from trexreport.reader.phase_list import LIST_NAME, list_text
from trexreport.reader.phase_set import check_names


@dataclass(frozen=True)
class PlannedPhase:
    """A phase that is to be collected.

    Attributes:
        source: Path of a model or an engine.
        folder: Name of its folder in that of the set.
        times: Runs for one request; None if they are not stated.
    """

    name: str
    source: str
    folder: str
    times: int | None


def plan_phases(named: Sequence[str], counts: Sequence[str]) -> list[PlannedPhase]:
    """Return the phases of options such as "prefill=prefill.onnx" and "prefill=1".

    Raises:
        UsageError: An option can't be read, or names no phase.
        InputError: Two phases have one name.
    """
    pairs = [split_phase(each) for each in named]
    names = [name for name, _ in pairs]
    check_names(names, "--phase")
    times = counts_of(counts, names)
    folders = distinct_names(folder_names(names), [LIST_NAME])
    return [
        PlannedPhase(name, source, folder, times.get(name))
        for (name, source), folder in zip(pairs, folders, strict=True)
    ]


def check_folder(folder: str, *, force: bool) -> None:
    """Refuse a folder that has a list of phases already.

    Raises:
        UsageError: It has one, and force is not given.
    """
    if not force and (Path(folder) / LIST_NAME).exists():
        raise UsageError(
            f"{folder} holds phases that were collected earlier.", "Give --force to replace them."
        )


def write_list(folder: str, phases: Sequence[PlannedPhase]) -> None:
    """Write the list of the phases that are collected.

    Raises:
        OutputError: It can't be written.
    """
    content = list_text((each.name, each.folder, each.times) for each in phases)
    write_output(Path(folder) / LIST_NAME, content, force=True)
