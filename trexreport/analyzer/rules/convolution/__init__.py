"""Rules on convolutions: Tensor Cores, output types, channels.

A convolution on CUDA cores is TRX101's, whatever the cause, unless it is depthwise (TRX105) or computes in
FP32 where a lower precision was requested (TRX401) or TF32 is not used at all (TRX403). Of those on Tensor
Cores, the network's first with few channels are TRX104's; others with unaligned channels are TRX103's.
"""

from __future__ import annotations

from trexreport.analyzer.rules.rule import built_in_rule

#: Makes a rule of this family.
convolution_rule = built_in_rule
