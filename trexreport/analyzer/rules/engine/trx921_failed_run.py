"""TRX921 engine.failed-run."""

from __future__ import annotations

from trexreport.analyzer.analysis.failures import by_error, errors_of_run
from trexreport.analyzer.rules import Context, Hit, Hits, built_in_rule
from trexreport.numbers import format_count, join_names, list_names

_MOST_OPTIONS = 6
#: Options that name files, and those that only say more.
_OF_FILES = ("--onnx", "--saveEngine", "--export", "--dump", "--verbose", "--timingCacheFile")


@built_in_rule("error", many="The run failed, for {count} stated reasons.", needs=(), section="build")
def failed_run(context: Context) -> Hits:
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
    for notes in by_error(errors_of_run(context.analysis)):
        note = notes[0]
        files = list(dict.fromkeys(each.source for each in notes))
        shown = {"File": join_names(files) if all(files) else note.source, "Recommendation": note.hint}
        message = note.message
        if len(files) > 1:
            message += f" {format_count(len(files))} runs failed with this error{_differing(context)}."
        elif sum(source.role == "log" for source in context.analysis.sources) > 1 and files[0]:
            message = f"{files[0]}: {message}"
        yield Hit(message, (), None, {key: text for key, text in shown.items() if text})


def _differing(context: Context) -> str:
    """Return a clause on the options in which the runs differ, which then are not its cause."""
    options: list[set[str]] = [
        {each for each in command.split() if each.startswith("--") and not each.startswith(_OF_FILES)}
        for command in context.analysis.commands
    ]
    differing = set[str]().union(*options) - set[str].intersection(*options) if len(options) > 1 else ()
    if not differing:
        return ""
    listed = list_names(sorted(differing), _MOST_OPTIONS)
    return f", so that what differs between their options ({listed}) is not its cause"
