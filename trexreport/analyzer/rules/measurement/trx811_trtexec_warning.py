"""TRX811 measurement.trtexec-warning."""

from __future__ import annotations

from collections.abc import Iterator

from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.measurement import measurement_rule
from trexreport.analyzer.rules.rule import Hit
from trexreport.numbers import middle_ellipsis

#: Starts of trtexec's warnings that other rules of this family check by the figures.
_JUDGED = (
    "GPU compute time is unstable",
    "Throughput may be bound by",
    "Multiple inference streams are used",
    "The engine uses ",
)
#: Starts of warnings after which the figures are for another input than intended.
_SHAPES_CHOSEN = ("Dynamic dimensions required for input", "Shape missing for input")


@measurement_rule("info", many="The log contains {count} warnings from trtexec.", needs=())
def trtexec_warning(context: Context) -> Iterator[Hit]:
    """The log contains a warning from trtexec.

    Cost:
        It depends on the warning. Where trtexec chose the input shapes itself, it set every unknown dimension
        to 1, so that the figures are those of a smaller input than intended.

    Recommendation:
        Read the warning in the log. State the shapes of dynamic inputs with --shapes when measuring, and with
        --minShapes, --optShapes and --maxShapes when building.

    False alarm:
        Warnings about plugins, casts and caches are often harmless. Those that other rules check by the
        figures (unsteady times, enqueue, transfers, streams) are not repeated here.

    Est. savings:
        Not estimated: a warning states no time.
    """
    for warning in dict.fromkeys(context.analysis.measurement_warnings):
        if warning.startswith(_JUDGED):
            continue
        yield Hit(
            f"trtexec: {middle_ellipsis(warning, 300)}",
            severity="warning" if warning.startswith(_SHAPES_CHOSEN) else None,
        )
