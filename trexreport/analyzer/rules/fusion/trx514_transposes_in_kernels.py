"""TRX514 fusion.transposes-in-kernels."""

from __future__ import annotations

from trexreport.analyzer.reformats import MOVES
from trexreport.analyzer.rules import Context, Hit, Hits, LayerFacts, built_in_rule
from trexreport.analyzer.rules.fusion.attention_parts import layers_of_attentions
from trexreport.analyzer.rules.launches import is_mostly_launch
from trexreport.analyzer.rules.limits import min_share
from trexreport.analyzer.rules.patterns import is_conv_or_matmul, is_fused_attention, is_softmax
from trexreport.analyzer.rules.phrases import takes_time
from trexreport.numbers import counted

_MOVES = MOVES | {"Cast"}
_TRANSPOSE = "Transpose"


@built_in_rule(
    "info",
    needs=("layers", "profile"),
    thresholds=(min_share(8.0, "all these kernels"),),
    explains={"share": ("TRX601",)},
)
def transposes_in_kernels(context: Context, *, share_percent: float) -> Hits:
    """Many kernels of Myelin transpose a tensor beside what they compute.

    Cost:
        A kernel that transposes reads or writes memory in strides. Where a network changes between two
        layouts, as around depthwise convolutions or windows of tokens, each block pays for it twice.

    Recommendation:
        Export the model so that neighbors use one layout: what is transposed between two blocks and back
        again can be left out. [if beside-convolutions: A LayerNorm over channels can be in the layout of the
        convolution beside it (channels last), and linear layers can be 1x1 convolutions.] [if windows: Blocks
        that follow each other can keep their tokens in windows.] [if before-attention: An attention reads
        heads in place if nothing is computed between it and the projections: fold a scale into their
        weights.]

    False alarm:
        An attention needs its heads apart, and the transpose costs little where the kernel is limited by
        its other work. Kernels that only move data are those of TRX205; softmaxes, attentions with all
        their kernels (TRX503), multiplications, what is about as short as a launch (TRX508) and what reads a
        tensor of more than twice the bytes that it writes are left out.

    Est. savings:
        Not estimated: it depends on what else the kernels do.
    """
    transposing = context.of_kinds(_may_transpose)
    found = context.slowest((each for each in transposing if _transposes(context, each)), share_percent)
    if not context.total_ms or not found:
        return
    kernels = counted(len(found), "kernel transposes a tensor", "kernels transpose a tensor")
    yield Hit(f"{kernels} beside what they compute; they {takes_time(context, found)}.", tuple(found))


def _may_transpose(layer: LayerFacts) -> bool:
    return _TRANSPOSE in layer.operations and not _MOVES.issuperset(layer.operations)


def _transposes(context: Context, layer: LayerFacts) -> bool:
    others = is_conv_or_matmul(context, layer) or is_softmax(layer) or is_fused_attention(context, layer)
    others = others or is_mostly_launch(context, layer) or layer.index in context.cached(layers_of_attentions)
    return bool(layer.avg_ms) and not others and not context.is_opaque(layer) and not _reduces(layer)


def _reduces(layer: LayerFacts) -> bool:
    """Return whether a kernel reads a tensor of which it writes less than half: that takes its time."""
    read = max((use.size_bytes or 0 for use in layer.inputs), default=0)
    return read > 2 * sum(use.size_bytes or 0 for use in layer.outputs)
