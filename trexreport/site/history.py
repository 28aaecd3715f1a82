"""Put engines of one model on one GPU in order, and say which run made them slower or faster."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence

from trexreport.analyzer.analysis.verdict import VerdictSettings
from trexreport.analyzer.comparison.significance import compare_averages, compare_times
from trexreport.analyzer.comparison.verdict_sides import geometric_mean
from trexreport.lazy_dataclass import dataclass
from trexreport.site.entries import Entry, with_digits
from trexreport.site.folders import hash_of
from trexreport.site.steps import Mark, find_steps
from trexreport.site.summary import EngineSummary

#: What is followed, the first that every run has: as a comparison of engines chooses.
_BASES = (
    ("compute_ms", "GPU compute time"),
    ("latency_ms", "latency"),
    ("layer_sum_ms", "total layer time"),
)
#: The times of an engine's runs in a column such as "compute_ms", in milliseconds.
TimesOf = Callable[[Entry, str], Sequence[Sequence[float]]]


@dataclass(frozen=True)
class ChangedCondition:
    """A condition in which a run differs from the one before it; an empty text is not known."""

    name: str
    before: str
    after: str


@dataclass(frozen=True)
class HistoryRun:
    """An engine in its history.

    Attributes:
        time_ms: Median, of the variant's basis.
        change: Its time over the level's, minus one; None of the first and of what was not measured.
        before: The run before a step, whose conditions are compared; None elsewhere.
        changed: What else is not as it was before a step.
    """

    entry: Entry
    time_ms: float | None
    mark: Mark
    change: float | None = None
    before: Entry | None = None
    changed: tuple[ChangedCondition, ...] = ()


@dataclass(frozen=True)
class Variant:
    """Runs that can be compared: of one precision and with inputs of one shape.

    Attributes:
        basis: Which time is followed, in words; empty if no run has any.
        by_date: Every run has a date, which is their order; else their places are.
    """

    precision: str
    shapes: str
    basis: str
    by_date: bool
    runs: tuple[HistoryRun, ...]

    @property
    def has_versions(self) -> bool:
        """Whether TensorRT's version is known of any run."""
        return any(run.entry.summary.tensorrt for run in self.runs)


@dataclass(frozen=True)
class History:
    """All engines of a model on a GPU; empty texts where no file says them."""

    address: str
    model: str
    gpu: str
    variants: tuple[Variant, ...]

    @property
    def runs(self) -> list[HistoryRun]:
        """The runs of all variants."""
        return [run for variant in self.variants for run in variant.runs]


@dataclass(frozen=True)
class Step:
    """A run that is slower or faster than the runs before it."""

    history: History
    variant: Variant
    run: HistoryRun


class RunComparator:
    """Says whether a run differs from a level, and remembers it for the next time the site is made.

    Attributes:
        verdicts: By hash of what was compared.
    """

    def __init__(self, times_of: TimesOf, settings: VerdictSettings, known: dict[str, str]) -> None:
        self._times_of, self._settings, self._known = times_of, settings, known
        self.verdicts: dict[str, str] = {}

    def judge(self, level: Sequence[Entry], run: Entry, column: str) -> str:
        """Return "faster", "slower" or "" for a run against a level."""
        medians = [_time(each.summary, column) for each in (*level, run)]
        known = [each for each in medians if each is not None]
        log = math.log(known[-1]) - math.log(geometric_mean(known[:-1]))
        if abs(log) < math.log1p(self._settings.minimum_effect_percent / 100):
            return ""
        key = hash_of(repr(self._settings), column, *(each.fingerprint for each in (*level, run)))
        if key not in self.verdicts:
            self.verdicts[key] = self._known.get(key) or self._verdict(level, run, column)
        verdict = self.verdicts[key]
        return verdict if verdict in ("faster", "slower") else ""

    def _verdict(self, level: Sequence[Entry], run: Entry, column: str) -> str:
        if column != "layer_sum_ms" and all(each.summary.queries for each in (*level, run)):
            times = [self._times_of(each, column) for each in (*level, run)]
            if all(times):
                before = [of_run for each in times[:-1] for of_run in each]
                return compare_times(before, times[-1], self._settings, (len(level), 1)).verdict
        medians = [time for each in level if (time := _time(each.summary, column)) is not None]
        return compare_averages(geometric_mean(medians), _time(run.summary, column), self._settings).verdict


