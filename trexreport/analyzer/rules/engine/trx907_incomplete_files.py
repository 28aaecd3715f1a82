"""TRX907 engine.incomplete-files."""

from __future__ import annotations

import re

from trexreport.analyzer.analysis.failures import errors_of_run
from trexreport.analyzer.rules import Context, Hit, Hits, built_in_rule
from trexreport.analyzer.rules.context import FLOATS, HALVES
from trexreport.analyzer.rules.engine.build_flags import is_strongly_typed
from trexreport.analyzer.rules.engine.dla import dla_use, waits_for_one_part
from trexreport.model import IMPOSSIBLE
from trexreport.regex import regex

_TYPE = regex(
    r"(?<![A-Za-z])(?:INT8|FP8|INT4|NVFP4|FP4|FP32|FP16|BF16)(?![A-Za-z0-9])", re.ASCII | re.IGNORECASE
)
#: Options with types of inputs and outputs, which are not those that layers compute in.
_IO_TYPES = regex(r"--(?:input|output)IOFormats=\S*")
#: Those, and flags of types, which have no effect on a strongly typed network.
_ANY_TYPES = regex(r"--(?:(?:input|output)IOFormats=\S*|(?:fp16|bf16|int8|fp8|int4)(?=\s|$))")
#: Of layer time, in percent.
_MOST_PERCENT = 50.0
#: Notes that one of several is shown: nothing is lost, and no figure is wrong.
_CHOICES = frozenset(
    {
        "several-runs",
        "log-several-runs",
        "log-several-engines",
        "log-several-stages",
        "run-of-another-build",
        "other-file",
    }
)
#: Notes of the reader that other rules report.
_REPORTED_ELSEWHERE = frozenset(
    {
        "names-only",
        "no-profile",
        "layers-not-profiled",
        "dynamic-shapes",
        "no-shapes",
        "files-contradict",
        "report-edited",
        "archive-edited",
        IMPOSSIBLE,
    }
)


@built_in_rule("warning", many="{count} input warnings.", needs=(), section="notes")
def incomplete_files(context: Context) -> Hits:
    """A file is missing, damaged or not fully supported.

    Cost:
        What is missing or could not be read is not in the figures.

    Recommendation:
        What each place states: export the layer information, fix what a log reports, or write a file again
        that was cut off. Where a place states nothing, its message says what is missing, and nothing else is
        affected.

    False alarm:
        A field of a newer TensorRT that is not known yet, while everything else is right. Where files are
        missing, and none is damaged, it is information, and so is which of several runs is shown.

    Est. savings:
        Not estimated: it concerns the report, not the engine.
    """
    notes = context.analysis.notes
    # Logs contain no layers; that is not damage.
    expected = {"no-graph"} if any(note.slug == "logs-alone" for note in notes) else set()
    # TRX921 reports these; an engine that was not built has no layers.
    expected |= {note.slug for note in errors_of_run(context.analysis)}
    expected |= {"no-graph"} if context.has_no_engine else set()
    # TRX817 says which runs there are, and compares them; TRX825 which failed.
    expected |= {"log-several-runs", "several-runs"} if context.analysis.logs else set()
    for note in notes:
        if note.severity == "degraded" and note.slug not in _REPORTED_ELSEWHERE | expected:
            message, hint = note.message, note.hint
            is_missing = note.slug == "no-graph"
            if is_missing and _is_in_dla(context):
                hint = "Most of the time is that of a part on a DLA, whose inside no layer information shows."
            # An engine that names call FP32 is left to TRX405.
            if is_missing and (claimed := _claimed_type(context)):
                message += f" Whether they compute in {claimed}, as names or flags say, does not show."
                # A run that failed has no other advice than that of its error.
                if hint and not any(HALVES & {*log.types} for log in context.analysis.logs):
                    hint += " Compare the throughput with that of FP16, too."
            elif is_missing and _is_of_unknown_types(context):
                message += " In which types the loaded engine computes does not show."
                hint += " If it was built in FP32 only, compare a build in FP16." if hint else ""
            shown = {"File": note.source, "Recommendation": hint}
            evidence = {key: text for key, text in shown.items() if text}
            informs = is_missing or note.slug in _CHOICES
            yield Hit(message, (), None, evidence, severity="info" if informs else None)


def _is_in_dla(context: Context) -> bool:
    """Return whether the only part on a DLA, with waiting for it, takes most of the time."""
    use = context.cached(dla_use)
    layers = [*use.on_dla, *use.transfers]
    return waits_for_one_part(context) and context.is_significant(layers, _MOST_PERCENT)


def _is_of_unknown_types(context: Context) -> bool:
    """Return whether an engine was loaded, of which neither a build nor a name states the types."""
    identity = context.analysis.identity
    is_loaded = any("--loadEngine" in each for each in context.analysis.commands)
    is_stated = identity.precisions or identity.named_precisions or context.cached(dla_use).is_asked
    return is_loaded and not is_stated


def _claimed_type(context: Context) -> str:
    """Return the quantized type that names of files or flags of commands state; else an empty text."""
    shown = next((log for log in context.analysis.logs if log.is_shown), None)
    if shown is not None:
        return next((each for each in shown.types if each not in FLOATS), "")
    without_effect = _ANY_TYPES if is_strongly_typed(context) else _IO_TYPES
    commands = (without_effect.sub("", each) for each in context.analysis.commands)
    texts = (*commands, context.analysis.identity.name)
    found = [each[0].upper() for text in texts for each in _TYPE.finditer(text)]
    return next((each for each in found if each not in FLOATS), "")
