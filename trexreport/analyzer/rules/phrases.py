"""Phrases that several rules use in their messages."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain

from trexreport.analyzer.analysis import LayerFacts, TensorFacts, TensorUse
from trexreport.analyzer.rules.context import Context
from trexreport.numbers import (
    counted,
    format_count,
    format_ms,
    format_percent,
    format_shape,
    join_names,
    layer_label,
)
from trexreport.regex import regex

#: The placeholder in a message for the name of its first layer.
LAYER = "{layer}"
#: The placeholder for how many layers it affects and their time; a cause also names those that it explains.
EXTENT = "{extent}"
#: The operation of a node: "Conv" of "/stem/Conv_1" and of "Conv_171".
_OPERATION = regex(r"(?:^|/)([A-Z][A-Za-z]*)(?:_\d+)?$", re.ASCII)
_PLACEHOLDER = regex(f"{re.escape(LAYER)}|{re.escape(EXTENT)}")


def fill_in(message: str, layers: Sequence[LayerFacts], context: Context) -> str:
    """Return the message of a hit with its placeholders replaced.

    Args:
        message: With `LAYER` and `EXTENT`.
        layers: That the place names, its own first; none for the whole engine.
        context: The engine.
    """
    name = layer_label(layers[0].name) if layers else "the engine"
    return _PLACEHOLDER.sub(
        lambda found: name if found[0] == LAYER else state_extent(layers, context), message
    )


def layer_time(context: Context, layers: Iterable[LayerFacts]) -> str:
    """Return "2.8% of layer time (0.031 ms)" for the layers together; of all without outliers."""
    time_ms = context.time_ms(layers)
    share = format_percent(context.share_percent(time_ms) / 100)
    return f"{share} of {context.layer_time_name} ({format_ms(time_ms)})"


def takes_time(context: Context, layers: Collection[LayerFacts]) -> str:
    """Return the predicate of a sentence about these layers: "take 12% of layer time (0.6 ms)"."""
    return f"{'takes' if len(layers) == 1 else 'take'} {layer_time(context, layers)}"


def with_others(
    context: Context, layers: Sequence[LayerFacts], kinds: Mapping[tuple[str, ...], Sequence[LayerFacts]]
) -> str:
    """Return what layers take with others beside them: ", and 9% of … with the 2 reformats next to them".

    Args:
        context: The engine.
        layers: That `takes_time` names before.
        kinds: Other layers, by what one and several are called.
    """
    found = {nouns: others for nouns, others in kinds.items() if others}
    whole = [*layers, *chain.from_iterable(found.values())]
    if not found or layer_time(context, whole) == layer_time(context, layers):
        return ""
    is_one = len(whole) == len(layers) + 1
    named = [nouns[0] if is_one else counted(len(each), *nouns) for nouns, each in found.items()]
    beside = f"{join_names(named)} next to {'it' if len(layers) == 1 else 'them'}"
    return f", and {layer_time(context, whole)} with the {beside}"


def timed(context: Context, layers: Iterable[LayerFacts]) -> str:
    """Return " (2.8% of layer time, 0.031 ms)", or an empty text where none of the layers was measured.

    Without a profile it is their time in the build, as far as that is known.
    """
    layers = list(layers)
    time_ms = context.time_ms(layers)
    if time_ms <= 0:
        return _timed_in_build(context, layers)
    share = format_percent(context.share_percent(time_ms) / 100)
    return f" ({share} of {context.layer_time_name}, {format_ms(time_ms)})"


def _timed_in_build(context: Context, layers: Iterable[LayerFacts]) -> str:
    time_ms, share = time_in_build(context, layers)
    return f" ({format_percent(share)} by the times in the build, {format_ms(time_ms)})" if share else ""


def time_in_build(context: Context, layers: Iterable[LayerFacts]) -> tuple[float, float]:
    """Return the time of layers' tactics in the build in ms, and their share; 0 beside a profile."""
    tactics = context.analysis.tactics
    if context.total_ms or tactics is None or not tactics.whole_ms:
        return 0.0, 0.0
    time_ms = math.fsum(tactics.layer_ms[layer.index] or 0.0 for layer in layers)
    return time_ms, time_ms / tactics.whole_ms


def state_extent(layers: Collection[LayerFacts], context: Context) -> str:
    """Return ", which affects 3 layers (2.8% of layer time, 0.031 ms)"; only the time of a single one."""
    number = f", which affects {counted(len(layers), 'layer')}" if len(layers) > 1 else ""
    return number + timed(context, layers)


def describe_tensor(use: TensorUse | TensorFacts) -> str:
    """Return a tensor's format and shape: "FP16 NHWC8 1×64×56×56"."""
    return f"{use.format} {format_shape(use.dimensions)}"


def counted_operations(nodes: Iterable[str]) -> list[str]:
    """Return how often each operation is among ONNX nodes, the commonest first: "3 Conv"."""
    found = Counter(match[1] for each in nodes if (match := _OPERATION.search(each)))
    commonest = sorted(found.items(), key=lambda item: (-item[1], item[0]))
    return [f"{number} {name}" for name, number in commonest]


def part_of_all(part: int, whole: int, one: str, many: str) -> str:
    """Return "4 of 5 kernels run", "All 5 kernels run" or "The only kernel runs"."""
    if whole == 1:
        return f"The only {one}"
    if part == whole:
        return f"All {format_count(whole)} {many}"
    return f"{format_count(part)} of {format_count(whole)} {many}"
