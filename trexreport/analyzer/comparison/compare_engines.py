"""State the figures of each engine, and hold its time and its findings against the baseline's."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

from trexreport.analyzer.analysis import SEVERITIES, Analysis, Finding, Percentiles
from trexreport.analyzer.analysis.comparison import Figures, FindingChange
from trexreport.analyzer.analysis.verdict import Verdict, VerdictSettings
from trexreport.analyzer.comparison.significance import compare_averages, compare_times
from trexreport.analyzer.reformats import is_reformat
from trexreport.model import Engine

SAME_FILES = "Both are read from the same files."
LAYERS_ONLY = "The times are sums over layers, as the time of a whole query is not known of both."


def figures_of(analysis: Analysis) -> Figures:
    """Return what an engine costs as a whole."""
    latency, memory, batch = analysis.latency, analysis.memory, analysis.identity.batch
    whole, compute = latency.end_to_end, latency.gpu_compute
    reformats = [layer for layer in analysis.layers if is_reformat(layer)]
    times = [layer.time_ms for layer in reformats if layer.time_ms is not None]
    known_weights = memory.weights_bytes or not memory.weights_unknown
    known_activations = memory.activations > memory.activations_unknown or memory.peak_live_bytes
    return Figures(
        latency_ms=whole.median_ms if whole else None,
        latency_p99_ms=whole.p99_ms if whole else None,
        latency_per_item_ms=whole.median_ms / batch if whole and batch else None,
        compute_ms=compute.median_ms if compute else None,
        compute_p99_ms=compute.p99_ms if compute else None,
        throughput_qps=latency.throughput_qps,
        layer_sum_ms=latency.layer_sum_ms,
        layers=sum(not layer.structural for layer in analysis.layers),
        reformats=len(reformats),
        reformat_ms=math.fsum(times) if times or latency.layer_sum_ms is not None else None,
        weights_bytes=memory.weights_bytes if known_weights and not analysis.identity.names_only else None,
        weights_unknown=memory.weights_unknown,
        peak_live_bytes=memory.peak_live_bytes if known_activations else None,
        activations_unknown=memory.activations_unknown,
    )


def verdict_of(
    engines: tuple[Engine, Engine], analyses: tuple[Analysis, Analysis], settings: VerdictSettings
) -> tuple[Verdict, str]:
    """Return what the times say of the second engine against the first, and which times those are.

    The GPU's compute time is taken where it is known of both, else the latency, else the sum of the layers;
    and of the first two single iterations where both have them.
    """
    verdict, basis = _judge(engines, analyses, settings)
    hashes = [sorted(source.sha256 for source in engine.sources) for engine in engines]
    same = engines[0] is engines[1] or (hashes[0] == hashes[1] and hashes[0])
    if same and verdict.verdict != "same":
        verdict = dataclasses.replace(verdict, verdict="same", reasons=[SAME_FILES, *verdict.reasons])
    return verdict, basis


def withhold(verdict: Verdict, reason: str) -> Verdict:
    """Return a verdict that says "can't tell" for a reason that the times themselves do not know."""
    return dataclasses.replace(verdict, verdict="cant-tell", reasons=[reason, *verdict.reasons])


def _judge(
    engines: tuple[Engine, Engine], analyses: tuple[Analysis, Analysis], settings: VerdictSettings
) -> tuple[Verdict, str]:
    one, other = (analysis.latency for analysis in analyses)
    choices = (
        ("GPU compute time", "compute_ms", (one.gpu_compute, other.gpu_compute)),
        ("latency", "latency_ms", (one.end_to_end, other.end_to_end)),
    )
    for basis, column, _ in choices:
        times = [_iterations(engine, column) for engine in engines]
        if all(times):
            return compare_times([times[0]], [times[1]], settings), basis
    for basis, _, whole in choices:
        if all(whole):
            return compare_averages(_median(whole[0]), _median(whole[1]), settings), basis
    verdict = compare_averages(one.layer_sum_ms, other.layer_sum_ms, settings)
    if verdict.basis == "nothing":
        return verdict, ""
    return dataclasses.replace(verdict, reasons=[*verdict.reasons, LAYERS_ONLY]), "sum of the layers"


def _iterations(engine: Engine, column: str) -> Sequence[float]:
    times: tuple[float, ...] = getattr(engine.queries, column, ())
    # Zeros stand for what the file does not say.
    return times if any(times) else ()


def _median(whole: Percentiles | None) -> float | None:
    return whole.median_ms if whole else None


def finding_changes(
    baseline: Analysis, candidate: Analysis
) -> tuple[list[FindingChange], list[FindingChange]]:
    """Return the rules that find something only in the candidate, and those that do only in the baseline."""
    return _only_in(candidate, baseline), _only_in(baseline, candidate)


def _only_in(one: Analysis, other: Analysis) -> list[FindingChange]:
    found: dict[str, list[Finding]] = {}
    for finding in one.lint.findings:
        found.setdefault(finding.code, []).append(finding)
    # What the configuration keeps quiet has not gone.
    elsewhere = {finding.code for finding in other.lint.findings}
    elsewhere |= {place.code for place in other.lint.suppressed}
    unchecked = {rule.code for rule in other.lint.unchecked}
    return [
        _change(findings, checked=code not in unchecked)
        for code, findings in found.items()
        if code not in elsewhere
    ]


def _change(findings: Sequence[Finding], *, checked: bool) -> FindingChange:
    gravest = min(findings, key=lambda finding: SEVERITIES.index(finding.severity))
    places = sum(len(finding.places) for finding in findings)
    return FindingChange(
        gravest.code, gravest.name, gravest.severity, gravest.title, gravest.message, places, checked
    )
