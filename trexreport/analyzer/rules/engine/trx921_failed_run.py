"""TRX921 engine.failed-run."""

from __future__ import annotations

from collections.abc import Iterator

from trexreport.analyzer.analysis.failures import errors_of_run
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
        The log was cut while trtexec still ran, after an error from which it recovered. A log that ends early
        without an error is an input warning (TRX907).

    Est. savings:
        Not estimated: nothing was measured.
    """
    for note in errors_of_run(context.analysis):
        shown = {"File": note.source, "Recommendation": note.hint}
        yield Hit(note.message, (), None, {key: text for key, text in shown.items() if text})
