"""Which version of trtexec takes which flag, for which runs and under which name (`flags.toml`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from functools import lru_cache

from trexreport.collector.versions import Version
from trexreport.lazy_dataclass import dataclass
from trexreport.resources import packaged_table

Release = tuple[int, int]
Span = tuple[Release, Release | None]


class Support(Enum):
    """Whether a version of trtexec takes a flag."""

    TAKEN = "taken"
    NOT_YET = "not yet"
    GONE = "gone"
    UNKNOWN = "unknown"


class Stage(Enum):
    """What a run of trtexec is for; the value is the word that its log is named by."""

    BUILD = "build"
    PROFILE = "profile"
    TIMING = "timing"


#: Releases of TensorRT for RTX: all of them, and none.
_ALL_RTX: Span = ((1, 0), None)
_NO_RTX: Span = ((0, 0), (0, 0))
_MEASURING = frozenset({Stage.PROFILE, Stage.TIMING})
_STAGES = {"all": frozenset(Stage), "measure": _MEASURING, "profile": frozenset({Stage.PROFILE})}


@dataclass(frozen=True)
class FlagTable:
    """What is known of trtexec's flags; names are without dashes.

    Attributes:
        studied: The releases that are known, in order; between two of them a change is not located.
        spans: Flag to the first and last release that takes it; no last one if it is still taken.
        absent: Flag to the first and last release of a gap in its span.
        asked: The releases of which is known which values they take.
        value_spans: Flag and word in its value to the first and last release that takes it.
        switches: Flags that are followed by no value.
        own: Flags that the collector sets itself.
        unmeasurable: Flag to why an engine that is built with it can't be measured.
        refused: Flag to why no run of the collector can use it.
        repeatable: Flags that may be given several times.
        renamed: Older name to newer name.
        no_effect: Flag to the release from which trtexec does so anyway and warns.
        deprecated: Flag to the release from which trtexec warns, having nothing in its place.
        reasons: Flag to why it is gone and what to do instead.
    """

    studied: tuple[Release, ...]
    spans: Mapping[str, Span]
    absent: Mapping[str, Span]
    asked: tuple[Release, ...]
    value_spans: Mapping[tuple[str, str], Span]
    stages: Mapping[str, frozenset[Stage]]
    switches: frozenset[str]
    own: frozenset[str]
    unmeasurable: Mapping[str, str]
    refused: Mapping[str, str]
    repeatable: frozenset[str]
    renamed: Mapping[str, str]
    no_effect: Mapping[str, Release]
    deprecated: Mapping[str, Release]
    reasons: Mapping[str, str]

    def support(self, flag: str, version: Version) -> Support:
        """Return whether a version takes a flag; "unknown" where the table does not say."""
        first, last = self.absent.get(flag, (None, None))
        if first and last and first <= version.release <= last:
            return Support.GONE
        return _support(self.spans.get(flag), version.release, self.studied)

    def value_support(self, flag: str, word: str, version: Version) -> Support:
        """Return whether a version takes a word in the value of a flag."""
        return _support(self.value_spans.get((flag, word)), version.release, self.asked)

    def takes(self, flag: str, version: Version) -> bool:
        """Return whether a version takes a flag for certain."""
        return self.support(flag, version) is Support.TAKEN

    def is_without_effect(self, flag: str, version: Version) -> bool:
        """Return whether a version does anyway what the flag asks for."""
        return flag in self.no_effect and version.release >= self.no_effect[flag]

    def is_deprecated(self, flag: str, version: Version) -> bool:
        """Return whether a version warns about the flag."""
        newer = self.renamed.get(flag)
        return (
            self.is_without_effect(flag, version)
            or (flag in self.deprecated and version.release >= self.deprecated[flag])
            or (newer is not None and self.takes(newer, version))
        )

    def stages_of(self, flag: str) -> frozenset[Stage]:
        """Return the runs that a flag is for; all of them if the flag is not known."""
        if flag not in self.spans:
            return frozenset(Stage)
        return self.stages.get(flag, frozenset({Stage.BUILD}))

    def takes_value(self, flag: str) -> bool:
        """Return whether a known flag is followed by a value."""
        return flag in self.spans and flag not in self.switches

    def why_not(self, flag: str, version: Version) -> str:
        """Return why a version does not take a flag and what to do, in one line."""
        first, _ = self.spans[flag]
        if version.is_rtx:
            return f"tensorrt_rtx does not take --{flag}. {self.reasons[flag]}"
        if self.support(flag, version) is Support.NOT_YET:
            return f"trtexec {_release(version.release)} does not take --{flag} yet; {_release(first)} does."
        reason = self.reasons.get(flag, "Leave it out.")
        return f"trtexec {_release(version.release)} no longer takes --{flag}. {reason}"


@lru_cache(maxsize=1)
def flag_table() -> FlagTable:
    """Return the table that comes with the package."""
    content = packaged_table("collector/flags.toml")
    return FlagTable(
        studied=tuple(_parsed(each) for each in content["studied"]),
        spans=_spans(content["accepted"]),
        absent=_spans(content["absent"]),
        asked=tuple(_parsed(each) for each in content["values"]["asked"]),
        value_spans={
            (flag, word): _span(span)
            for span, names in content["values"]["accepted"].items()
            for flag, _, word in (name.partition(":") for name in names.split())
        },
        stages={
            flag: _STAGES[stages] for stages, names in content["stages"].items() for flag in names.split()
        },
        switches=_names(content["switches"]),
        own=_names(content["own"]),
        unmeasurable=_reasons(content["unmeasurable"]),
        refused=_reasons(content["refused"]),
        repeatable=_names(content["repeatable"]),
        renamed=content["renamed"],
        no_effect=_since(content["no_effect"]),
        deprecated=_since(content["deprecated"]),
        reasons=_reasons(content["gone"]),
    )


@lru_cache(maxsize=1)
def rtx_flag_table() -> FlagTable:
    """Return the table of tensorrt_rtx: what it has from trtexec, what it adds and what it lacks."""
    from dataclasses import replace

    content = packaged_table("collector/rtx_flags.toml")
    table = flag_table()
    lacking = _reasons(content["absent"])
    documented = dict.fromkeys(content["documented"].split(), _ALL_RTX)
    return replace(
        table,
        studied=(_ALL_RTX[0],),
        spans={**documented, **dict.fromkeys(lacking, _NO_RTX)},
        absent={},
        value_spans={},
        stages={**table.stages, **dict.fromkeys(content["measure"].split(), _MEASURING)},
        switches=table.switches | frozenset(content["switches"].split()),
        unmeasurable={},
        no_effect={},
        deprecated={},
        reasons=lacking,
    )


def table_for(version: Version) -> FlagTable:
    """Return the table of the program that belongs to a version."""
    return rtx_flag_table() if version.is_rtx else flag_table()


def _support(span: Span | None, release: Release, known: Sequence[Release]) -> Support:
    """Return whether a release lies in a span of the known releases, before it, behind it or at its edge."""
    if span is None:
        return Support.UNKNOWN
    first, last = span
    if release < first:
        without = [each for each in known if each < first]
        return Support.NOT_YET if without and release <= without[-1] else Support.UNKNOWN
    if last is not None and release > last:
        without = [each for each in known if each > last]
        return Support.GONE if release >= without[0] else Support.UNKNOWN
    return Support.TAKEN


def _names(table: Mapping[str, str]) -> frozenset[str]:
    return frozenset(table["names"].split())


def _reasons(tables: Iterable[Mapping[str, str]]) -> dict[str, str]:
    return {flag: each["why"].strip() for each in tables for flag in each["flags"].split()}


def _spans(table: Mapping[str, str]) -> dict[str, Span]:
    return {flag: _span(span) for span, names in table.items() for flag in names.split()}


def _since(table: Mapping[str, str]) -> dict[str, Release]:
    return {flag: _parsed(release) for release, names in table.items() for flag in names.split()}


def _span(text: str) -> Span:
    first, _, last = text.partition("..")
    return _parsed(first), _parsed(last) if last else None


def _parsed(text: str) -> Release:
    major, minor = text.split(".")
    return int(major), int(minor)


def _release(release: Release) -> str:
    return ".".join(map(str, release))
