"""TRX811 measurement.trtexec-warning."""

from __future__ import annotations

from collections.abc import Iterator

from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.measurement import measurement_rule
from trexreport.analyzer.rules.rule import Hit
from trexreport.numbers import middle_ellipsis
from trexreport.regex import regex

#: Starts of trtexec's warnings that other rules of this family check by the figures.
_JUDGED = (
    "GPU compute time is unstable",
    "Throughput may be bound by",
    "Multiple inference streams are used",
    "The engine uses ",
)
#: Starts of warnings that change no figure: TensorRT's own measurement of layers is not used.
_HARMLESS = ("Failed to collect layer timing info from previous enqueue",)
#: A flag that has another name now; a version that no longer takes it stops with an error.
_OLD_FLAG = regex(r"--\S+(?: flag)? (?:has been|is) deprecated")
#: Starts of warnings after which the figures are for another input than intended.
_SHAPES_CHOSEN = ("Dynamic dimensions required for input", "Shape missing for input")
#: Parts of warnings, and what to do about them.
_REMEDIES = {
    **dict.fromkeys(
        _SHAPES_CHOSEN,
        "State the shapes with --shapes; when building, with --minShapes, --optShapes and --maxShapes.",
    ),
    "profiles detected but not set": "Choose the optimization profile with --useProfile.",
    "Weakly-typed networks have been deprecated": "State the types in the ONNX file (ModelOpt's AutoCast).",
}


@measurement_rule("info", many="The log contains {count} warnings from trtexec.", needs=())
def trtexec_warning(context: Context) -> Iterator[Hit]:
    """The log contains a warning from trtexec.

    Cost:
        It depends on the warning. Where trtexec chose the input shapes itself, it set every unknown dimension
        to 1, so that the figures are those of a smaller input than intended.

    Recommendation:
        Read the warning in the log; "Remedy" states what to do about those that trexreport knows.

    False alarm:
        Warnings about plugins, casts and caches are often harmless. Those that other rules check by the
        figures (unstable times, enqueue, transfers, streams) are not repeated here, nor are those that change
        nothing: former names of flags, which this version still takes, and TensorRT's missing layer times.

    Est. savings:
        Not estimated: a warning states no time.
    """
    for warning in dict.fromkeys(context.analysis.measurement_warnings):
        if warning.startswith((*_JUDGED, *_HARMLESS)) or _OLD_FLAG.match(warning):
            continue
        remedy = next((text for part, text in _REMEDIES.items() if part in warning), "")
        yield Hit(
            f"trtexec: {middle_ellipsis(warning, 300)}",
            evidence={"Remedy": remedy} if remedy else {},
            severity="warning" if warning.startswith(_SHAPES_CHOSEN) else None,
        )
