"""What was checked on one engine and what came of it, whether the checks were rules or limits of a budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Any, Literal

from trexreport.analyzer.analysis import Identity, UncheckedRule
from trexreport.analyzer.analysis.engine import SourceFacts
from trexreport.lazy_dataclass import dataclass
from trexreport.numbers import middle_ellipsis
from trexreport.renderer.short_document.document import MAX_NAME, NO_NAME
from trexreport.visible import one_line
from trexreport.wording.identity import gpu_name

#: "none" is a result that needs no attention.
Level = Literal["error", "warning", "info", "none"]


@dataclass(frozen=True)
class Check:
    """A rule or a limit, and how it ended.

    Attributes:
        id: Unique and the same in every run.
        name: A readable identifier; may be empty.
        title: What is checked, in one line.
        group: Family of the rule or kind of the limit.
        description: Why it is checked, or the limit.
        help_text, help_markdown: Its documentation; the second may be empty.
        level: Of its results unless they have their own.
        failure: Why it failed; empty if it did not.
        failure_kind: One word for that.
        failure_details: Lines with the places.
        skipped: Why it was not checked; empty if it was.
        error: Why it broke; empty if it did not.
        output: Lines on what did not fail it.
    """

    id: str
    name: str
    title: str
    group: str
    description: str
    help_text: str
    level: Level
    help_markdown: str = ""
    failure: str = ""
    failure_kind: str = ""
    failure_details: tuple[str, ...] = ()
    skipped: str = ""
    error: str = ""
    output: tuple[str, ...] = ()


@dataclass(frozen=True)
class Result:
    """One place where a check found something.

    Attributes:
        check_id: Of its `Check`.
        layers: Key and name of each layer that it is about.
        lines: Relative path and line number of the source lines that it is about.
        fingerprint: The same in every run.
        suppression: Why it is suppressed; None if it is not.
        rank: Importance from 0 to 100; None if not known.
        properties: Further facts, JSON-able.
    """

    check_id: str
    level: Level
    message: str
    layers: tuple[tuple[str, str], ...]
    fingerprint: str
    suppression: str | None = None
    rank: float | None = None
    lines: tuple[tuple[str, int], ...] = ()
    properties: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Annotation:
    """A note on a CI run: title, lines of its message, and the source line that it is at, if known."""

    level: Level
    title: str
    lines: tuple[str, ...]
    file: str = ""
    line: int = 0


@dataclass(frozen=True)
class CheckResults:
    """All results on one engine.

    Attributes:
        tool: Which kind of check, such as "trexreport-check", for programs that keep several.
        summary: The results in one sentence.
        unchecked: Rules that were skipped or broke.
        remarks: On the configuration, one sentence each.
        phase: Name of the phase that the engine is, in a set of several; empty for an engine alone.
    """

    tool: str
    engine: Identity
    summary: str
    sources: Sequence[SourceFacts]
    checks: tuple[Check, ...]
    results: tuple[Result, ...]
    annotations: tuple[Annotation, ...]
    remarks: tuple[str, ...]
    unchecked: tuple[UncheckedRule, ...] = ()
    phase: str = ""

    @property
    def label(self) -> str:
        """What precedes titles where there are several phases: "prefill: "; else empty."""
        return f"{short_name(self.phase)}: " if self.phase else ""


def engine_title(engine: Identity) -> str:
    """Return name, GPU and version of an engine on one line."""
    version = engine.tensorrt_version and f"TensorRT {engine.tensorrt_version}"
    return one_line(" · ".join(part for part in (engine.name, gpu_name(engine), version) if part))


def short_name(name: str) -> str:
    """Return a name on one line, shortened in its middle; an empty one is named as that."""
    return middle_ellipsis(one_line(name), MAX_NAME) or NO_NAME
