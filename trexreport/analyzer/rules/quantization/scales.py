"""Where the scales of a quantized engine are from: the model's Q/DQ nodes, or a calibration."""

from __future__ import annotations

from collections.abc import Sequence

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.analysis.gains import Gain
from trexreport.analyzer.rules.context import QUANTIZED, Context
from trexreport.analyzer.rules.engine.build_flags import flags_used
from trexreport.analyzer.rules.gains import from_zero
from trexreport.analyzer.rules.patterns import has_quantized

#: A calibration yields scales of INT8 alone.
_WITHOUT_CALIBRATION = QUANTIZED - {"INT8"}


def has_qdq(context: Context, _: Sequence[LayerFacts] = ()) -> bool | None:
    """Return whether Q/DQ nodes and not the builder decide what is quantized; None if not known."""
    return context.cached(_has_qdq)


def _has_qdq(context: Context) -> bool | None:
    if not context.cached(has_quantized):
        return False
    types = {each.precision for each in context.layers}
    if types & _WITHOUT_CALIBRATION or any("QuantizeLinear" in layer.name for layer in context.layers):
        return True
    is_implicit = context.build_fact("Calibration").startswith("none") or "--calib" in flags_used(context)
    return False if is_implicit else None


def is_calibrated(context: Context, _: Sequence[LayerFacts] = ()) -> bool:
    """Return whether a calibration lets the builder choose which layers are quantized."""
    return context.cached(has_quantized) and has_qdq(context) is False


def unless_calibrated(context: Context, gain: Gain | None) -> Gain | None:
    """Return a gain, from 0 where the builder has timed what else it may choose."""
    return from_zero(gain) if is_calibrated(context) else gain


def lacks_scales(context: Context, _: Sequence[LayerFacts] = ()) -> bool:
    """Return whether the builder warned of tensors without scales beside those that have some."""
    return is_calibrated(context) and bool(context.build_fact("Tensors without scales"))
