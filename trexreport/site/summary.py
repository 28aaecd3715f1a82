"""What the index, the history and the comparison on a page know of an engine: a few figures, no layers."""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field, fields
from typing import Any

from trexreport.analyzer.analysis import Analysis, Group
from trexreport.analyzer.analysis.findings import with_consequences
from trexreport.analyzer.budget.figures import FIGURES
from trexreport.analyzer.comparison.compare_engines import figures_of
from trexreport.analyzer.comparison.compare_fields import FIELDS
from trexreport.lazy_dataclass import dataclass
from trexreport.model import Engine
from trexreport.regex import regex
from trexreport.wording.identity import gpu_name, input_shapes

_MAX_GROUPS = 24
_MAX_TEXT_LENGTH = 300
_MIB = 1 << 20
_LOG_HEAD_BYTES = 65_536
#: How trtexec stamps the lines of its log: month first, in the clock of the machine, without a zone.
_LOG_STAMP = regex(rb"^\[(\d\d)/(\d\d)/(\d{4})-(\d\d):(\d\d):(\d\d)\]", re.MULTILINE)
_PATH_STAMP = regex(
    r"(?<!\d)(20\d\d)(?:-(\d\d)-(\d\d)|(\d\d)(\d\d))"
    r"(?:[T_-]?(\d\d)[:.-]?(\d\d)(?:[:.-]?(\d\d))?Z?)?(?!\d)",
    re.ASCII,
)
#: Conditions that are columns of their own, or that change with every run and explain nothing.
_NO_CONDITIONS = frozenset({"measured iterations", "profiled iterations", "profiling verbosity", "runs"})


@dataclass(frozen=True)
class GroupSummary:
    """The layers of one type or precision; `time_ms` is None where none of them was measured."""

    name: str
    layers: int
    time_ms: float | None


@dataclass(frozen=True)
class EngineSummary:
    """What a site says of an engine outside of its report; None and empty texts are not known.

    Attributes:
        date: When it was measured, as ISO 8601; without a zone it is the clock of some machine.
        date_from: What says so: "manifest", "log" or "path".
        errors, warnings, infos: How many findings there are of each severity.
        codes: Rules that found something.
        conditions: Name to value, as comparisons of engines list them.
        queries: How many timed inferences there are; 0 where only averages are known.
        degraded: How many notes say that a part of the capture can't be used.
        contradictions: How often its files state what can't both be true.
    """

    name: str
    model: str = ""
    gpu: str = ""
    tensorrt: str = ""
    precision: str = ""
    shapes: str = ""
    batch: int | None = None
    date: str = ""
    date_from: str = ""
    latency_ms: float | None = None
    p99_ms: float | None = None
    compute_ms: float | None = None
    throughput_qps: float | None = None
    layer_sum_ms: float | None = None
    size_bytes: float | None = None
    weights_bytes: int | None = None
    peak_live_bytes: int | None = None
    layers: int | None = None
    reformats: int | None = None
    reformat_ms: float | None = None
    errors: int = 0
    warnings: int = 0
    infos: int = 0
    codes: tuple[str, ...] = ()
    by_type: tuple[GroupSummary, ...] = ()
    by_precision: tuple[GroupSummary, ...] = ()
    conditions: Mapping[str, str] = field(default_factory=dict)
    queries: int = 0
    degraded: int = 0
    contradictions: int = 0
    synthetic: bool = False


