"""Put the times of phases beside one another, and add them up by stated counts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from trexreport.analyzer.analysis import Analysis
from trexreport.analyzer.analysis.contradictions import contradicted
from trexreport.analyzer.analysis.phases import PhaseFacts, PhaseMeasure, PhasesFacts
from trexreport.analyzer.analysis.timing import Percentiles
from trexreport.model import PROFILE_SUMS

_MEASURES: tuple[PhaseMeasure, ...] = ("gpu_compute", "latency", "layers")


def common_measure(analyses: Sequence[Analysis]) -> PhaseMeasure | None:
    """Return the first figure that is known of all engines, or None."""
    return next((each for each in _MEASURES if None not in [phase_time(of, each) for of in analyses]), None)


def compare_phases(
    names: Sequence[str],
    analyses: Sequence[Analysis],
    times: Mapping[str, int],
    others: Sequence[Analysis] = (),
) -> PhasesFacts:
    """Return what the phases take, one run and all runs of a request.

    All are measured alike: by the first figure that is known of every phase. Times are added only where the
    count of every phase is stated: a phase that runs an unknown number of times may take most of a request.

    Args:
        names: Of the phases.
        analyses: One for each.
        times: Phase to how often it runs for a request, as far as that is stated.
        others: What else must be measured alike, as it is compared with these.
    """
    measure = common_measure([*analyses, *others])
    runs = [None if measure is None else phase_time(each, measure) for each in analyses]
    counts = [times.get(name) for name in names]
    totals = [
        None if run is None or count is None else run * count for run, count in zip(runs, counts, strict=True)
    ]
    known = [each for each in totals if each is not None]
    total = math.fsum(known) if known and len(known) == len(totals) else None
    gpus = list(dict.fromkeys(each.identity.gpu for each in analyses if each.identity.gpu))
    return PhasesFacts(
        [
            PhaseFacts(name, count, run, whole, 100 * whole / total if whole is not None and total else None)
            for name, count, run, whole in zip(names, counts, runs, totals, strict=True)
        ],
        measure,
        total,
        gpus if len(gpus) > 1 else (),
    )


def phase_time(analysis: Analysis, measure: PhaseMeasure) -> float | None:
    """Return the time of one run in milliseconds.

    It is None if it was not measured, if files contradict each other in it, or if it is one of several runs.
    """
    latency = analysis.latency
    if contradicted(analysis.contradictions, ["layer-times" if measure == "layers" else "query-times"]):
        return None
    if measure == "layers":
        is_of_several_runs = any(note.slug == PROFILE_SUMS for note in analysis.notes)
        return None if is_of_several_runs else latency.layer_sum_ms
    figure: Percentiles | None = latency.gpu_compute if measure == "gpu_compute" else latency.end_to_end
    return figure.median_ms if figure else None
