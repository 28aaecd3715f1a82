"""Rules on convolutions: Tensor Cores, output types, channels.

A convolution on CUDA cores is TRX101's, whatever the cause, unless it is depthwise (TRX105) or computes in
FP32 where a lower precision was requested (TRX401) or TF32 is not used at all (TRX403). Of those on Tensor
Cores, the network's first with few channels are TRX104's; others with unaligned channels are TRX103's.
"""

from __future__ import annotations

from trexreport.analyzer.rules.convolution.trx101_not_on_tensor_cores import not_on_tensor_cores
from trexreport.analyzer.rules.convolution.trx102_float_output import float_output
from trexreport.analyzer.rules.convolution.trx103_channels_not_aligned import channels_not_aligned
from trexreport.analyzer.rules.convolution.trx104_small_channel_input import small_channel_input
from trexreport.analyzer.rules.convolution.trx105_depthwise_memory_bound import depthwise_memory_bound

#: In the order of their codes.
RULES = (not_on_tensor_cores, float_output, channels_not_aligned, small_channel_input, depthwise_memory_bound)
