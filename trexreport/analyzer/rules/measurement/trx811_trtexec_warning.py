"""TRX811 measurement.trtexec-warning."""

from __future__ import annotations

from collections.abc import Iterator

from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.rule import Hit, rule
from trexreport.numbers import middle_ellipsis

#: Starts of trtexec's warnings that rules of this family judge by the figures themselves.
_JUDGED = (
    "GPU compute time is unstable",
    "Throughput may be bound by",
    "Multiple inference streams are used",
    "The engine uses ",
)
#: A warning that starts so makes the figures those of another input than the user may think.
_SHAPES_CHOSEN = ("Dynamic dimensions required for input", "Shape missing for input")


@rule(
    "TRX811",
    "measurement.trtexec-warning",
    "info",
    many="trtexec itself gives {count} more warnings.",
    needs=(),
    section="timing",
)
def trtexec_warning(context: Context) -> Iterator[Hit]:
    """A warning by trtexec itself stands in the log.

    Cost:
        It depends on the warning. Where trtexec chose the input shapes itself, it set every unknown extent
        to 1, so that the figures are those of a smaller input than the network is meant for.

    Advice:
        Read the warning in the log. State the shapes of dynamic inputs with --shapes when measuring, and
        with --minShapes, --optShapes and --maxShapes when building.

    False alarm:
        Warnings on plugins, casts and caches are often harmless. Those that other rules judge by the
        figures (unsteady times, enqueue, transfers, streams) are not repeated here.

    Bound:
        None: a warning says nothing of time.
    """
    for warning in dict.fromkeys(context.analysis.measurement_warnings):
        if warning.startswith(_JUDGED):
            continue
        yield Hit(
            f"trtexec: {middle_ellipsis(warning, 300)}",
            severity="warning" if warning.startswith(_SHAPES_CHOSEN) else None,
        )
