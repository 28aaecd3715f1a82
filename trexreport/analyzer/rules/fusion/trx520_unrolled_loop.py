"""TRX520 fusion.unrolled-loop."""

from __future__ import annotations

from collections.abc import Sequence

from trexreport.analyzer.analysis import slowest_first
from trexreport.analyzer.grouping import group_by
from trexreport.analyzer.rules import Context, Hit, Hits, LayerFacts, built_in_rule
from trexreport.analyzer.rules.gains import of_layers
from trexreport.analyzer.rules.limits import min_share
from trexreport.analyzer.rules.patterns import is_conv_or_matmul, looks_up, only_copies, operations
from trexreport.analyzer.rules.phrases import timed
from trexreport.analyzer.rules.savings import untimed_as_info
from trexreport.analyzer.rules.unrolled_steps import unrolled_loops
from trexreport.numbers import counted, format_count


@built_in_rule(
    "warning",
    many="{count} loops run as equal steps{extent}.",
    thresholds=(min_share(10.0, "all loops"),),
    explains={"share": ("TRX205", "TRX508", "TRX601", "TRX605")},
    replaces=True,
)
@untimed_as_info
def unrolled_loop(context: Context, *, share_percent: float) -> Hits:
    """A loop of the model runs as many equal steps of small kernels.

    Cost:
        A loop in the code of a model over points in time, disparities, heads or classes is exported as its
        steps one after the other. Each step cuts its part out of a tensor and launches its own kernels, which
        are too small for the GPU, or read again what the step before has read.

    Recommendation:
        [unless waiting-steps: Compute all steps at once, with one more dimension of the tensors in place of
        the loop: TensorRT then runs each operation once. For a cost volume, or other shifted parts, a plugin
        reads them in place.] [if waiting-steps: Export the recurrence as one node (GRU, LSTM or RNN in ONNX),
        or as a Loop, which TensorRT compiles as a whole; a plugin that keeps state and weights on the chip is
        faster where there are many steps. Multiply all that does not depend on the state before the loop, for
        all steps at once.] [if waiting-steps, unless no-capture: Until then a CUDA graph removes the launch
        overhead of the host.]

    False alarm:
        The steps differ in what the layers do not state, such as constants. Loops are found by twelve or more
        parts that are cut out of one tensor, followed by kernels that are alike in number and operations.

    Est. savings:
        An estimate: from 0 up to the time of all its kernels except its multiplications, or else those of the
        operation that takes most of what computes.
    """
    loops = context.cached(unrolled_loops)
    if not context.is_significant((each for found, _ in loops for each in found), share_percent):
        return
    for found, steps in loops:
        left = {each.index for each in _what_is_left(context, found)}
        ranges = ((each, 0.0, 0.0 if each.index in left else each.avg_ms or 0.0) for each in found)
        which = f"{format_count(len(found))} kernels are {counted(steps, 'equal step')} of an unrolled loop"
        yield Hit(
            f"{which}{timed(context, found)}.",
            tuple(slowest_first(found)),
            of_layers("estimate", ranges, "fused-kernel"),
            {"Steps": format_count(steps), "Kernels per step": format_count(round(len(found) / steps))},
        )


def _what_is_left(context: Context, found: Sequence[LayerFacts]) -> Sequence[LayerFacts]:
    """Return the layers whose work no other form of a loop saves: its products, else what takes most."""
    products = [each for each in found if is_conv_or_matmul(context, each)]
    computing = (each for each in found if not only_copies(each) and not looks_up(each))
    kinds = group_by(computing, lambda each: (each.type, tuple(operations(each)))).values()
    return products or max(kinds, key=context.time_ms)
