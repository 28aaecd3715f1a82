"""TRX919 engine.dla-without-int8."""

from __future__ import annotations

from trexreport.analyzer.analysis import slowest_first
from trexreport.analyzer.analysis.gains import GainBasis
from trexreport.analyzer.rules import Context, Hit, Hits, LayerFacts, built_in_rule
from trexreport.analyzer.rules.context import QUANTIZED
from trexreport.analyzer.rules.engine.dla import dla_use
from trexreport.analyzer.rules.gains import of_layers
from trexreport.analyzer.rules.limits import min_share
from trexreport.analyzer.rules.phrases import takes_time
from trexreport.numbers import counted

#: Of INT8 over FP16, by bytes and, at least, by multiplications at a time.
_SPEEDUP = 2.0


@built_in_rule("info", thresholds=(min_share(20.0, "the parts on the DLA"),))
def dla_without_int8(context: Context, *, share_percent: float) -> Hits:
    """The DLA computes in FP16.

    Cost:
        A DLA has two precisions, FP16 and INT8, and is made for INT8: it multiplies at least twice as many
        numbers at a time, and its tensors have half of the bytes.

    Recommendation:
        [..10: Build with --int8 and the scales of a calibration (--calib), or with those that a tool makes of
        Q/DQ nodes; leave layers that lose accuracy in FP16.] [11.0..: Quantize the model for the DLA, and
        leave layers that lose accuracy in FP16.]

    False alarm:
        Accuracy needs FP16. Only where files show FP16 at the ends of all parts on the DLA, and the build did
        not allow INT8.

    Est. savings:
        An estimate: from 0, as what else limits these layers is not known, up to half of their time, as half
        of the bytes and twice the rate allow.
    """
    parts = context.cached(dla_use).on_dla
    if (
        not parts
        or "INT8" in context.requested_precisions
        or not all(_is_fp16(context, each) for each in parts)
    ):
        return
    if not context.is_significant(parts, share_percent):
        return
    part = counted(
        len(parts), "part of the network on the DLA computes", "parts of the network on the DLA compute"
    )
    time = f" and {takes_time(context, parts)}" if context.total_ms else ""
    ranges = ((each, 0.0, (each.avg_ms or 0.0) * (1 - 1 / _SPEEDUP)) for each in parts)
    gain = of_layers("estimate", ranges, GainBasis("peaks", 1.0, _SPEEDUP)) if context.total_ms else None
    yield Hit(f"{part} in FP16{time}.", tuple(slowest_first(parts)), gain)


def _is_fp16(context: Context, part: LayerFacts) -> bool:
    types = {context.tensor(use.tensor).data_type for use in (*part.inputs, *part.outputs)}
    return "FP16" in types and types.isdisjoint(QUANTIZED)
