"""The figures of a whole engine that a budget can limit, and what is known of each."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from trexreport.analyzer.analysis import Analysis, LayerFacts, slowest_first
from trexreport.analyzer.analysis.budget import LimitReason, MetricReason, MetricReasonCode
from trexreport.analyzer.analysis.contradictions import FigureGroup
from trexreport.analyzer.analysis.failures import failures, lacks_layers
from trexreport.analyzer.budget.accuracy import errors
from trexreport.analyzer.budget.limits import Limited, MetricValue
from trexreport.analyzer.comparison.compare_engines import figures_of
from trexreport.analyzer.reformats import is_reformat
from trexreport.lazy_dataclass import dataclass
from trexreport.model import Engine
from trexreport.model.data_format import UNKNOWN
from trexreport.regex import regex

#: What is known of types, weights and tensors where the layer information has names only.
NAMES_ONLY = MetricValue(None, (MetricReason("names-only"),))
#: What is known of layers where no file lists them.
NO_LAYERS = MetricValue(None, (MetricReason("no-layers"),))

_MIB = 1 << 20
#: Layers that a figure names.
_MAX_NAMES = 5
_SIZE = regex(r"([0-9.]{1,20}) (MiB|bytes)", re.ASCII)
_UNITS = {"MiB": 1, "bytes": _MIB}

#: An engine with its analysis.
Checked = tuple[Engine, Analysis]


@dataclass(frozen=True, kw_only=True)
class Figure(Limited):
    """A figure of the whole engine, whose unit its name in the configuration ends with.

    Attributes:
        known: What is known of it in an engine, in the unit.
        section: The section of the report that it is from.
    """

    known: Callable[[Checked], MetricValue]
    section: str = ""


def _time(checked: Checked, name: str) -> MetricValue:
    """Return one of the times of a query, as the comparison of engines states it."""
    figures = figures_of(*checked)
    value: float | None = getattr(figures, name)
    if value is None:
        is_measured = getattr(figures, name.replace("_p99", "")) is not None
        return MetricValue(None, [MetricReason("no-percentile" if is_measured else "no-latency")])
    runs = len(checked[0].more_runs)
    return MetricValue(value, remarks=[MetricReason("mean-of-runs", runs + 1)] if runs else [])


def _throughput(checked: Checked) -> MetricValue:
    value = checked[1].latency.throughput_qps
    return MetricValue(value, [] if value is not None else [MetricReason("no-throughput")])


def _engine_size(checked: Checked) -> MetricValue:
    """Return the size of the engine's file, else what the log of its build says, else that of a run."""
    stated = checked[1].memory.stated
    for name, remarks in (
        ("Engine file size", []),
        ("Engine size", []),
        ("Loaded engine size", [MetricReason("size-from-run-log")]),
    ):
        size = _mib(stated.get(name, ""))
        # An engine that was not built in this run is stated to have 0 MiB.
        if size:
            return MetricValue(size, remarks=remarks)
    return MetricValue(None, [MetricReason("no-size")])


def _mib(text: str) -> float | None:
    found = _SIZE.fullmatch(text)
    try:
        return float(found.group(1)) / _UNITS[found.group(2)] if found else None
    except ValueError:
        return None


def _weights(checked: Checked) -> MetricValue:
    analysis = checked[1]
    if analysis.identity.names_only:
        return NAMES_ONLY
    memory = analysis.memory
    missing = [
        *_if_any("weights-of-unknown-size", memory.weights_unknown),
        *_if_any("weights-not-reported", memory.layers_without_weights),
    ]
    return MetricValue(memory.weights_bytes / _MIB, missing)


def _peak(checked: Checked) -> MetricValue:
    analysis = checked[1]
    if analysis.identity.names_only:
        return NAMES_ONLY
    memory = analysis.memory
    missing = _if_any("tensors-of-unknown-size", memory.activations_unknown)
    if not memory.activations_bytes and not memory.bindings_bytes:
        missing.append(MetricReason("no-tensors"))
    return MetricValue(memory.peak_live_bytes / _MIB, missing)


def _layers(checked: Checked) -> MetricValue:
    return MetricValue(sum(not layer.structural for layer in checked[1].layers))


def time_of(layers: Iterable[LayerFacts]) -> MetricValue:
    """Return the sum of layers' times in ms; of layers that were not measured, how many those are."""
    chosen = list(layers)
    times = [layer.avg_ms for layer in chosen if layer.avg_ms is not None]
    if not times and chosen:
        return MetricValue(None, [MetricReason("no-profile")])
    return MetricValue(math.fsum(times), _unmeasured(chosen))


def share_of(layers: Iterable[LayerFacts], missing: Sequence[LimitReason]) -> MetricValue:
    """Return the percentage of the sum of all layers' times that layers take.

    Args:
        layers: Those that are meant.
        missing: What `missing_times` returns for the engine: where the profile leaves any layer out, no share
            of the whole is known.
    """
    if missing:
        return MetricValue(None, missing)
    return MetricValue(math.fsum(layer.share_percent for layer in layers if layer.share_percent is not None))


def missing_times(analysis: Analysis) -> list[LimitReason]:
    """Return why times of an engine's layers are not known; nothing if all were measured."""
    if analysis.latency.layer_sum_ms is None:
        return [MetricReason("no-profile")]
    return _unmeasured(analysis.layers)


def reformats_among(layers: Iterable[LayerFacts], analysis: Analysis) -> MetricValue:
    """Return how many layers only change type or layout."""
    if analysis.identity.names_only:
        return NAMES_ONLY
    found = [layer for layer in layers if is_reformat(layer)]
    return MetricValue(len(found), layers=slowest_names(found))


