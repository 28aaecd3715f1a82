"""TRX422 precision.ignored-types."""

from __future__ import annotations

from trexreport.analyzer.rules import Context, Hit, Hits, built_in_rule
from trexreport.numbers import counted


@built_in_rule("warning", needs=(), section="build")
def ignored_types(context: Context) -> Hits:
    """The builder ignored the types that were requested for layers.

    Cost:
        A layer that was to stay in FP32 for its accuracy computes in another type, or one that was to be fast
        does not.

    Recommendation:
        Look at what these layers are: TensorRT has no kernel for them with the requested types of computation
        and output together. Request the type for layers alone and leave that of outputs to the builder, give
        the layers that are fused with them the same type, or take another type. [8.2..10:
        --precisionConstraints=obey lets the build fail instead.]

    False alarm:
        A few small layers, where the accuracy of the results is right.

    Est. savings:
        Not estimated: a log states no time.
    """
    count, _, names = context.build_fact("Layers without the requested types").partition(": ")
    if count:
        yield Hit(
            f"The builder ignored the types that were requested for {counted(int(count), 'layer')}, and used "
            f"the fastest kernels ({names})."
        )
