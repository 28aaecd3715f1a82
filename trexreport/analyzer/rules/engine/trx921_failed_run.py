"""TRX921 engine.failed-run."""

from __future__ import annotations

from collections.abc import Iterator

from trexreport.analyzer.analysis.failures import failures
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.rule import Hit, built_in_rule


@built_in_rule("error", many="The run failed, for {count} stated reasons.", needs=(), section="build")
def failed_run(context: Context) -> Iterator[Hit]:
    """The build or the run of the engine failed.

    Cost:
        There is no engine, or nothing of it was measured. What else the log shows, such as requested types,
        is of an engine that does not exist.

    Recommendation:
        What each place states about its error.

    False alarm:
        The log was cut while trtexec still ran, before it measured anything; a failure looks the same.

    Est. savings:
        Not estimated: nothing was measured.
    """
    for note in failures(context.analysis):
        shown = {"File": note.source, "Recommendation": note.hint}
        yield Hit(note.message, (), None, {key: text for key, text in shown.items() if text})
