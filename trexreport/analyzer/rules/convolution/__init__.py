"""Rules on convolutions: Tensor Cores, output types, channels.

TRX101 reports a convolution on CUDA cores, whatever the cause, unless it is depthwise (TRX105) or computes in
FP32 where a lower precision was requested (TRX401) or TF32 is not used at all (TRX403). Of those on Tensor
Cores, TRX104 reports the network's first with few channels, TRX103 others with unaligned channels, TRX112
those whose channels fill half of a tile at most. TRX113 reports those that compute a batch in groups.
"""
