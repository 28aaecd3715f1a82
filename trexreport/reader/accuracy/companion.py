"""Put what is known of an engine's accuracy into its capture."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from trexreport.errors import InputError
from trexreport.model import InputWarning, Source
from trexreport.model.accuracy import AccuracyResults
from trexreport.reader.accuracy.read import read_accuracy
from trexreport.reader.accuracy.results_file import SUFFIX, write_results
from trexreport.reader.capture import Capture
from trexreport.reader.roles import split_name

ROLE, REFERENCE_ROLE = "accuracy", "accuracy-reference"


def with_accuracy(
    capture: Capture, metrics: Mapping[str, float] | None = None, stated_roles: Collection[str] = ()
) -> Capture:
    """Return the capture with its figures on accuracy in one file, in place of those they were read from.

    Args:
        capture: The files.
        metrics: Figures of the whole model, which are added.
        stated_roles: Roles of files that the user named: damage in these is an error, else it is noted.

    Raises:
        InputError: A file that the user named can't be used.
    """
    by_role = {each.role: each for each in capture.sources if each.role in (ROLE, REFERENCE_ROLE)}
    others = tuple(each for each in capture.sources if each.role not in by_role)
    source, reference = by_role.get(ROLE), by_role.get(REFERENCE_ROLE)
    results, notes = AccuracyResults("metrics"), list(capture.notes)
    if source is not None:
        try:
            results, found = read_accuracy(
                source.name, source.data, (reference.name, reference.data) if reference else None
            )
            notes += found
        except InputError as error:
            if ROLE in stated_roles or not any(each.role == "graph" for each in others):
                raise
            notes.append(InputWarning("degraded", "file-left-out", str(error), source.name, ("accuracy",)))
            if not metrics:
                return replace(capture, sources=others, notes=tuple(notes))
    elif reference is not None:
        lonely = InputError(
            f"{reference.name} is compared with nothing.", "Give the engine's own file with --accuracy."
        )
        if REFERENCE_ROLE in stated_roles:
            raise lonely
        notes.append(InputWarning("degraded", "file-left-out", str(lonely), reference.name, ("accuracy",)))
        if not metrics:
            return replace(capture, sources=others, notes=tuple(notes))
    results = replace(results, metrics={**results.metrics, **(metrics or {})})
    prefixes = (split_name(each.name)[0] for each in others if each.role == "graph")
    prefix = next(filter(None, prefixes), None) or (source.name.partition(".")[0] if source else "engine")
    written = Source(ROLE, f"{prefix}{SUFFIX}", write_results(results))
    return replace(capture, sources=(*others, written), notes=tuple(notes))
