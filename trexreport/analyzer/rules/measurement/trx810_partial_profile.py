"""TRX810 measurement.partial-profile."""

from __future__ import annotations

from trexreport.analyzer.rules import Context, Hit, Hits, built_in_rule
from trexreport.analyzer.rules.limits import percent
from trexreport.analyzer.rules.run_shapes import profile_to_use, shapes_of_run
from trexreport.model.unknown_extents import keeps_unknown_extents
from trexreport.numbers import format_count


@built_in_rule(
    "warning",
    section="layers",
    # One run writes both times and shapes, but for Myelin kernels.
    explains={"layers": ("TRX701",)},
    thresholds=(
        percent(
            "missing_percent", 5.0, "Layers without a time from which on it is a warning, in percent of all."
        ),
    ),
)
def partial_profile(context: Context, *, missing_percent: float) -> Hits:
    """Layers have no measured time.

    Cost:
        Shares and totals do not include these layers, and rules that compare times cannot judge them.

    Recommendation:
        [8.2..: Profile the same engine whose layers are shown: trtexec --loadEngine=ENGINE
        --exportProfile=FILE --exportLayerInfo=FILE in one run writes both for the same engine and
        optimization profile.] [..8.1: Profile the same engine: trtexec --loadEngine=ENGINE
        --exportProfile=FILE.] [if dynamic-inputs: With --shapes of the inputs, as they would be 1 otherwise
        in each dynamic dimension.] [if stated-shapes: Add --shapes={Shapes|INPUT:1x3x224x224}, with which the
        queries were timed.] [if later-profile: Add --useProfile={Profile|N}, which is built for them.]

    False alarm:
        No-ops, constants and synchronization have no time of their own and are not counted. A few layers
        without one are information only. The only layer of an engine takes the GPU compute time, if that is
        known: nothing is reported.

    Est. savings:
        Not estimated: these layers were not measured.
    """
    work = [layer for layer in context.layers if not layer.structural]
    missing = tuple(layer for layer in work if layer.avg_ms is None)
    if not missing or (len(work) == 1 and context.analysis.latency.gpu_compute is not None):
        return
    shapes = shapes_of_run(context)
    evidence = {"Shapes": shapes} if shapes else {}
    if profile := profile_to_use(context):
        evidence["Profile"] = profile
    resolved = tuple(layer for layer in work if not keeps_unknown_extents(layer.type))
    if len(missing) == len(work):
        is_cut = any(note.slug == "log-cut-table" for note in context.analysis.notes)
        why = "the table of layer times lacks its beginning" if is_cut else "no file has a profile of it"
        yield Hit(f"No layer has a time: {why}.", evidence=evidence, severity="info", affected=resolved)
    else:
        yield Hit(
            f"The profile has no time for {format_count(len(missing))} of {format_count(len(work))} layers.",
            missing,
            evidence=evidence,
            affected=resolved,
            severity=None if 100 * len(missing) >= missing_percent * len(work) else "info",
        )
