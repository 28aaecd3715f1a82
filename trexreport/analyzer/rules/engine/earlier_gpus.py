"""Products that run kernels of an earlier GPU because the build allows no others."""

from __future__ import annotations

from collections.abc import Sequence

from trexreport.analyzer.analysis.gains import GainBasis
from trexreport.analyzer.rules import Context, Gain, LayerFacts
from trexreport.analyzer.rules.engine.build_flags import stated_value
from trexreport.analyzer.rules.expected import floor_ms
from trexreport.analyzer.rules.gains import of_layers
from trexreport.analyzer.rules.patterns import fused_attentions

#: The first compute capability, times ten, whose Tensor Cores kernels of Ampere hardly use.
_HOPPER = 90
#: Shares of the roofline that products of some size reach with kernels of their own GPU.
_REACHED = 0.4, 0.65
#: The option that names the GPUs on which the engine must run, and its flag.
HARDWARE_LEVEL = "Hardware Compatibility Level", "--hardwareCompatibilityLevel"


def of_earlier_gpus(context: Context) -> Sequence[LayerFacts]:
    """Return the products whose kernels were written for an earlier GPU, in a build that allows no others.

    Up to Ada, kernels of Ampere are those that TensorRT takes anyway.
    """
    capability = context.stated_compute_capability
    if capability is None or capability < _HOPPER or not must_run_on_ampere(context):
        return ()
    return tuple(layer for layer in context.products if _is_earlier(context, layer, capability))


def attentions_of_earlier_gpus(context: Context) -> Sequence[LayerFacts]:
    """Return the fused attentions of a build whose products have kernels of an earlier GPU.

    Names of Myelin's kernels of attention do not say for which GPU they are; such a build has no others.
    """
    products = context.cached(of_earlier_gpus)
    known = {layer.index for layer in products}
    first = context.stated_compute_capability or _HOPPER
    return [
        layer
        for layer in (context.cached(fused_attentions) if products else ())
        if layer.index not in known and (context.kernel(layer).architecture or 0) // 10 < first // 10
    ]


def must_run_on_ampere(context: Context) -> bool:
    """Return whether the build asks for an engine that runs on Ampere and later GPUs, so without FP8."""
    return stated_value(context, *HARDWARE_LEVEL).lower().startswith("ampere")


def gain_of_own_kernels(context: Context, layers: Sequence[LayerFacts]) -> Gain | None:
    """Return what kernels of the GPU itself save; None where the peaks or the work are not known."""
    floor = context.cached(floor_ms)
    ranges = []
    for layer in layers:
        if layer.roof is not None and layer.avg_ms:
            after = [floor + layer.roof.roof_ms / share for share in _REACHED]
            low, high = (max(layer.avg_ms - each, 0.0) for each in after)
            ranges.append((layer, low, high))
    if not any(high for _, _, high in ranges):
        return None
    return of_layers("estimate", ranges, GainBasis("roof", *_REACHED))


def _is_earlier(context: Context, layer: LayerFacts, capability: int) -> bool:
    kernel = context.kernel(layer)
    architecture = kernel.architecture
    return bool(kernel.tensor_cores) and architecture is not None and architecture // 10 < capability // 10
