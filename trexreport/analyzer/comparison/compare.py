"""Compare engines: whether one is faster, what stands in the way of saying so, and where the time went."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from trexreport.analyzer import analyze
from trexreport.analyzer.analysis import Analysis
from trexreport.analyzer.analysis.alignment import Alignment
from trexreport.analyzer.analysis.comparison import ComparedEngine, Comparison, Condition
from trexreport.analyzer.analysis.verdict import VerdictSettings
from trexreport.analyzer.blocks.module_paths import mentioned_paths
from trexreport.analyzer.comparison.align import align
from trexreport.analyzer.comparison.compare_blocks import row_blocks, row_paths
from trexreport.analyzer.comparison.compare_causes import parts_of_rows
from trexreport.analyzer.comparison.compare_conditions import conditions, obstacles, other_amount
from trexreport.analyzer.comparison.compare_engines import figures_of, finding_changes, verdict_of, withhold
from trexreport.analyzer.comparison.compare_models import unlike_work
from trexreport.analyzer.comparison.compare_operators import by_module, by_operator
from trexreport.analyzer.comparison.compare_others import compare_others
from trexreport.analyzer.comparison.compare_rows import compare_rows, in_order
from trexreport.analyzer.comparison.compare_waterfalls import waterfalls
from trexreport.analyzer.comparison.names import KnownParts
from trexreport.analyzer.comparison.significance import check_settings
from trexreport.errors import UsageError
from trexreport.garbage import collection_paused
from trexreport.model import Engine, ExternalLatency

NO_LAYER_TIMES = "The layers of {names} were not measured, so there is nothing to divide."


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
    """Return everything that is to be said of several engines side by side; the same input gives the same.

    Args:
        engines: At least one.
        baseline: Index of the engine that the others are held against.
        settings: What has to hold for a verdict.
        names: Titles, one for each engine; the engines' own if not given. Equal ones are numbered.
        analyses: Of the engines, where they are made already.
        others: What is no TensorRT engine, and of which only the latency is known.

    Raises:
        UsageError: There is no engine, no such baseline, not one name or analysis for each engine, no time of
            one of the others, or the settings make no sense.
    """
    settings = settings or VerdictSettings()
    _check(engines, baseline, names, analyses)
    check_settings(settings)
    analyses = analyses or [analyze(engine, with_blocks=False) for engine in engines]
    known = KnownParts()
    alignment = align(analyses, baseline, known)
    mentioned = [[mentioned_paths(layer) for layer in analysis.layers] for analysis in analyses]
    paths = row_paths(alignment, analyses, mentioned)
    titles = _unique([*(names or [engine.name for engine in engines]), *(other.name for other in others)])
    titles, titles_of_others = titles[: len(engines)], titles[len(engines) :]
    blocks, blocks_by = row_blocks(alignment, analyses, paths, titles)
    parts = parts_of_rows(alignment, analyses)
    rows = compare_rows(alignment, parts, analyses, paths, settings=settings)
    order = in_order(rows)
    position = {before: after for after, before in enumerate(order)}
    sides = _Sides(engines, analyses, alignment, conditions(engines, analyses), settings)
    compared = [_describe(*each) for each in zip(titles, engines, analyses, strict=True)]
    for index, candidate in enumerate(compared):
        if index != baseline:
            sides.judge(candidate, index)
            candidate.no_waterfalls = _unmeasured(compared[baseline], candidate)
            if not candidate.no_waterfalls:
                candidate.waterfalls = waterfalls(alignment, parts, index, blocks)
    return Comparison(
        baseline=baseline,
        settings=settings,
        engines=compared,
        comparability=sides.comparability,
        rows=[rows[at] for at in order],
        row_of=[[position[row] for row in of_layers] for of_layers in alignment.row_of],
        blocks_by=blocks_by,
        by_operator=by_operator(alignment, analyses, known),
        by_module=by_module(alignment, analyses, mentioned, paths),
        others=compare_others(
            [replace(other, name=title) for other, title in zip(others, titles_of_others, strict=True)],
            engines,
            analyses,
            [each.figures for each in compared],
            settings,
        ),
    )


@dataclass(frozen=True)
class _Sides:
    """What engines are judged by."""

    engines: Sequence[Engine]
    analyses: Sequence[Analysis]
    alignment: Alignment
    comparability: list[Condition]
    settings: VerdictSettings

    def judge(self, candidate: ComparedEngine, index: int) -> None:
        """Fill in what an engine as a whole is against the baseline, and what stands in the way of it."""
        baseline = self.alignment.baseline
        pair = (self.analyses[baseline], self.analyses[index])
        candidate.verdict, candidate.verdict_of = verdict_of(
            (self.engines[baseline], self.engines[index]), pair, self.settings
        )
        candidate.obstacles = obstacles(self.comparability, baseline, index)
        unlike = self._unlike_work(index)
        if unlike:
            candidate.obstacles.insert(0, "model")
        reason = unlike or other_amount(self.comparability, baseline, index)
        if reason:
            candidate.verdict = withhold(candidate.verdict, reason)
        candidate.appeared, candidate.vanished = finding_changes(*pair)

    def _unlike_work(self, index: int) -> str:
        if len(self.engines) == 2:
            return unlike_work(self.alignment, self.analyses, index)
        # What other engines there are must not decide on these two.
        pair = (self.analyses[self.alignment.baseline], self.analyses[index])
        return unlike_work(align(pair), pair, 1)


def _unmeasured(*engines: ComparedEngine) -> str:
    """Say whose layers were not measured, nothing if all were."""
    names = [each.name for each in engines if each.figures.layer_sum_ms is None]
    return NO_LAYER_TIMES.format(names=" and ".join(names)) if names else ""


def _check(
    engines: Sequence[Engine],
    baseline: int,
    names: Sequence[str] | None,
    analyses: Sequence[Analysis] | None,
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
        figures=figures_of(engine, analysis),
        by_type=analysis.by_type,
        by_precision=analysis.by_precision,
        latency=analysis.latency,
        stability=analysis.stability,
        notes=[note for note in analysis.notes if note.severity != "info"],
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
