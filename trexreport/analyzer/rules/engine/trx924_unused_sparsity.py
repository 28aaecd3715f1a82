"""TRX924 engine.unused-sparsity."""

from __future__ import annotations

from trexreport.analyzer.rules import Context, Hit, Hits, built_in_rule
from trexreport.regex import regex

_ALLOWED = regex(r"--sparsity=(?:enable|force)\b")
#: The first compute capability, times ten, with Tensor Cores for sparse weights.
_SINCE = 80


@built_in_rule("info")
def unused_sparsity(context: Context) -> Hits:
    """The build allows sparse weights, and no layer has any.

    Cost:
        Kernels for sparse weights multiply up to twice as fast, and none is used: the build is slower for
        nothing, and the engine is as fast as without the option.

    Recommendation:
        Prune the weights so that two of each four in turn along the input channels are zero (2:4), and train
        on: ModelOpt does both. Zeros in other places save nothing.

    False alarm:
        The weights are pruned, and the builder measured the other kernels as faster, as it often does for few
        channels or a small batch. A verbose build log names the layers that may be sparse ("Layers eligible
        for sparse math"). GPUs before Ampere have no kernels for sparse weights: nothing is reported of them.

    Est. savings:
        Not estimated: it depends on which weights can be pruned.
    """
    capability = context.stated_compute_capability
    if capability is not None and capability < _SINCE:
        return
    is_allowed = context.build_option("Sparsity") == "Enabled" or any(
        _ALLOWED.search(command) for command in context.analysis.commands
    )
    stated = {each.attributes.get("HasSparseWeights") for each in context.products} - {None}
    if is_allowed and stated == {0}:
        yield Hit("The build allows sparse weights, and no convolution or multiplication has any.")
