"""TRX106 matmul.not-on-tensor-cores."""

from __future__ import annotations

from trexreport.analyzer.rules import Context, Gain, Hit, Hits, LayerFacts, built_in_rule
from trexreport.analyzer.rules.expected import above_roof
from trexreport.analyzer.rules.gains import from_zero
from trexreport.analyzer.rules.limits import min_share
from trexreport.analyzer.rules.patterns import is_conv_or_matmul
from trexreport.analyzer.rules.phrases import EXTENT, LAYER
from trexreport.analyzer.rules.tensor_cores import has_few_rows, is_faster_there, type_for_tensor_cores


@built_in_rule(
    "warning",
    many="{count} matrix multiplications run on CUDA cores although Tensor Cores support their type.",
    explains={"layers": ("TRX704", "TRX914"), "share": ("TRX605",)},
    thresholds=(min_share(1, "all places together"), min_share(0.1, "one place", name="place_percent")),
)
def not_on_tensor_cores(context: Context, *, share_percent: float, place_percent: float) -> Hits:
    """A matrix multiplication runs on CUDA cores although Tensor Cores support its type.

    Cost:
        Tensor Cores multiply several times faster than CUDA cores in the same type. Kernel names with "simt",
        "ffma", "sgemm" or an architecture before sm70 indicate kernels on CUDA cores.

    Recommendation:
        [if unaligned: Pad rows, columns and the summed dimension to multiples of 16 bytes in the model:
        kernels on Tensor Cores read as many at a time.] [unless unaligned: Where the shape suits Tensor
        Cores, look in the model for a Cast to FP32 before the multiplication or after it, which leaves it no
        such kernel.] [if fp32: Use FP16.] [8.6.., unless level-5: --builderOptimizationLevel=5 lets the
        builder try more kernels.] [8.4.., if workspace: A larger workspace (--memPoolSize) allows more
        kernels.] [if cache-file: Build without it, so that the kernels are measured again.]

    False alarm:
        The builder times all kernels that support the layer and takes the fastest: for a small or odd shape
        that may be one on CUDA cores, and only another shape helps. Where a factor has fewer than 8 rows
        (batch 1), reading the weights takes the time, and nothing is reported. FP32 is reported only where
        TF32 is faster on this GPU: not on most GeForce boards, and as information where the GPU is not known.

    Est. savings:
        An estimate, from 0 as no kernel on Tensor Cores may be faster for this shape: up to the measured time
        minus the roofline time on Tensor Cores for the layer's operations and bytes, at the share of the
        roofline that multiplications of this engine on Tensor Cores reach; not estimated without the GPU's
        peaks.
    """
    found = [
        layer
        for layer in context.products
        if not context.is_convolution(layer)
        and context.kernel(layer).tensor_cores is False
        and not has_few_rows(context, layer)
    ]
    for layer in context.significant(found, share_percent, place_percent):
        multiplied = type_for_tensor_cores(context, layer)
        if not multiplied:
            continue
        is_faster = is_faster_there(context, multiplied)
        evidence = {"Type": layer.precision, "Kernel": layer.tactic}
        if layer.work is not None:
            evidence["Rows × columns × depth"] = f"{layer.work.m}×{layer.work.n}×{layer.work.k}"
        yield Hit(
            f"{LAYER} multiplies matrices on CUDA cores{EXTENT}.",
            (layer,),
            from_zero(_gain(context, layer)) if is_faster else None,
            evidence,
            severity=None if is_faster else "info",
        )


def _gain(context: Context, layer: LayerFacts) -> Gain | None:
    return above_roof(
        context,
        layer,
        lambda each: is_conv_or_matmul(context, each) and context.kernel(each).tensor_cores is True,
    )
