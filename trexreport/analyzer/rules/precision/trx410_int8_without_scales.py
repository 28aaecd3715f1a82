"""TRX410 precision.int8-without-scales."""

from __future__ import annotations

from trexreport.analyzer.analysis.failures import errors_of_run
from trexreport.analyzer.rules import Context, Hit, Hits, built_in_rule
from trexreport.analyzer.rules.engine.build_flags import flags_used
from trexreport.analyzer.rules.precision.precision_use import computed_types
from trexreport.numbers import counted

_FAILED_FOR_IT = "INT8 was requested without scales"
_ALLOWS_INT8 = frozenset({"--int8", "--best"})


@built_in_rule("warning", needs=())
def int8_without_scales(context: Context) -> Hits:
    """INT8 was allowed without Q/DQ nodes and without a calibrator.

    Cost:
        No data decided the scales of INT8 tensors. trtexec then gives all tensors dummy ranges (±2 and ±4),
        with which values are clipped or rounded away: times are realistic, the results are not.

    Recommendation:
        Before the engine is used, or its accuracy is judged, it needs scales. [unless asks-dla: Quantize
        the model with Q/DQ nodes (ModelOpt).] [..10, unless typed: A calibration has them:
        --calib=FILE gives trtexec the scales of a calibration cache, and an IInt8Calibrator measures them
        in code.] If only the time counts, nothing need be done; a
        calibrated engine may choose other kernels for some layers.

    False alarm:
        Code that sets the range of each tensor itself (setDynamicRange) logs the same message; where no
        command of trtexec is known it is information. Where no log states it, it is reported of a build for a
        DLA, which takes no Q/DQ nodes. Nothing is reported where no layer computes in INT8.

    Est. savings:
        Not estimated: it concerns the results, not the time.
    """
    if any(_FAILED_FOR_IT in note.message for note in errors_of_run(context.analysis)):
        # TRX921 says so.
        return
    requested, flags = context.requested_precisions, flags_used(context)
    is_stated = context.build_fact("Calibration").startswith("none")
    # A DLA takes no Q/DQ nodes, so that a calibration is the only source of scales.
    if not is_stated and not ("--useDLACore" in flags and flags & _ALLOWS_INT8 and _builds(context)):
        return
    if (requested and "INT8" not in requested) or "--calib" in flags:
        return
    found = tuple(layer for layer in context.layers if "INT8" in computed_types(context, layer))
    may_hide = not context.has("layers") or bool(context.opaque)
    if not found and not may_hide:
        return
    work = counted(len(found), "layer computes", "layers compute") + " in it" if found else ""
    dummy = "trtexec set dummy ranges for all tensors" if flags & _ALLOWS_INT8 else ""
    without = (
        "without Q/DQ nodes and without a calibrator" if is_stated else "for a DLA without a calibration"
    )
    known = (f"INT8 was allowed {without}", work, dummy)
    yield Hit(
        f"{'; '.join(filter(None, known))}.",
        found,
        severity="warning" if found and dummy else "info",
    )


def _builds(context: Context) -> bool:
    return any("--onnx" in each for each in context.analysis.commands)
