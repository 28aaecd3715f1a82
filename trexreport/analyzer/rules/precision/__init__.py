"""Rules on precisions: requested, used, and what computes in FP32.

FP32 layers are TRX401's where a lower precision was requested and is used somewhere, TRX402's or TRX404's
where none is used at all. Where none was requested they are TRX405's, and TRX403's if TF32 could help too.
"""

from __future__ import annotations

from trexreport.analyzer.rules.precision.trx401_fp32_compute import fp32_compute
from trexreport.analyzer.rules.precision.trx402_unused import unused
from trexreport.analyzer.rules.precision.trx403_tf32_off import tf32_off
from trexreport.analyzer.rules.precision.trx404_low_precision_absent import low_precision_absent
from trexreport.analyzer.rules.precision.trx405_all_fp32 import all_fp32

#: In the order of their codes.
RULES = (fp32_compute, unused, tf32_off, low_precision_absent, all_fp32)
