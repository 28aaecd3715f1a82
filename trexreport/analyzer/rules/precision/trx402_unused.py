"""TRX402 precision.unused."""

from __future__ import annotations

from collections.abc import Iterator

from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.precision.precision_use import (
    asked_but_unused,
    describe_use,
)
from trexreport.analyzer.rules.rule import Hit, rule


@rule(
    "TRX402",
    "precision.unused",
    "warning",
    many="{count} precisions were asked for, but no layer uses them.",
    section="precision",
)
def unused(context: Context) -> Iterator[Hit]:
    """A precision was asked for, but no layer uses it.

    Cost:
        The engine runs in a wider type than it was meant to, at half its speed or less.

    Advice:
        INT8 needs scales: Q/DQ nodes in the ONNX file, or until TensorRT 10 calibration (--calib); with
        neither, or where FP16 was measured faster, no layer takes it. FP16 and BF16: see whether layers are
        pinned to FP32 (--layerPrecisions with --precisionConstraints=obey), and whether the GPU has the type
        (BF16 from compute capability 8.0 on). With --stronglyTyped the flags do nothing, and TensorRT 11 has
        none: the types in the ONNX file decide.

    False alarm:
        --best allows all types and lets the builder choose, so that this is information only. A type is not
        missed where a narrower or equally wide one is used. Nothing is said where opaque layers hide theirs.

    Bound:
        None: what the other type would gain depends on each layer.
    """
    chosen_freely = any("--best" in command.split() for command in context.analysis.commands)
    for name in asked_but_unused(context, ("FP16", "BF16", "INT8")):
        cause = ""
        if name == "INT8":
            cause = "; without Q/DQ nodes or calibration no layer can"
        yield Hit(
            f"{name} was asked for, but no layer uses it{cause}.",
            evidence=describe_use(context),
            severity="info" if chosen_freely else None,
        )