def fp32_among(layers: Iterable[LayerFacts], analysis: Analysis) -> MetricValue:
    """Return how many layers read FP32 first, reformats left out, as they are not what computes."""
    if analysis.identity.names_only:
        return NAMES_ONLY
    computing = _computing(layers)
    found = [layer for layer in computing if layer.precision == "FP32"]
    unknown = sum(layer.precision in {"", UNKNOWN} for layer in computing)
    missing = _if_any("precisions-not-stated", unknown)
    return MetricValue(len(found), missing, layers=slowest_names(found))


def _computing(layers: Iterable[LayerFacts]) -> list[LayerFacts]:
    return [layer for layer in layers if not layer.structural and not is_reformat(layer)]


def _fp32_share(checked: Checked) -> MetricValue:
    analysis = checked[1]
    count = fp32_among(analysis.layers, analysis)
    found = [layer for layer in _computing(analysis.layers) if layer.precision == "FP32"]
    return _share_of_counted(count, found, analysis)


def _reformat_share(checked: Checked) -> MetricValue:
    analysis = checked[1]
    count = reformats_among(analysis.layers, analysis)
    return _share_of_counted(count, filter(is_reformat, analysis.layers), analysis)


def _share_of_counted(count: MetricValue, found: Iterable[LayerFacts], analysis: Analysis) -> MetricValue:
    """Return the share of time of layers that were counted; not known where their number is not."""
    if count.value is None:
        return count
    share = share_of(found, missing_times(analysis))
    return MetricValue(share.value, [*share.missing, *count.missing], layers=count.layers)


def slowest_names(layers: Iterable[LayerFacts]) -> list[str]:
    """Return the names of a few layers, those that take most time first."""
    return [layer.name for layer in slowest_first(layers)[:_MAX_NAMES]]


def _unmeasured(layers: Iterable[LayerFacts]) -> list[LimitReason]:
    number = sum(layer.avg_ms is None and not layer.structural for layer in layers)
    return _if_any("layers-not-measured", number)


def _if_any(code: MetricReasonCode, count: int) -> list[LimitReason]:
    return [MetricReason(code, count)] if count else []


def _failed_runs(checked: Checked) -> MetricValue:
    found = [each.message for each in failures(checked[1])]
    return MetricValue(len(found), remarks=[MetricReason("failed-runs", names=found)] if found else [])


def _of_layers(known: Callable[[Checked], MetricValue]) -> Callable[[Checked], MetricValue]:
    """Return what is known of a figure of the layers: nothing where no file lists these."""
    return lambda checked: NO_LAYERS if lacks_layers(checked[1]) else known(checked)


def _contradictions(checked: Checked) -> MetricValue:
    found = [each.message for each in checked[1].contradictions]
    return MetricValue(
        len(found), remarks=[MetricReason("contradictory-files", names=found)] if found else []
    )


_QUERIES: Sequence[FigureGroup] = ("query-times",)
_LAYERS: Sequence[FigureGroup] = ("layers",)
_LAYER_TIMES: Sequence[FigureGroup] = ("layers", "layer-times")


def _of_times(name: str) -> Figure:
    return Figure("ms", section="timing", rests_on=_QUERIES, known=lambda checked: _time(checked, name))


#: By name in the configuration, in the order of the outcomes.
FIGURES: Mapping[str, Figure] = {
    "failed-runs": Figure(known=_failed_runs),
    "contradictions": Figure(known=_contradictions),
    "latency-ms": _of_times("latency_ms"),
    "latency-p99-ms": _of_times("latency_p99_ms"),
    "compute-ms": _of_times("compute_ms"),
    "compute-p99-ms": _of_times("compute_p99_ms"),
    "throughput-qps": Figure("queries/s", "min", section="timing", rests_on=_QUERIES, known=_throughput),
    "layer-sum-ms": Figure(
        "ms",
        section="latency",
        rests_on=_LAYER_TIMES,
        known=_of_layers(lambda checked: time_of(checked[1].layers)),
    ),
    "engine-size-mib": Figure("MiB", section="build", rests_on=("engine-size",), known=_engine_size),
    "weights-mib": Figure("MiB", section="memory", rests_on=_LAYERS, known=_of_layers(_weights)),
    "peak-activations-mib": Figure("MiB", section="memory", rests_on=_LAYERS, known=_of_layers(_peak)),
    "layers": Figure(section="layers", rests_on=_LAYERS, known=_of_layers(_layers)),
    "reformats": Figure(
        section="precision",
        rests_on=_LAYERS,
        known=_of_layers(lambda checked: reformats_among(checked[1].layers, checked[1])),
    ),
    "reformat-share-percent": Figure(
        "%", most=100, section="latency", rests_on=_LAYER_TIMES, known=_of_layers(_reformat_share)
    ),
    "fp32-layers": Figure(
        section="precision",
        rests_on=_LAYERS,
        known=_of_layers(lambda checked: fp32_among(checked[1].layers, checked[1])),
    ),
    "fp32-share-percent": Figure(
        "%", most=100, section="latency", rests_on=_LAYER_TIMES, known=_of_layers(_fp32_share)
    ),
    "output-error-percent": Figure(
        "%", section="accuracy", known=lambda checked: errors(checked[1], of_outputs=True)
    ),
    "error-increase-percent": Figure(
        "%", section="accuracy", known=lambda checked: errors(checked[1], of_outputs=False)
    ),
}
#: Figures that are limited to 0 unless a budget says otherwise: a run that failed has no engine to check, and
#: what is contradicted is not known.
ZERO_BY_DEFAULT = ("failed-runs", "contradictions")
