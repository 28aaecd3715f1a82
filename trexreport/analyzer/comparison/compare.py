"""Compare engines: whether one is faster, which conditions differ, and where the difference is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

from trexreport.analyzer import analyze
from trexreport.analyzer.analysis import Analysis
from trexreport.analyzer.analysis.alignment import Alignment
from trexreport.analyzer.analysis.compared_rows import ComparedRow
from trexreport.analyzer.analysis.comparison import ComparedEngine, Comparison, Condition
from trexreport.analyzer.analysis.contradictions import contradicted
from trexreport.analyzer.analysis.speedup import ExpectedSpeedup
from trexreport.analyzer.analysis.verdict import Reason, VerdictSettings
from trexreport.analyzer.analysis.waterfall import Waterfall
from trexreport.analyzer.comparison import compare_engines
from trexreport.analyzer.comparison.align import align
from trexreport.analyzer.comparison.compare_accuracy import compare_accuracy, describe_compared
from trexreport.analyzer.comparison.compare_blocks import mentioned_modules, row_blocks, row_paths
from trexreport.analyzer.comparison.compare_causes import parts_of_rows
from trexreport.analyzer.comparison.compare_conditions import (
    MODEL,
    blocking_conditions,
    conditions,
    different_streams,
    different_work,
    unknown_work,
)
from trexreport.analyzer.comparison.compare_execution import compare_execution
from trexreport.analyzer.comparison.compare_findings import alike_layers, finding_changes
from trexreport.analyzer.comparison.compare_models import unlike_work
from trexreport.analyzer.comparison.compare_operators import by_module, by_operator, by_source, model_steps
from trexreport.analyzer.comparison.compare_others import compare_other
from trexreport.analyzer.comparison.compare_rows import compare_rows, in_order, waterfalls
from trexreport.analyzer.comparison.compare_scaling import find_scaling, with_queries
from trexreport.analyzer.comparison.names import KnownParts
from trexreport.analyzer.comparison.significance import check_settings
from trexreport.analyzer.speedup import Side, explain_speedup
from trexreport.errors import UsageError
from trexreport.garbage import collection_paused
from trexreport.lazy_dataclass import dataclass
from trexreport.model import Engine, ExternalLatency

#: Metrics that are times of queries.
_OF_QUERIES = frozenset({"GPU compute time", "latency"})


@collection_paused()
def compare(
    engines: Sequence[Engine],
    *,
    baseline: int = 0,
    settings: VerdictSettings | None = None,
    names: Sequence[str] | None = None,
    analyses: Sequence[Analysis] | None = None,
    others: Sequence[ExternalLatency] = (),
) -> Comparison:
    """Return the comparison of several engines with one of them; the same input gives the same result.

    Args:
        engines: At least one.
        baseline: Index of the engine that the others are compared with.
        settings: The thresholds of the verdicts.
        names: Names, one for each engine; the engines' own if not given. Equal ones are numbered.
        analyses: Of the engines, where they are made already.
        others: Latencies of what is not a TensorRT engine.

    Raises:
        UsageError: There is no engine, no such baseline, not one name or analysis for each engine, no time of
            one of the others, or the settings are not valid.
    """
    settings = settings or VerdictSettings()
    _check(engines, baseline, names, analyses)
    check_settings(settings)
    analyses = analyses or [analyze(each, with_blocks=False, with_advice=False) for each in engines]
    known = KnownParts()
    alignment = align(analyses, baseline, known)
    mentioned = mentioned_modules(analyses, known)
    paths = row_paths(alignment, analyses, mentioned)
    titles = _unique([*(names or [engine.name for engine in engines]), *(other.name for other in others)])
    titles, titles_of_others = titles[: len(engines)], titles[len(engines) :]
    blocks, block_basis, block_engine = row_blocks(alignment, analyses, paths)
    parts = parts_of_rows(alignment, analyses)
    rows = compare_rows(alignment, parts, analyses, paths, blocks, settings=settings)
    order = in_order(rows)
    position = {before: after for after, before in enumerate(order)}
    engine_conditions = conditions(engines, analyses)
    described = [_describe(*each) for each in zip(titles, engines, analyses, strict=True)]
    figures = [each.figures for each in described]
    judge = _Judge(engines, analyses, alignment, rows, engine_conditions, settings)
    unlisted_ms = [engine.unlisted_ms for engine in engines]
    steps_of = model_steps(analyses)
    described = [replace(each, model_steps=steps) for each, steps in zip(described, steps_of, strict=True)]

    def waterfalls_of(index: int) -> list[Waterfall]:
        return waterfalls(alignment, parts, blocks, unlisted_ms, steps_of, engine=index)

    compared = [judge.compared(described, index, waterfalls_of) for index in range(len(engines))]
    return Comparison(
        baseline=baseline,
        settings=settings,
        engines=compared,
        conditions=engine_conditions,
        rows=[rows[at] for at in order],
        row_of=[[position[row] for row in of_layers] for of_layers in alignment.row_of],
        block_basis=block_basis,
        block_engine="" if block_engine is None else titles[block_engine],
        by_operator=by_operator(alignment, analyses, known),
        by_module=by_module(alignment, analyses, mentioned, paths),
        by_source=by_source(alignment, analyses),
        external_latencies=[
            compare_other(replace(other, name=title), engines, analyses, figures, settings)
            for other, title in zip(others, titles_of_others, strict=True)
        ],
        speedup_steps=judge.speedup_steps(compared),
    )


@dataclass(frozen=True)
class _Judge:
    """What engines are judged by."""

    engines: Sequence[Engine]
    analyses: Sequence[Analysis]
    alignment: Alignment
    rows: Sequence[ComparedRow]
    conditions: list[Condition]
    settings: VerdictSettings

    def compared(
        self, described: Sequence[ComparedEngine], index: int, waterfalls_of: Callable[[int], list[Waterfall]]
    ) -> ComparedEngine:
        """Return an engine with how it differs from the baseline."""
        baseline = self.alignment.baseline
        if index == baseline:
            return described[index]
        sides = (described[baseline], described[index])
        unmeasured = [each.name for each in sides if each.figures.layer_sum_ms is None]
        pair = (self.analyses[baseline], self.analyses[index])
        of_pair = (self.engines[baseline], self.engines[index])
        verdict, metric = compare_engines.verdict_of(of_pair, pair, self.settings)
        blocking = blocking_conditions(self.conditions, baseline, index)
        different_model = self._different_model(index)
        unlike = different_model or different_work(self.conditions, baseline, index)
        # Layers are profiled one query at a time.
        shared = different_streams(self.conditions, baseline, index) if metric in _OF_QUERIES else None
        contradictions = compare_engines.contradictions_of(pair)
        reasons = [*contradictions, *filter(None, (unlike, shared))]
        is_open = unknown_work(self.conditions, self.analyses, (baseline, index))
        if reasons:
            verdict = compare_engines.withhold(verdict, *reasons)
        elif verdict.basis != "none" and is_open:
            verdict = compare_engines.qualified(verdict, Reason("unknown-work"))
        scaling = (
            None
            if is_open or different_model or contradictions
            else with_queries(find_scaling(self.rows, self.analyses, baseline, index), verdict, pair)
        )
        new, resolved = finding_changes(*pair, alike_layers(self.alignment, self.analyses, index))
        return replace(
            described[index],
            verdict=verdict,
            verdict_metric=metric,
            blocking_conditions=[MODEL, *blocking] if different_model else blocking,
            new_findings=new,
            resolved_findings=resolved,
            outside_layers_ms=compare_engines.outside_of_layers(of_pair, pair, verdict)
            if metric in _OF_QUERIES and not reasons and (scaling is None or scaling.in_queries)
            else None,
            scaling=scaling,
            unmeasured=unmeasured,
            waterfalls=[] if unmeasured else waterfalls_of(index),
            speedup=None if unlike else self._speedup(described, baseline, index),
            accuracy=described[index].accuracy
            if unlike
            else compare_accuracy(self.alignment.rows, self.analyses, baseline, index),
            execution=compare_execution(pair[0].execution, pair[1].execution),
        )

    def speedup_steps(self, compared: Sequence[ComparedEngine]) -> list[ExpectedSpeedup]:
        """Return the speedups between engines that follow one another and are not the baseline."""
        found = []
        for one, other in pairwise(range(len(compared))):
            blocking = (*compared[one].blocking_conditions, *compared[other].blocking_conditions)
            if self.alignment.baseline in {one, other} or MODEL in blocking:
                continue
            if different_work(self.conditions, one, other) is None:
                found.append(self._speedup(compared, one, other))
        return [each for each in found if each is not None]

    def _speedup(self, described: Sequence[ComparedEngine], *pair: int) -> ExpectedSpeedup | None:
        if any(contradicted(self.analyses[at].contradictions, ["layer-times"]) for at in pair):
            return None
        one, other = (
            Side(
                described[at].name, at, self.analyses[at], described[at].figures, self.engines[at].unlisted_ms
            )
            for at in pair
        )
        return explain_speedup(self.alignment.rows, (one, other))

    def _different_model(self, index: int) -> Reason | None:
        if len(self.engines) == 2:
            return unlike_work(self.alignment, self.analyses, index)
        # Other engines must not affect the result for these two.
        pair = (self.analyses[self.alignment.baseline], self.analyses[index])
        return unlike_work(align(pair), pair, 1)


def _check(
    engines: Sequence[Engine], baseline: int, names: Sequence[str] | None, analyses: Sequence[Analysis] | None
) -> None:
    if not engines:
        raise UsageError("There is no engine to compare.", "Give at least two.")
    if not 0 <= baseline < len(engines):
        raise UsageError(
            f"There is no engine {baseline} to be the baseline.", f"Choose from 0 to {len(engines) - 1}."
        )
    for title, given in (("names", names), ("analyses", analyses)):
        if given is not None and len(given) != len(engines):
            raise UsageError(
                f"There are {len(given)} {title} for {len(engines)} engines.", "Give one for each engine."
            )


def _describe(title: str, engine: Engine, analysis: Analysis) -> ComparedEngine:
    return ComparedEngine(
        name=title,
        identity=analysis.identity,
        figures=compare_engines.figures_of(engine, analysis),
        by_type=analysis.by_type,
        by_precision=analysis.by_precision,
        latency=analysis.latency,
        stability=analysis.stability,
        notes=[note for note in analysis.notes if note.severity != "info"],
        contradictions=analysis.contradictions,
        accuracy=describe_compared(analysis),
    )


def _unique(names: Sequence[str]) -> list[str]:
    """Number the later ones of equal names."""
    taken: dict[str, None] = {}
    for name in names:
        number, title = 1, name
        while title in taken:
            number += 1
            title = f"{name} ({number})"
        taken[title] = None
    return list(taken)
