"""Rules on shapes: unknown ones, those that the host computes, and those that suit the GPU badly."""

from __future__ import annotations

from trexreport.analyzer.rules.shapes.trx701_unresolved import unresolved
from trexreport.analyzer.rules.shapes.trx702_shape_computation import shape_computation
from trexreport.analyzer.rules.shapes.trx703_batch_1 import batch_1
from trexreport.analyzer.rules.shapes.trx704_gemm_not_aligned import gemm_not_aligned
from trexreport.analyzer.rules.shapes.trx705_data_dependent import data_dependent

#: In the order of their codes.
RULES = (unresolved, shape_computation, batch_1, gemm_not_aligned, data_dependent)