def _time(summary: EngineSummary, column: str) -> float | None:
    value: float | None = None if summary.contradictions else getattr(summary, column)
    return value if value is not None and value > 0 else None


def histories_of(entries: Iterable[Entry], comparator: RunComparator) -> list[History]:
    """Return the histories in the order of models and GPUs."""
    by_model: dict[tuple[str, str], dict[tuple[str, str], list[Entry]]] = {}
    for entry in entries:
        summary = entry.summary
        model = by_model.setdefault((summary.model or summary.name, summary.gpu), {})
        model.setdefault((summary.precision, summary.shapes), []).append(entry)
    found = []
    for (model_name, gpu), variants in sorted(by_model.items()):
        address = with_digits(f"{model_name} {gpu}", f"{model_name}\n{gpu}")
        made = tuple(_variant(key, members, comparator) for key, members in sorted(variants.items()))
        found.append(History(address, model_name, gpu, made))
    return found


def _variant(key: tuple[str, str], members: list[Entry], comparator: RunComparator) -> Variant:
    by_date = all(each.summary.date for each in members)
    order = sorted(members, key=date_order if by_date else lambda each: natural(each.place))
    column, basis = _basis(order)
    times = [_time(each.summary, column) for each in order]

    def judge(level: Sequence[int], run: int) -> str:
        return comparator.judge([order[at] for at in level], order[run], column)

    marks = find_steps([time is not None for time in times], judge)
    runs = tuple(_run(at, order, times, mark) for at, mark in enumerate(marks))
    return Variant(*key, basis if any(times) else "", by_date, runs)


def _basis(entries: Sequence[Entry]) -> tuple[str, str]:
    """Return the column that is followed and its name: the first that all have, else that most have."""
    counts = [sum(_time(each.summary, column) is not None for each in entries) for column, _ in _BASES]
    return _BASES[counts.index(max(counts))]


def _run(at: int, order: Sequence[Entry], times: Sequence[float | None], mark: Mark) -> HistoryRun:
    entry, time_ms = order[at], times[at]
    level = [time for each in mark.level if (time := times[each]) is not None]
    if time_ms is None or not level:
        return HistoryRun(entry, time_ms, mark)
    change = time_ms / geometric_mean(level) - 1
    if mark.kind not in ("step", "open"):
        return HistoryRun(entry, time_ms, mark, change)
    before = order[max(each for each in range(at) if times[each] is not None)]
    return HistoryRun(entry, time_ms, mark, change, before, _changes(before.summary, entry.summary))


def _changes(before: EngineSummary, after: EngineSummary) -> tuple[ChangedCondition, ...]:
    """Return the conditions that are known of both and differ, and the number of layers."""
    earlier, later = _conditions(before), _conditions(after)
    return tuple(
        ChangedCondition(name, earlier[name], value)
        for name, value in later.items()
        if value and earlier.get(name) and earlier[name] != value
    )


def _conditions(summary: EngineSummary) -> dict[str, str]:
    counts = {"layers": summary.layers, "reformats": summary.reformats}
    return {**summary.conditions, **{name: str(count) for name, count in counts.items() if count is not None}}


def steps_of(histories: Sequence[History]) -> list[Step]:
    """Return all steps, the latest first; those without a date last."""
    found = [
        Step(history, variant, run)
        for history in histories
        for variant in history.variants
        for run in variant.runs
        if run.mark.kind in ("step", "open")
    ]
    return sorted(found, key=lambda step: date_order(step.run.entry), reverse=True)


def date_order(entry: Entry) -> tuple[str, list[tuple[int, str]]]:
    """Sort by date; a time in UTC and one of a machine's own clock go by what they say."""
    return entry.summary.date, natural(entry.place)


def natural(text: str) -> list[tuple[int, str]]:
    """Return what texts are sorted by so that numbers in them count as numbers."""
    parts = re.split(r"([0-9]{1,30})", text)
    # Each second part is a number.
    return [(int(part), part) if at % 2 else (0, part) for at, part in enumerate(parts)]
