"""Gather how the engine was built, on what it ran and how fast, from metadata files and logs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from trexreport.errors import InputError
from trexreport.model import InputWarning, LayerTime, Measurement, Setup, Source
from trexreport.reader.json_text import decode_text, parse_json
from trexreport.reader.manifest_file import is_manifest, read_manifest
from trexreport.reader.merge import merge_measurements, merge_setups
from trexreport.reader.metadata import read_metadata
from trexreport.reader.profile_file import LayerProfile, ProfileRow
from trexreport.reader.trtexec_log import LogFacts, read_trtexec_log

#: In the order in which they are believed: the measurement's own metadata before the build's.
_METADATA_ROLES = ("profile-metadata", "build-metadata", "metadata", "manifest")


@dataclass(frozen=True)
class SetupFacts:
    """What all metadata files and logs of a capture say together.

    Attributes:
        profile: The table of layer times that a log may hold.
        errors: Error texts of the logs, each once.
        extra: Marks that belong to the engine as a whole, such as "Synthetic".
    """

    setup: Setup
    measurement: Measurement
    profile: LayerProfile | None = None
    notes: tuple[InputWarning, ...] = ()
    errors: tuple[str, ...] = ()
    extra: dict[str, Any] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        """True if nothing was learned."""
        return self.setup == Setup() and self.measurement == Measurement() and self.profile is None


def read_setup(sources: Sequence[Source], stated_roles: set[str]) -> SetupFacts:
    """Read every metadata file and log among the sources.

    Raises:
        InputError: A file that the user named himself is damaged.
    """
    setups: list[Setup] = []
    measurements: list[Measurement] = []
    notes: list[InputWarning] = []
    synthetic = False
    extra: dict[str, Any] = {}
    for role in _METADATA_ROLES:
        for source in sources:
            if source.role == role:
                try:
                    document = _document(source, notes)
                except InputError as error:
                    _leave_out(source, error, stated_roles, notes)
                    continue
                if is_manifest(document):
                    manifest = read_manifest(document, source.name)
                    setups.append(manifest.setup)
                    notes += manifest.notes
                    extra |= manifest.extra
                    continue
                facts = read_metadata(document, source.name)
                setups.append(facts.setup)
                measurements.append(facts.measurement)
                notes += facts.notes
                synthetic = synthetic or facts.synthetic
    logs = [_log(source, notes) for source in sources if source.role == "log"]
    notes += [note for log in logs for note in log.notes]
    # Logs first: TREx's metadata files derive from them and cut values at their second colon.
    return SetupFacts(
        setup=merge_setups([*(log.setup for log in logs), *setups]),
        measurement=merge_measurements([*(log.measurement for log in logs), *measurements]),
        profile=_profile_of(logs),
        notes=tuple(notes),
        errors=tuple(dict.fromkeys(error for log in logs for error in log.errors)),
        extra={**extra, **({"Synthetic": True} if synthetic else {})},
    )


def _document(source: Source, notes: list[InputWarning]) -> Any:
    content, decode_notes = decode_text(source.data, source.name)
    document, parse_notes = parse_json(content, source.name, lambda value: isinstance(value, (dict, list)))
    notes += [*decode_notes, *parse_notes]
    return document


def _log(source: Source, notes: list[InputWarning]) -> LogFacts:
    content, decode_notes = decode_text(source.data, source.name)
    notes += decode_notes
    return read_trtexec_log(content, source.name)


def _profile_of(logs: Sequence[LogFacts]) -> LayerProfile | None:
    """Return the layer times that a log printed, in the shape of a profile file."""
    for log in logs:
        if log.profile:
            rows = tuple(
                ProfileRow(row.name, LayerTime(row.avg_ms, row.median_ms, row.total_ms, row.percent))
                for row in log.profile
            )
            message = "The layer times are from the table in the log, which has fewer digits than the file."
            note = InputWarning("info", "profile-from-log", message, hint="Use --exportProfile for the file.")
            return LayerProfile(rows, log.profile_iterations, (note,))
    return None


def _leave_out(source: Source, error: InputError, stated_roles: set[str], notes: list[InputWarning]) -> None:
    if source.role in stated_roles:
        raise error
    notes.append(InputWarning("degraded", "file-left-out", str(error), source.name, ("overview", "build")))
