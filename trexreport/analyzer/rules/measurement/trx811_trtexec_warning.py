"""TRX811 measurement.trtexec-warning."""

from __future__ import annotations

from trexreport.analyzer.analysis.enqueue import has_data_dependent
from trexreport.analyzer.rules import Context, Hit, Hits, built_in_rule
from trexreport.analyzer.rules.stated import REFUSED_GRAPH
from trexreport.numbers import middle_ellipsis

#: Starts of warnings after which the figures are for another input than intended.
_SHAPES_CHOSEN = ("Dynamic dimensions required for input", "Shape missing for input")
#: Parts of warnings, and what to do about them.
_REMEDIES = {
    **dict.fromkeys(
        _SHAPES_CHOSEN,
        "State the shapes with --shapes (when building with --minShapes, --optShapes and --maxShapes)",
    ),
    "profiles detected but not set": "Choose the optimization profile with --useProfile",
    REFUSED_GRAPH: (
        "Leave out --useCudaGraph, as loops, conditions, sizes that depend on data and plugins that "
        "synchronize with the host cannot be part of a graph,"
    ),
}


@built_in_rule("info", many="The log contains {count} warnings from trtexec.", needs=())
def trtexec_warning(context: Context) -> Hits:
    """The log contains a warning from trtexec.

    Cost:
        It depends on the warning. Where trtexec chose the input shapes itself, it set every unknown dimension
        to 1, so that the figures are those of a smaller input than intended.

    Recommendation:
        {Remedy|Do what the remedy of each place states} and measure again.

    False alarm:
        The shapes that trtexec chose are the intended ones. Warnings whose meaning for the figures is not
        known, as those about plugins and casts, are not repeated here, nor are those that other rules check
        by the figures (unstable times, enqueue, transfers, streams). A graph that TensorRT refuses is left to
        TRX705 where sizes depend on data.

    Est. savings:
        Not estimated: a warning states no time.
    """
    explained = has_data_dependent(context.layers)
    for warning in dict.fromkeys(context.analysis.measurement_warnings):
        part = next((each for each in _REMEDIES if each in warning), "")
        if not part or (part == REFUSED_GRAPH and explained):
            continue
        yield Hit(
            f"trtexec: {middle_ellipsis(warning, 300)}",
            evidence={"Remedy": _REMEDIES[part]},
            severity="warning" if warning.startswith(_SHAPES_CHOSEN) else None,
        )
