"""Advice that fits the TensorRT version of an engine, and that its build and its run do not follow already.

The documentation of a rule marks what holds only for some engines, in brackets before a colon::

    Always shown. [8.6..: Shown from TensorRT 8.6 on.] [..10: Shown up to 10.x.] [if typed: Shown if the types
    of the network decide.] [8.6.., unless level-5: Shown unless the engine was built so.]

What is known not to hold is left out. Where it is not known, a range and an "if" become words before the
text, as in the documentation of the rule.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.rules.context import LOW_PRECISIONS, Context
from trexreport.analyzer.rules.engine.build_flags import (
    FIRST_WITHOUT,
    FLAG_OF_TYPE,
    FLAG_WITH_VALUE,
    TYPE_FLAGS,
    WORKSPACE_WITH_UNIT,
    flags_used,
    is_strongly_typed,
)
from trexreport.analyzer.rules.engine.dla import may_be_on_dla
from trexreport.analyzer.rules.layer_kinds import LAYER_CONDITIONS
from trexreport.analyzer.rules.patterns import has_quantized, quantizes_and_back, quantizes_attention
from trexreport.regex import regex

_WORKSPACE_FLAGS = frozenset({"--memPoolSize", "--workspace"})
_LINEAR_IO = regex(r"--(?:in|out)putIOFormats=\S*?:chw(?![0-9])")
#: Layers and queries are measured in the same run.
_ONE_RUN = regex(r"^(?!.*--separateProfileRun).*--(?:export|dump)Profile")
_CONV_ACT_POOL = frozenset({"ConvActPool", "conv_act_pool"})

Layers = Sequence[LayerFacts]


class _Condition(NamedTuple):
    """What may hold for an engine: the test, None if that is not known, and the words for it."""

    holds: Callable[[Context, Layers], bool | None]
    words: str = ""


def _is_typed(context: Context, _: Layers) -> bool | None:
    return is_strongly_typed(context)


def _is_enabled(option: str, flag: str, opposite: str) -> Callable[[Context, Layers], bool | None]:
    """Return a test of an inference option that a flag enables, and the default from TensorRT 11 on."""

    def test(context: Context, _: Layers) -> bool | None:
        if stated := context.run_option(option):
            return stated == "Enabled"
        flags = flags_used(context)
        if flag in flags or opposite in flags:
            return flag in flags
        return None if context.version is None else context.version >= FIRST_WITHOUT

    return test


def _build_level_is_5(context: Context, _: Layers) -> bool | None:
    stated = context.build_option("BuilderOptimizationLevel")
    commands = " ".join(context.analysis.commands)
    return stated == "5" or "--builderOptimizationLevel=5" in commands


def _uses_cache_file(context: Context, _: Layers) -> bool | None:
    if context.build_option("timingCacheFile") or "--timingCacheFile" in flags_used(context):
        return True
    return False if context.has("build-options") else None


def _has_command(pattern: re.Pattern[str]) -> Callable[[Context, Layers], bool]:
    return lambda context, _: any(pattern.search(command) for command in context.analysis.commands)


def _has_idle_type_flags(context: Context, layers: Layers) -> bool:
    return _is_typed(context, layers) is True and not flags_used(context).isdisjoint(FLAG_OF_TYPE.values())


def _includes_warm_up(context: Context, _: Layers) -> bool:
    return context.analysis.stability is not None and context.analysis.stability.includes_warm_up


def _is_idle(context: Context, _: Layers) -> bool | None:
    busy = context.analysis.latency.gpu_busy_percent
    return None if busy is None else busy < 100


def _has_limited_workspace(context: Context, _: Layers) -> bool | None:
    pools = context.build_option("Memory Pools")
    if "workspace: default" in pools:
        return False
    return True if pools or _WORKSPACE_FLAGS & flags_used(context) else None


def _is_out_of_workspace(context: Context) -> bool:
    return bool(context.build_fact("Tactics without workspace") or context.build_fact("Workspace"))


def _states_types(context: Context, _: Layers) -> bool:
    return bool(context.requested_precisions & LOW_PRECISIONS or TYPE_FLAGS & flags_used(context))


def _has_no_half(context: Context, _: Layers) -> bool:
    halves = {"FP16", "BF16"}
    allowed = bool(halves & context.requested_precisions)
    return not allowed and all(
        halves.isdisjoint({each.precision, each.output_precision}) for each in context.layers
    )


def _has_qdq(context: Context, _: Layers) -> bool | None:
    if not context.cached(has_quantized):
        return False
    if any("QuantizeLinear" in layer.name for layer in context.layers):
        return True
    is_implicit = context.build_fact("Calibration").startswith("none") or "--calib" in flags_used(context)
    return False if is_implicit else None


def _has_wide_io(context: Context, _: Layers) -> bool:
    """Return whether the builder may use FP16 or narrower types, and all stated formats of I/O are FP32."""
    formats = [context.build_option(key) for key in ("Input(s)s format", "Output(s)s format")]
    stated = [each.lower().split(":")[0] for each in formats if each]
    return bool(stated) and set(stated) == {"fp32"} and bool(context.requested_precisions & LOW_PRECISIONS)


def _keeps_its_type(_: Context, layers: Layers) -> bool | None:
    """Return whether layers write the type that they read; None where only names are known."""
    if any(layer.precision != layer.output_precision for layer in layers):
        return False
    return True if all(layer.precision for layer in layers) else None


def _follow_attention(context: Context, layers: Layers) -> bool | None:
    """Return whether all layers only quantize what a fused attention writes; None if some do."""
    found = {quantizes_attention(context, layer) for layer in layers}
    return None if len(found) > 1 else True in found


def _has_no_later_version(context: Context, _: Layers) -> bool:
    """Return whether TensorRT 10 does not run on the GPU; its support matrix begins with Volta.

    Xavier (7.2) is not in it either: JetPack 5, its last one, has TensorRT 8.
    """
    capability = context.stated_compute_capability
    return capability is not None and (capability < 70 or capability == 72)


def _are_pairs(_: Context, layers: Layers) -> bool | None:
    """Return whether all layers quantize and dequantize again; None if some do."""
    found = set(map(quantizes_and_back, layers))
    return None if len(found) > 1 else True in found


def _are_at_io(context: Context, layers: Layers) -> bool | None:
    """Return whether all layers read an input or write an output of the engine; None if some do."""
    ends = {
        any(context.is_input(use.tensor) for use in layer.inputs)
        or any(context.is_output(use.tensor) for use in layer.outputs)
        for layer in layers
    }
    return None if len(ends) > 1 else True in ends


def _is_conv_act_pool(_: Context, layers: Layers) -> bool:
    return all(layer.type in _CONV_ACT_POOL or "conv_act_pool" in layer.tactic.lower() for layer in layers)


def _may_be_on_dla(context: Context, layers: Layers) -> bool:
    return any(may_be_on_dla(context, layer) for layer in layers)


_STRONGLY_TYPED = "With --stronglyTyped"
#: The words of conditions in the documentation of rules.
_CONDITIONS: Mapping[str, _Condition] = {
    "typed": _Condition(_is_typed, "From TensorRT 11 on, and with --stronglyTyped"),
    "graph": _Condition(_is_enabled("CUDA Graph", "--useCudaGraph", "--noCudaGraph")),
    "host-bound": _Condition(lambda context, _: context.enqueue_state in {"", "bound"}),
    "waits": _Condition(lambda context, _: context.enqueue_state == "waits", "If the host waits for the GPU"),
    "profiled": _Condition(
        lambda context, _: context.enqueue_state == "profiled", "If layers were profiled in the same run"
    ),
    "spin": _Condition(_is_enabled("Spin-wait", "--useSpinWait", "--noSpinWait")),
    "level-5": _Condition(_build_level_is_5),
    "cache-file": _Condition(_uses_cache_file, "If the build reads a timing cache"),
    "pinned": _Condition(_has_command(_LINEAR_IO), "If --inputIOFormats or --outputIOFormats is given"),
    "one-stream": _Condition(lambda context, _: context.has_one_stream),
    "idle": _Condition(_is_idle, "Where the GPU is idle"),
    "overlap": _Condition(
        lambda context, layers: None if (idle := _is_idle(context, layers)) is None else not idle,
        "Where queries overlap",
    ),
    "workspace": _Condition(_has_limited_workspace, "If the workspace was limited"),
    "limited": _Condition(lambda context, _: _is_out_of_workspace(context)),
    "crowded": _Condition(lambda context, _: bool(context.build_fact("Tactics without GPU memory"))),
    "failed": _Condition(lambda context, _: bool(context.build_fact("Tactics with errors"))),
    "type-flags": _Condition(_states_types),
    "quantized": _Condition(lambda context, _: context.cached(has_quantized)),
    "explicit": _Condition(_has_qdq, "If the model has Q/DQ nodes"),
    "wide-io": _Condition(_has_wide_io),
    "same-type": _Condition(_keeps_its_type),
    "at-io": _Condition(_are_at_io, "At an I/O tensor"),
    "pair": _Condition(_are_pairs, "Of a Q and DQ node in one layer"),
    "unit": _Condition(_has_command(WORKSPACE_WITH_UNIT)),
    "valued": _Condition(_has_command(FLAG_WITH_VALUE)),
    "typed-flags": _Condition(_has_idle_type_flags, "With --stronglyTyped"),
    "one-run": _Condition(_has_command(_ONE_RUN)),
    "warm-up": _Condition(_includes_warm_up, "Where queries include the warm-up"),
    "maybe-dla": _Condition(_may_be_on_dla, "If it may be a part on a DLA"),
    "places": _Condition(lambda _, layers: bool(layers)),
    "after-attention": _Condition(_follow_attention, "After a fused attention"),
    "old-gpu": _Condition(_has_no_later_version),
    "no-half": _Condition(_has_no_half),
    "fp32": _Condition(lambda _, layers: any(layer.precision == "FP32" for layer in layers)),
    "conv-act-pool": _Condition(_is_conv_act_pool),
    **{name: _Condition(*each) for name, each in LAYER_CONDITIONS.items()},
}
_TERM = rf"(?:[\d.]*\.\.[\d.]*|(?:if|unless) (?:{'|'.join(_CONDITIONS)}))"
_PART = regex(rf"\[({_TERM}(?:, {_TERM})*): ([^][]+)\]")


def advice_for(text: str, context: Context, layers: Layers) -> str:
    """Return a text of a rule without what does not hold for an engine, or is followed already.

    Args:
        text: As the rule's documentation has it.
        context: The engine.
        layers: Those of the finding.
    """

    def chosen(part: re.Match[str]) -> str:
        labels = []
        for term in part[1].split(", "):
            holds, words = _judge(term, context, layers)
            if holds is False:
                return ""
            if holds is None and words:
                labels.append(words)
        return _labeled(labels, part[2])

    return _tidy(_PART.sub(chosen, text))


def general_advice(text: str) -> str:
    """Return a text of a rule as its documentation states it, for any engine."""

    def shown(part: re.Match[str]) -> str:
        return _labeled([words for term in part[1].split(", ") if (words := _words(term))], part[2])

    return _tidy(_PART.sub(shown, text))


def _judge(term: str, context: Context, layers: Layers) -> tuple[bool | None, str]:
    """Return whether a term holds for an engine, None if that is not known, and the words for it."""
    kind, _, name = term.partition(" ")
    if not name:
        return _is_in_range(term, context.version), _words(term)
    if term == "if typed" and context.version is not None:
        # A later version does not matter to an engine of this one.
        return _is_typed(context, layers), _STRONGLY_TYPED
    holds = _CONDITIONS[name].holds(context, layers)
    if kind == "unless":
        holds = None if holds is None else not holds
    return holds, _words(term)


def _words(term: str) -> str:
    kind, _, name = term.partition(" ")
    if name:
        return _CONDITIONS[name].words if kind == "if" else ""
    since, _, until = term.partition("..")
    if since and until:
        return f"TensorRT {since} to {until}"
    return f"From TensorRT {since} on" if since else f"Up to TensorRT {until}"


def _is_in_range(term: str, version: tuple[int, int] | None) -> bool | None:
    if version is None:
        return None
    since, until = (tuple(map(int, each.split("."))) if each else () for each in term.split("..", 1))
    return since <= version and (not until or version[: len(until)] <= until)


def _labeled(labels: Sequence[str], text: str) -> str:
    # The first label begins the sentence.
    labels = [*labels[:1], *map(_within_sentence, labels[1:])]
    return f"{', '.join(labels)}: {text}" if labels else text


def _within_sentence(label: str) -> str:
    return label if label.startswith("TensorRT") else label[0].lower() + label[1:]


def _tidy(text: str) -> str:
    """Return a text without the spaces around what was left out."""
    return "\n".join(" ".join(line.split()) for line in text.splitlines() if line.strip())
