"""Rules on fusion: work that runs as several kernels, or in one kernel more than needed."""

from __future__ import annotations

from trexreport.analyzer.rules.fusion.trx501_unfused_pointwise_chain import unfused_pointwise_chain
from trexreport.analyzer.rules.fusion.trx502_activation_after_convolution import activation_after_convolution
from trexreport.analyzer.rules.fusion.trx503_attention_not_fused import attention_not_fused
from trexreport.analyzer.rules.fusion.trx504_separate_qkv import separate_qkv
from trexreport.analyzer.rules.fusion.trx505_decomposed_layernorm import decomposed_layernorm
from trexreport.analyzer.rules.fusion.trx506_decomposed_gelu import decomposed_gelu
from trexreport.analyzer.rules.fusion.trx507_copies import copies
from trexreport.analyzer.rules.fusion.trx508_tiny_kernels import tiny_kernels

#: In the order of their codes.
RULES = (
    unfused_pointwise_chain,
    activation_after_convolution,
    attention_not_fused,
    separate_qkv,
    decomposed_layernorm,
    decomposed_gelu,
    copies,
    tiny_kernels,
)
