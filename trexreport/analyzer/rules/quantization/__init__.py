"""Rules on quantization: where it begins, ends and is interrupted."""

from __future__ import annotations

from trexreport.analyzer.rules.quantization.trx301_unfused_qdq import unfused_qdq
from trexreport.analyzer.rules.quantization.trx302_mixed_residual_add import mixed_residual_add
from trexreport.analyzer.rules.quantization.trx303_float_section import float_section
from trexreport.analyzer.rules.quantization.trx304_float_share import float_share
from trexreport.analyzer.rules.quantization.trx305_precision_boundaries import precision_boundaries

#: In the order of their codes.
RULES = (unfused_qdq, mixed_residual_add, float_section, float_share, precision_boundaries)