def summarize(engine: Engine, analysis: Analysis, place: str) -> EngineSummary:
    """Return the summary of an engine; `place` is where it was found, which may contain its date."""
    identity, figures = analysis.identity, figures_of(engine, analysis)
    found = Counter(finding.severity for finding in analysis.lint.findings)
    size_mib = FIGURES["engine-size-mib"].known((engine, analysis)).value
    date, date_from = date_of(engine, place)
    has_layers = bool(analysis.layers)
    return EngineSummary(
        name=short_text(identity.name),
        model=short_text(identity.model),
        gpu=short_text(gpu_name(identity)),
        tensorrt=short_text(identity.tensorrt_version),
        precision=short_text(identity.precisions),
        shapes=short_text(input_shapes(identity)),
        batch=identity.batch,
        date=date,
        date_from=date_from,
        latency_ms=figures.latency_ms,
        p99_ms=figures.latency_p99_ms,
        compute_ms=figures.compute_ms,
        throughput_qps=figures.throughput_qps,
        layer_sum_ms=figures.layer_sum_ms,
        size_bytes=None if size_mib is None else size_mib * _MIB,
        weights_bytes=figures.weights_bytes,
        peak_live_bytes=figures.peak_live_bytes,
        layers=figures.layers if has_layers else None,
        reformats=figures.reformats if has_layers and not identity.names_only else None,
        reformat_ms=figures.reformat_ms,
        errors=found["error"],
        warnings=found["warning"],
        infos=found["info"],
        codes=tuple(sorted({each.code for each in with_consequences(analysis.lint.findings)})),
        by_type=_groups(analysis.by_type),
        by_precision=_groups(analysis.by_precision),
        conditions={
            each.name: short_text(value)
            for each in FIELDS
            if each.name not in _NO_CONDITIONS and (value := each.value(engine, analysis))
        },
        queries=len(engine.queries) if engine.queries else 0,
        degraded=sum(note.severity == "degraded" for note in analysis.notes),
        contradictions=len(analysis.contradictions),
        synthetic=identity.synthetic,
    )


def short_text(text: str) -> str:
    """Return a text as a summary has it: of limited length."""
    return text if len(text) <= _MAX_TEXT_LENGTH else f"{text[: _MAX_TEXT_LENGTH - 1]}…"


def _groups(groups: Sequence[Group]) -> tuple[GroupSummary, ...]:
    return tuple(
        GroupSummary(short_text(each.name), each.count, each.time_ms) for each in groups[:_MAX_GROUPS]
    )


def date_of(engine: Engine, place: str) -> tuple[str, str]:
    """Return when an engine was measured and what says so; two empty texts if nothing does.

    The manifest of `trexreport collect` is believed first, then the first time stamp of a log, then a date in
    the path. When files were last changed says nothing: a checkout or a download changes it.
    """
    collected = engine.engine_metadata.get("Collected")
    if isinstance(collected, str) and (date := _parse(collected)):
        return date, "manifest"
    for source in engine.sources:
        stamp = _LOG_STAMP.search(source.data[:_LOG_HEAD_BYTES]) if source.role == "log" else None
        if stamp:
            month, day, year, *clock = (int(part) for part in stamp.groups())
            if date := _valid(year, month, day, *clock):
                return date, "log"
    return next(((date, "path") for date in _dates_in(place)), ("", ""))


def _parse(text: str) -> str:
    """Return a time of the manifest in UTC, without fractions of a second."""
    try:
        moment = dt.datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        return ""
    if moment.tzinfo is None:
        return moment.isoformat(timespec="seconds")
    try:
        return moment.astimezone(dt.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (OverflowError, ValueError):
        return ""


def _dates_in(place: str) -> list[str]:
    """Return the dates in a path, the last one first: it is nearest to the capture."""
    found = []
    for match in _PATH_STAMP.finditer(place):
        year, month, day, short_month, short_day, *clock = match.groups()
        numbers = [int(part) for part in clock if part]
        date = _valid(int(year), int(month or short_month), int(day or short_day), *numbers)
        if date:
            found.append(date if numbers else date[:10])
    return found[::-1]


def _valid(*numbers: int) -> str:
    try:
        return dt.datetime(*numbers).isoformat(timespec="seconds")  # type: ignore[arg-type]  # noqa: DTZ001
    except ValueError:
        return ""


def summary_from(document: Mapping[str, Any]) -> EngineSummary:
    """Return a summary from the JSON that it was written as.

    Raises:
        TypeError, KeyError, ValueError: It is none, or of another version.
    """
    values = {each.name: document[each.name] for each in fields(EngineSummary)}
    for name in ("by_type", "by_precision"):
        values[name] = tuple(GroupSummary(**group) for group in values[name])
    values["codes"] = tuple(values["codes"])
    return EngineSummary(**values)
