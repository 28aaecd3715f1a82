"""The conditions under which each engine was built and measured, and what it means that they differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trexreport.analyzer.analysis import Analysis
from trexreport.analyzer.analysis.comparison import (
    BY_DEFAULT,
    CONDITION_SEVERITIES,
    Condition,
    ConditionKind,
    ConditionSeverity,
)
from trexreport.analyzer.analysis.verdict import Reason
from trexreport.analyzer.comparison.compare_fields import (
    BUILD_SHAPES,
    FIELDS,
    KNOWN_OPTIONS,
    MODEL_FILE,
    SHAPES,
)
from trexreport.model import Engine
from trexreport.model.measurement import copy_ms
from trexreport.numbers import format_ms

#: The condition that engines of two models differ in.
MODEL = "model"
#: The condition that shows other inputs where no file states shapes.
INPUT_TRANSFERS = "input transfers"
#: Conditions that determine the amount of work.
_AMOUNT = ("batch", SHAPES)
_STREAMS = "streams"
#: Conditions that change the transfers of the same inputs.
_OF_TRANSFERS = frozenset({"GPU", _STREAMS, "Input(s)s format", "Use managed memory", "ExposeDMA"})
#: Transfers of the same inputs take about as long, where they are long enough to be measured.
_SAME_TRANSFER, _LEAST_TRANSFER_MS = 1.15, 0.05
_SECTIONS: tuple[tuple[str, ConditionKind], ...] = (
    ("build_options", "build option"),
    ("inference_options", "measurement option"),
    ("device", "device property"),
)
#: Options that affect no time: where files are and what is printed or named.
_HARMLESS_OPTIONS = (
    "Save engine",
    "Load engine",
    "Save weights",
    "timingCacheFile",
    "timingCacheMode",
    "Lean DLL Path",
    "Iterations",
    "NVTX verbosity",
    "Output",
    "Outputs",
    "Inputs",
    "Selected Device ID",
    "Selected Device UUID",
    "Debug Tensors",
    "Debug Tensor Save Destinations",
    "Time Deserialize",
    "Time Refit",
)


def conditions(engines: Sequence[Engine], analyses: Sequence[Analysis]) -> list[Condition]:
    """Return the conditions that are known of any engine, and those that block a comparison in any case.

    Those in which engines differ come first, then those not known for all; among equals the most severe.
    """
    found = []
    for field in FIELDS:
        values = [field.value(engine, analysis) for engine, analysis in zip(engines, analyses, strict=True)]
        if any(values) or field.severity == "blocking":
            found.append(_condition(field.name, "fact", values, field.severity))
    found += [each for each in _other_options(engines) if each.differs]
    found += _input_transfers(found, analyses)
    return sorted(found, key=_rank)


def blocking_conditions(found: Sequence[Condition], baseline: int, engine: int) -> list[str]:
    """Return the conditions that block the comparison of two engines, as they are known to differ."""
    pair = (baseline, engine)
    names = [
        each.name
        for each in found
        if each.severity == "blocking" and _is_known(each, pair) and not _is_equal(each, pair)
    ]
    if INPUT_TRANSFERS in names and (_are_transferred_otherwise(found, pair) or _is_of(found, SHAPES, pair)):
        names.remove(INPUT_TRANSFERS)
    return names


def _are_transferred_otherwise(found: Sequence[Condition], pair: tuple[int, int]) -> bool:
    """Return whether the same inputs of two engines may have been transferred in different times."""
    return any(
        each.name in _OF_TRANSFERS and _is_known(each, pair) and not _is_equal(each, pair) for each in found
    )


def _is_of(found: Sequence[Condition], name: str, pair: tuple[int, int]) -> bool:
    """Return whether a condition is known of two engines."""
    return any(each.name == name and _is_known(each, pair) for each in found)


def _is_known(condition: Condition, pair: tuple[int, int]) -> bool:
    return all(condition.values[engine] for engine in pair)


def _is_equal(condition: Condition, pair: tuple[int, int]) -> bool:
    """Return whether two values mean the same; images may have their channels first or last."""
    one, other = (condition.values[engine] for engine in pair)
    if condition.name == INPUT_TRANSFERS:
        short, long = sorted(float(value.split()[0].replace(",", "")) for value in (one, other))
        return long <= _SAME_TRANSFER * short
    if condition.name == SHAPES:
        one, other = (
            " ".join(sorted(" ".join(sorted(shape.split("×"))) for shape in value.split(", ")))
            for value in (one, other)
        )
    return one == other


def different_work(found: Sequence[Condition], baseline: int, engine: int) -> Reason | None:
    """Return why two engines differ in the amount of work, as files state or transfers of inputs show."""
    names = blocking_conditions(found, baseline, engine)
    values = {each.name: (each.values[baseline], each.values[engine]) for each in found if each.name in names}
    stated = {name: values[name] for name in _AMOUNT if name in values}
    if stated:
        return Reason("different-work", values=stated)
    if INPUT_TRANSFERS in values:
        return Reason("different-transfers", values={INPUT_TRANSFERS: values[INPUT_TRANSFERS]})
    return None


def different_streams(found: Sequence[Condition], baseline: int, engine: int) -> Reason | None:
    """Return with how many streams two engines ran where these differ: then so do the times of queries."""
    pair = (baseline, engine)
    streams = next((each for each in found if each.name == _STREAMS), None)
    if streams is None or not _is_known(streams, pair) or _is_equal(streams, pair):
        return None
    return Reason("different-streams", values={_STREAMS: (streams.values[baseline], streams.values[engine])})


def unknown_work(found: Sequence[Condition], analyses: Sequence[Analysis], pair: tuple[int, int]) -> bool:
    """Return whether nothing shows that two engines did the same work.

    Tensors of layers show it, and so do, for one network, the sizes of the inputs, or their transfers on one
    GPU. Without layers, model files of two names may be two networks.
    """
    if all(any(layer.outputs for layer in analyses[engine].layers) for engine in pair):
        return False
    has_layers = all(analyses[engine].layers for engine in pair)
    files = [each for each in found if each.name == MODEL_FILE and _is_known(each, pair)]
    if files and not has_layers and not _is_equal(files[0], pair):
        return True
    if any(_is_of(found, name, pair) for name in _AMOUNT):
        return False
    times = [_input_copy(analyses[engine]) for engine in pair]
    return min(times) < _LEAST_TRANSFER_MS or _are_transferred_otherwise(found, pair)


def _rank(condition: Condition) -> tuple[int, int]:
    kind = 0 if condition.differs else 1 if condition.unknown else 2
    return kind, CONDITION_SEVERITIES.index(condition.severity)


def _condition(name: str, kind: ConditionKind, values: list[str], severity: ConditionSeverity) -> Condition:
    known = {value.removesuffix(BY_DEFAULT) for value in values if value}
    return Condition(name, kind, values, len(known) > 1, not all(values), severity)


def _input_transfers(found: Sequence[Condition], analyses: Sequence[Analysis]) -> Iterator[Condition]:
    """Yield the times of the input transfers where they show inputs of other sizes, and no shapes do."""
    stated = [each for each in found if each.name in _AMOUNT and all(each.values)]
    if any(each.name == SHAPES or each.differs for each in stated):
        return
    times = list(map(_input_copy, analyses))
    known = [time for time in times if time]
    if len(known) > 1 and min(known) >= _LEAST_TRANSFER_MS and max(known) > _SAME_TRANSFER * min(known):
        values = [format_ms(time) if time else "" for time in times]
        yield _condition(INPUT_TRANSFERS, "fact", values, "blocking")


def _input_copy(analysis: Analysis) -> float:
    """Return how long the transfer of the inputs takes, in ms; 0 if not known."""
    copy = analysis.latency.h2d
    return copy_ms(copy.min_ms, copy.median_ms) if copy else 0.0


def _other_options(engines: Sequence[Engine]) -> Iterator[Condition]:
    """Find the other options of trtexec, by name."""
    for section, kind in _SECTIONS:
        options = [getattr(engine.setup, section) for engine in engines]
        for key in sorted({key for each in options for key in each}):
            if (section, key) not in KNOWN_OPTIONS and not key.startswith(BUILD_SHAPES):
                values = [each.get(key, "").strip() for each in options]
                is_harmless = key in _HARMLESS_OPTIONS
                yield _condition(key, kind, values, "harmless" if is_harmless else "explanatory")
