"""TRX404 precision.low-precision-absent."""

from __future__ import annotations

from trexreport.analyzer.rules import Context, Hit, Hits, built_in_rule
from trexreport.analyzer.rules.precision.precision_use import describe_use, requested_but_unused

#: Minimum compute capability, times ten, with which GPUs support a type.
_NARROW_SINCE = {"FP8": 89, "FP4": 100}


@built_in_rule("warning", many="{count} low precisions were requested but no layer uses them.")
def low_precision_absent(context: Context) -> Hits:
    """FP8, FP4 or INT4 was requested but no layer uses it.

    Cost:
        The engine lacks the smaller weights or the faster arithmetic that it was built for.

    Recommendation:
        These types come from the model only: quantize it with ModelOpt, so that the ONNX file has Q/DQ nodes
        of the type (FP8 and INT4 weights; NVFP4 with block scales), and check that they are on the inputs of
        the matrix multiplications. [8.6..10, unless typed: --fp8 only allows its type.] [10.3..10, unless
        typed: So does --int4.] FP8 needs compute capability 8.9, FP4 needs 10.0 and TensorRT 10.8.

    False alarm:
        Weights inside Myelin kernels may have the type although the file does not state it; nothing is
        reported where Myelin regions (ForeignNode) hide their types.

    Est. savings:
        Not estimated: the savings of the type depend on each layer.
    """
    for name in requested_but_unused(context, ("FP8", "FP4", "INT4")):
        since, capability = _NARROW_SINCE.get(name), context.min_compute_capability
        cause = "no tensor uses it"
        if since and capability and capability < since and _is_stated(context):
            cause = f"the GPU's compute capability {capability // 10}.{capability % 10} is below {since / 10}"
        yield Hit(f"{name} was requested, but {cause}.", evidence=describe_use(context))


def _is_stated(context: Context) -> bool:
    """Return whether the capture states the compute capability of the GPU itself."""
    return bool(context.analysis.settings.get("Device", {}).get("Compute Capability"))
