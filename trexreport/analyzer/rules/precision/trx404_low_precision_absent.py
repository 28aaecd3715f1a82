"""TRX404 precision.low-precision-absent."""

from __future__ import annotations

from collections.abc import Iterator

from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.precision.precision_use import (
    asked_but_unused,
    describe_use,
)
from trexreport.analyzer.rules.rule import Hit, rule

#: Compute capability times ten from which on GPUs multiply a type.
_NARROW_SINCE = {"FP8": 89, "FP4": 100}


@rule(
    "TRX404",
    "precision.low-precision-absent",
    "warning",
    many="{count} low precisions were asked for and are absent.",
    section="precision",
)
def low_precision_absent(context: Context) -> Iterator[Hit]:
    """FP8, FP4 or INT4 was asked for and is absent.

    Cost:
        The engine does not have the smaller weights or the faster arithmetic that it was built for.

    Advice:
        These types come from the model only: quantize it with ModelOpt, so that the ONNX file has Q/DQ nodes
        of the type (FP8 and INT4 weights; NVFP4 with block scales), and check that they stand on the inputs
        of the matrix products. --fp8 (8.6 to 10) and --int4 (10.3 to 10) only allow them; TensorRT 11 takes
        them from the file alone. FP8 needs compute capability 8.9, FP4 needs 10.0.

    False alarm:
        Weights inside Myelin's kernels may have the type without the file saying so; nothing is said where
        opaque layers hide theirs.

    Bound:
        None: what the type would gain depends on each layer.
    """
    for name in asked_but_unused(context, ("FP8", "FP4", "INT4")):
        since, capability = _NARROW_SINCE.get(name), context.least_capability
        cause = "no tensor has it"
        if since and capability and capability < since and _is_stated(context):
            cause = f"the GPU's compute capability {capability // 10}.{capability % 10} is below {since / 10}"
        yield Hit(f"{name} was asked for, but {cause}.", evidence=describe_use(context))


def _is_stated(context: Context) -> bool:
    """Tell whether the compute capability is the GPU's own, not only the newest kernel's."""
    return bool(context.analysis.settings.get("Device", {}).get("Compute Capability"))
