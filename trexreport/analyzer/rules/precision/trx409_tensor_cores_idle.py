"""TRX409 precision.tensor-cores-idle."""

from __future__ import annotations

from trexreport.analyzer.rules import Context, Hit, Hits, built_in_rule
from trexreport.analyzer.rules.limits import min_share

#: Types that Tensor Cores multiply; FP32 only as TF32.
_TYPES = frozenset({"FP16", "BF16", "INT8", "FP8", "INT4", "FP4"})


@built_in_rule(
    "warning",
    needs=("layers", "profile", "counters"),
    many="{count} layers could use Tensor Cores, and their kernels did not{extent}.",
    thresholds=(min_share(1.0, "the layer"),),
)
def tensor_cores_idle(context: Context, *, share_percent: float) -> Hits:
    """The Tensor Cores did nothing in a layer that multiplies FP16, INT8 or the like.

    Cost:
        Its kernels use CUDA cores, which are several times slower. Nsight Compute counted no active cycle of
        the Tensor Cores.

    Recommendation:
        [if unaligned: Align channels and extents of matrix products to what the Tensor Cores need (8 elements
        of FP16, 16 of INT8, 32 for a vectorized layout).] Let TensorRT choose the formats of inputs and
        outputs.

    False alarm:
        Depthwise convolutions and products with a vector have too little reuse for Tensor Cores: memory sets
        their speed.

    Est. savings:
        Not estimated here: TRX101 and TRX106 estimate it where the name of the kernel shows the same.
    """
    counters = context.analysis.counters
    for each in counters.layers if counters else ():
        layer = context.analysis.layers[each.layer]
        work = layer.work
        if each.tensor_active_percent != 0 or work is None or layer.precision not in _TYPES:
            continue
        # A group of one channel, or a vector: nothing to gain.
        if work.groups > 1 or min(work.m, work.n) == 1:
            continue
        if context.is_significant([layer], share_percent):
            yield Hit(
                f"The Tensor Cores were idle in {{layer}}, which multiplies {layer.precision}.",
                (layer,),
                None,
                {"Kernels": f"{each.kernels:,}", "Precision": layer.precision},
            )
