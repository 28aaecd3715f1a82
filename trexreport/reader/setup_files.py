"""Gather how the engine was built, on what it ran and how fast, from metadata files and logs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from trexreport.errors import InputError
from trexreport.model import InputWarning, Source
from trexreport.reader.json_text import decode_text, parse_json
from trexreport.reader.manifest_file import is_manifest, read_manifest
from trexreport.reader.metadata import read_metadata
from trexreport.reader.setup_facts import SetupFacts, merge
from trexreport.reader.trtexec_log import read_trtexec_log

#: In the order in which they are believed: the measurement's own metadata before the build's.
_METADATA_ROLES = ("profile-metadata", "build-metadata", "metadata", "manifest")


def read_setup(sources: Sequence[Source], stated_roles: set[str]) -> SetupFacts:
    """Read every metadata file and log among the sources.

    Raises:
        InputError: A file that the user named himself is damaged.
    """
    files = [
        _read_metadata(source, stated_roles)
        for role in _METADATA_ROLES
        for source in sources
        if source.role == role
    ]
    logs = [_read_log(source) for source in sources if source.role == "log"]
    notes = tuple(note for facts in (*files, *logs) for note in facts.notes)
    # Logs first: TREx's metadata files derive from them and cut values at their second colon.
    return replace(merge([*logs, *files, SetupFacts()]), notes=notes)


def _read_metadata(source: Source, stated_roles: set[str]) -> SetupFacts:
    """Read a metadata file; of a damaged one that was only found there is nothing but a note."""
    try:
        content, notes = decode_text(source.data, source.name)
        document, repairs = parse_json(content, source.name, lambda value: isinstance(value, (dict, list)))
    except InputError as error:
        if source.role in stated_roles:
            raise
        affects = ("overview", "build")
        return SetupFacts(
            notes=(InputWarning("degraded", "file-left-out", str(error), source.name, affects),)
        )
    facts = (read_manifest if is_manifest(document) else read_metadata)(document, source.name)
    return replace(facts, notes=(*notes, *repairs, *facts.notes))


def _read_log(source: Source) -> SetupFacts:
    content, notes = decode_text(source.data, source.name)
    facts = read_trtexec_log(content, source.name)
    return replace(facts, notes=(*notes, *facts.notes))
