"""Rules on quantization: where it begins, ends and is interrupted."""

from __future__ import annotations

from trexreport.analyzer.rules.quantization.trx301_unfused_qdq import unfused_qdq
from trexreport.analyzer.rules.quantization.trx302_mixed_residual_add import mixed_residual_add
from trexreport.analyzer.rules.quantization.trx303_float_island import float_island
from trexreport.analyzer.rules.quantization.trx304_float_time import float_time
from trexreport.analyzer.rules.quantization.trx305_precision_boundaries import precision_boundaries

#: In the order of their codes.
RULES = (
    unfused_qdq,
    mixed_residual_add,
    float_island,
    float_time,
    precision_boundaries,
)
