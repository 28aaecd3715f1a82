"""Rules on precisions: requested, used, and what computes in FP32.

FP32 layers are TRX401's where a lower precision was requested and is used somewhere, TRX402's or TRX404's
where none is used at all. Where none was requested they are TRX405's, and TRX403's if TF32 could help too.
"""

from __future__ import annotations

from functools import partial

from trexreport.analyzer.rules.rule import built_in_rule

#: Makes a rule of this family.
precision_rule = partial(built_in_rule, section="precision")
