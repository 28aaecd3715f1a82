"""Make the logs of a capture what the readers of logs expect: plain lines of the runs of one engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from trexreport.model import InputWarning, Source
from trexreport.reader.log_engines import runs_of_one_engine
from trexreport.reader.log_text import plain_log


def with_plain_logs(sources: Sequence[Source]) -> tuple[tuple[Source, ...], list[InputWarning]]:
    """Return the files with logs as the readers expect them, and notes on what was undone or left out."""
    found, notes = [], []
    names = {source.name for source in sources if source.role != "log"}
    for source in sources:
        if source.role == "log":
            plain, undone = plain_log(source.data, source.name)
            kept, left_out = runs_of_one_engine(plain, source.name, names)
            notes += [*undone, *left_out]
            found.append(source if kept is source.data else replace(source, data=kept))
        else:
            found.append(source)
    return tuple(found), notes
