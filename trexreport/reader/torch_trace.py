"""Read the profile of Torch-TensorRT in its default form, a trace for Perfetto.

`[{"name", "ph": "X", "ts", "dur", "tid", "pid": "NAME Engine Execution", "args": {}}, …]`, a record for each
layer: `dur` is in µs and is the sum over all runs, of which the file does not state the number. Names are
not escaped. Source: dump_trace in Torch-TensorRT's core/runtime/TRTEngineProfiler.cpp.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from trexreport.model import PROFILE_SUMS, InputWarning, LayerTime
from trexreport.reader.impossible import TIME_MS, ImpossibleValues, quoted
from trexreport.reader.profile_values import ProfileRow
from trexreport.reader.values import duration, records
from trexreport.regex import regex

#: What `pid` ends with; near the beginning of a file it identifies it.
MARK = " Engine Execution"
_US_IN_MS = 1e3
_NAME_LINE = regex(r'^(\s*"name": ")(.*)",$', re.MULTILINE)


def is_trace(document: Any) -> bool:
    """Return whether a JSON document is the trace of an engine's layers."""
    return isinstance(document, list) and any(
        "dur" in record and str(record.get("pid")).endswith(MARK) for record in records(document[:50])
    )


def escape_names(text: str) -> str:
    """Return the text with the names escaped that Torch-TensorRT writes, one a line, as they are."""
    return _NAME_LINE.sub(lambda found: f'{found[1]}{json.dumps(found[2])[1:-1]}",', text)


def rows_of_trace(document: Sequence[Any], values: ImpossibleValues) -> list[ProfileRow]:
    """Return a row for each layer, whose average is the sum over all runs in milliseconds."""
    rows = []
    for record in records(document):
        name = record.get("name")
        if not isinstance(name, str) or record.get("ph") != "X":
            values.refuse("a record", record.get("ph"), "is not an event of a layer")
            continue
        dur_us = values.of(record, "dur", TIME_MS, quoted(name))
        total = None if dur_us is None else duration(dur_us / _US_IN_MS)
        rows.append(ProfileRow(name, None if total is None else LayerTime(total, None, total)))
    return rows


def sums_note(name: str) -> InputWarning:
    """Return the note that the times of a file are sums over an unknown number of runs."""
    message = (
        f"Times in {name} are sums over all runs, and it does not state how many these were: shares of the "
        "total hold, milliseconds are of all runs together."
    )
    hint = "For times of one run profile a single one, or give Torch-TensorRT profile_format='trex'."
    return InputWarning("degraded", PROFILE_SUMS, message, name, ("latency", "layers", "roofline"), hint)
