"""Find where another run begins in a log that lacks its first line."""

from __future__ import annotations

from trexreport.reader.earlier_summary import begins_summary
from trexreport.reader.query_counts import TIMED, WARMED_UP
from trexreport.reader.trace_averages import states_averages
from trexreport.reader.trtexec_lines import Record
from trexreport.reader.trtexec_run import AROUND, SUMMARY, TRACE, Run, heading_of
from trexreport.reader.typed_command import typed_command

#: Lines before queries are timed, from the first on; all are trtexec's own.
_BEFORE = ("Engine deserialized in ", "Starting inference", WARMED_UP, TIMED)
_BINDINGS = ("Created input binding", "Created output binding", "Input binding for", "Output binding for")


def has_timed(run: Run) -> bool:
    """Return whether a run timed queries, of which a summary may be missing."""
    return run.is_measured or bool(run.averages) or run.query_counts.timed is not None


def begins_run(record: Record, run: Run) -> bool:
    """Return whether a record begins another run than the one that is read.

    A run prints its options, what it timed, averages if there are any, and one summary, each once and in this
    order.
    """
    if record.severity and not record.library and record.text.startswith((*_BEFORE, *_BINDINGS)):
        # One with a first line ends with a last one.
        return has_timed(run) and (not run.started or run.finished is not None)
    if not (run.is_measured or run.averages):
        # A table of layers is the last that a run prints, and a page may show that of another command.
        return bool(run.table.collected and not record.severity and typed_command(record.text))
    heading = heading_of(record)
    if heading == TRACE or not run.is_measured:
        return heading == TRACE
    if heading:
        return heading == SUMMARY or heading in run.options
    text = record.text if record.severity else record.text.strip(AROUND)
    if states_averages(text):
        # By hand they may stand after the only summary.
        is_led = run.averages and not run.averages.are_late
        return bool(is_led or run.summary.earlier.is_begun)
    if begins_summary(text) or run.summary.earlier.repeats(text):
        return bool(record.severity)
    return not record.severity and bool(typed_command(record.text))
