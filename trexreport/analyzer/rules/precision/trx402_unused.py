"""TRX402 precision.unused."""

from __future__ import annotations

from collections.abc import Iterator

from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.precision import precision_rule
from trexreport.analyzer.rules.precision.precision_use import describe_use, requested_but_unused
from trexreport.analyzer.rules.rule import Hit


@precision_rule("warning", many="{count} precisions were requested but no layer uses them.")
def unused(context: Context) -> Iterator[Hit]:
    """A precision was requested but no layer uses it.

    Cost:
        The engine runs in a wider type than intended, at half its speed or less.

    Recommendation:
        INT8 needs scales from Q/DQ nodes in the ONNX file. [..10, unless typed: Calibration (--calib) gives
        scales, too; where FP16 was measured faster, no layer uses INT8.] Check whether the GPU supports the
        type (BF16 from compute capability 8.0 on). [8.4..10, unless typed: FP16 and BF16: check whether
        layers are pinned to FP32 (--layerPrecisions with --precisionConstraints=obey).] [if typed: Flags
        have no effect: the types in the ONNX file decide.]

    False alarm:
        [..10: --best allows all types and lets the builder choose, so this is information only.] A type is
        not reported where a narrower or equally wide one is used, nor where Myelin regions (ForeignNode)
        hide theirs.

    Est. savings:
        Not estimated: the savings of another type depend on each layer.
    """
    chosen_freely = any("--best" in command.split() for command in context.analysis.commands)
    for name in requested_but_unused(context, ("FP16", "BF16", "INT8")):
        cause = ""
        if name == "INT8":
            cause = "; INT8 needs Q/DQ nodes or calibration"
        yield Hit(
            f"{name} was requested but no layer uses it{cause}.",
            evidence=describe_use(context),
            severity="info" if chosen_freely else None,
        )
