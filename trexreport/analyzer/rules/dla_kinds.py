"""What runs on a DLA and beside it, where advice depends on it: see `advice.py`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.engine.dla import dla_use, may_be_on_dla, waits_for_one_part
from trexreport.analyzer.rules.layer_tests import Test, alike
from trexreport.regex import regex

#: Normalizations that a DLA lacks.
_NORMALIZES = regex(r"(?i:(?:instance|group)_?norm)")
#: Activations that a DLA lacks.
_ACTIVATES = regex(
    r"(?i:hard_?sigmoid|swish|silu|mish|gelu|softplus)|(?:^|[^A-Za-z])(?:Erf|S?[Ee]lu)(?![a-z])"
)
#: What a log states of the layers that a DLA does not run.
_NAMED_BESIDE_DLA = ("Reasons not on the DLA", "Layers not on the DLA", "Layers beside the DLA")


def _are_before_dla(context: Context, layers: Sequence[LayerFacts]) -> bool | None:
    """Return whether a part of the network that a DLA runs, or may run, follows layers; None if some."""
    on_dla = {each.index for each in context.cached(dla_use).on_dla}
    following = [context.layers[each.index + 1 : each.index + 2] for each in layers]
    return alike(
        any(each.index in on_dla or may_be_on_dla(context, each) for each in after) for after in following
    )


def _has_several_parts(context: Context, _: Sequence[LayerFacts]) -> bool:
    stated = context.build_fact("Parts on the DLA").partition(":")[0]
    return max(len(context.cached(dla_use).on_dla), int(stated or 0)) > 1


def _normalizes_beside_dla(context: Context, layers: Sequence[LayerFacts]) -> bool:
    """Return whether a normalization that the DLA lacks runs on the GPU."""
    return _stays_beside_dla(context, layers, _NORMALIZES)


def _activates_beside_dla(context: Context, layers: Sequence[LayerFacts]) -> bool:
    """Return whether an activation that the DLA lacks runs on the GPU."""
    return _stays_beside_dla(context, layers, _ACTIVATES)


def _stays_beside_dla(context: Context, layers: Sequence[LayerFacts], names: re.Pattern[str]) -> bool:
    stated = map(context.build_fact, ("Layers beside the DLA", "Operations not on the DLA"))
    return any(map(names.search, [*stated, *(each.name for each in layers)]))


def _is_mostly_on_gpu(context: Context, _: Sequence[LayerFacts]) -> bool | None:
    """Return whether most of the time is on the GPU; None without times."""
    fallbacks = context.cached(dla_use).fallbacks
    return 2 * context.time_ms(fallbacks) > context.total_ms if context.total_ms else None


def _refused_for(reason: str) -> Test:
    """Return the test that the builder states a reason why layers do not run on a DLA."""
    return lambda context, _: reason in context.build_fact("Reasons not on the DLA")


#: What advice may depend on, and the words for it where only some layers are so, or it is not known.
DLA_CONDITIONS: Mapping[str, tuple[Test, str]] = {
    "before-dla": (_are_before_dla, "Before a part on a DLA"),
    "several-parts": (_has_several_parts, "With several parts on the DLA"),
    "asks-dla": (lambda context, _: context.cached(dla_use).is_asked, "With parts on a DLA"),
    "normalizes-on-gpu": (_normalizes_beside_dla, "With such normalizations"),
    "activates-on-gpu": (_activates_beside_dla, "With such activations"),
    "dla-full": (
        lambda context, _: bool(context.build_fact("Parts beyond the DLA's limit")),
        "Where the parts exceed the limit of a DLA core",
    ),
    "dla-named": (lambda context, _: any(map(context.build_fact, _NAMED_BESIDE_DLA)), ""),
    "dynamic-on-dla": (_refused_for("dynamic shapes"), "With dynamic shapes"),
    "fp32-on-dla": (_refused_for("FP16 and Int8"), "Without FP16 and INT8"),
    "not-on-dla": (
        lambda context, _: bool(context.build_fact("Layers that a DLA can run")),
        "Where no layer runs on the DLA",
    ),
    "mostly-on-gpu": (_is_mostly_on_gpu, "Where most of the time is on the GPU"),
    "one-part": (waits_for_one_part, "With one part on the DLA that takes nearly all of the time"),
}
