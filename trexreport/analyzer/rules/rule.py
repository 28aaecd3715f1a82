"""What a rule is, and how one is written.

A rule is a function from a `Context` to hits, with the decorator `rule`; its docstring is its documentation::

    @rule("TRX205", "reformat.share-of-time", "warning", needs=("profile",), section="reformats",
          thresholds=(Threshold("share_percent", 5.0, 0, 100, "Reformats' share of the time."),))
    def share_of_time(context: Context, *, share_percent: float) -> Iterator[Hit]:
        \"\"\"Reformats take a large share of the time.

        Cost:
            Why it costs time.

        Advice:
            What to do.

        False alarm:
            When there is nothing wrong.

        Bound:
            How the gain is bounded.
        \"\"\"
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from trexreport.analyzer.analysis import SEVERITIES, LayerFacts, Severity
from trexreport.docstrings import docstring

_CODE = re.compile(r"[A-Z]{2,8}[0-9]{3,4}", re.ASCII)
_NAME = re.compile(r"[a-z0-9-]+\.[a-z0-9-]+", re.ASCII)
_TITLED = re.compile(r"^(Cost|Advice|False alarm|Bound):$\n((?:^(?:[ \t]+.*)?$\n?)+)", re.MULTILINE)

#: Input of a rule to why a rule that needs it is skipped without it.
NEEDS: Mapping[str, str] = {
    "layers": "The layer information has names only; build with --profilingVerbosity=detailed.",
    "profile": "There is no profile, so no layer has a time; trtexec --exportProfile makes one.",
    "end-to-end": "There are no end-to-end times; trtexec's log or --exportTimes has them.",
    "queries": "There are no times of single queries, or too few; trtexec --exportTimes writes them.",
    "build-options": "No file says how the engine was built; trtexec's log does.",
    "run-options": "No file says how the engine was run; trtexec's log does.",
    "version": "No file says which version of TensorRT built the engine.",
    "gpu-samples": "Nobody watched the GPU meanwhile; trexreport collect does.",
    "roofline": "The GPU's peaks are not known; --gpu names it.",
}


@dataclass(frozen=True)
class Threshold:
    """A bound of a rule that the configuration may change.

    Attributes:
        name: Of the keyword argument; the configuration spells it with hyphens.
        least, most: The possible values.
        meaning: What it bounds, with the unit.
    """

    name: str
    default: float
    least: float
    most: float
    meaning: str

    def __post_init__(self) -> None:
        """Raise ValueError for what no keyword and no format could take."""
        if not all(math.isfinite(bound) for bound in (self.default, self.least, self.most)):
            raise ValueError(f"the bounds of the threshold {self.name} are numbers")
        if not self.name.isidentifier() or not self.least <= self.default <= self.most:
            raise ValueError(f"the threshold {self.name} has a name of Python's and a default within bounds")


@dataclass(frozen=True)
class Hit:
    """One place where a rule applies.

    Attributes:
        message: What is there, in one sentence; the layers' names stand beside it.
        layers: The layers that show it, the one to look at first; empty for the whole engine.
        gain_ms: The most that mending it could save, or None if no bound is known.
        evidence: Label to text.
        severity: If it is another one here than the rule's.
    """

    message: str
    layers: tuple[LayerFacts, ...] = ()
    gain_ms: float | None = None
    evidence: Mapping[str, str] = field(default_factory=dict)
    severity: Severity | None = None

    def __post_init__(self) -> None:
        """Raise ValueError for what no format could show, as the rule alone is to be broken by it."""
        texts = (self.message, *self.evidence, *self.evidence.values())
        if not all(isinstance(text, str) for text in texts):
            raise ValueError("a hit's message and evidence are texts")
        for text in texts:
            text.encode("utf-8")  # raises for half a character, which strict readers of JSON refuse
        if self.severity is not None and self.severity not in SEVERITIES:
            raise ValueError(f"the severity is one of {', '.join(SEVERITIES)}, not {self.severity}")
        if self.gain_ms is not None and math.isnan(self.gain_ms):
            raise ValueError("a gain is a number or None")


#: Takes a `Context` and the thresholds by name.
Check = Callable[..., Iterable[Hit]]


@dataclass(frozen=True)
class Rule:
    """Something that can be wrong with an engine, and the function that looks for it.

    Attributes:
        code: Such as "TRX102".
        name: Dotted, family first: "convolution.float-output".
        severity: Of its findings, unless a hit says otherwise.
        needs: Keys of `NEEDS` without which it is skipped.
        section: Section of the report in which to read on.
        subject: What it is about, where other rules tell of the same layers from another side: of findings
            of one subject the larger stands for the smaller. Empty if no other rule does.
        many: Sums up several hits, with {count} for their number.
        title, cost, advice, false_alarm, bound: From the docstring of `check`.
    """

    code: str
    name: str
    severity: Severity
    needs: tuple[str, ...]
    section: str
    subject: str
    thresholds: tuple[Threshold, ...]
    many: str
    check: Check
    title: str
    cost: str
    advice: str
    false_alarm: str
    bound: str

    def __post_init__(self) -> None:
        """Raise ValueError for what no command could show, as the package alone is to be broken by it."""
        named = (self.code, self.name, self.section, self.subject, self.many)
        said = (self.title, self.cost, self.advice, self.false_alarm, self.bound)
        if not all(isinstance(text, str) for text in (*named, *said)):
            raise ValueError(f"{self.code}: what a rule says are texts")
        if not _CODE.fullmatch(self.code) or not _NAME.fullmatch(self.name):
            raise ValueError(
                f"{self.code} {self.name}: a rule is called such as TRX102 and convolution.float-output"
            )
        if self.severity not in SEVERITIES:
            raise ValueError(
                f"{self.code}: the severity is one of {', '.join(SEVERITIES)}, not {self.severity}"
            )
        if unknown := set(self.needs) - NEEDS.keys():
            raise ValueError(f"{self.code}: nobody knows the need {', '.join(sorted(map(str, unknown)))}")
        if not all(isinstance(each, Threshold) for each in self.thresholds):
            raise ValueError(f"{self.code}: its thresholds are of the class Threshold")

    @property
    def family(self) -> str:
        """The part of the name before the dot."""
        return self.name.partition(".")[0]


def rule(
    code: str,
    name: str,
    severity: Severity,
    *,
    many: str,
    needs: tuple[str, ...] = ("layers",),
    section: str = "layers",
    subject: str = "",
    thresholds: tuple[Threshold, ...] = (),
) -> Callable[[Check], Rule]:
    """Make a rule of a function whose docstring has a title, Cost, Advice, False alarm and Bound.

    Raises:
        ValueError: A part is missing or malformed.
    """

    def make(check: Check) -> Rule:
        title, parts = _documentation(code, check)
        return Rule(
            code=code,
            name=name,
            severity=severity,
            needs=needs,
            section=section,
            subject=subject,
            thresholds=thresholds,
            many=many,
            check=check,
            title=title,
            cost=parts["Cost"],
            advice=parts["Advice"],
            false_alarm=parts["False alarm"],
            bound=parts["Bound"],
        )

    return make


def _documentation(code: str, check: Check) -> tuple[str, dict[str, str]]:
    """Return the docstring's first line and its titled parts, each as paragraphs without line breaks."""
    text = docstring(check)
    if text is None:
        # A rule of which Python left out the docstring (-OO) and whose source is missing still works.
        return code, dict.fromkeys(("Cost", "Advice", "False alarm", "Bound"), "")
    parts = {title: _unwrapped(body) for title, body in _TITLED.findall(text + "\n")}
    if missing := [title for title in ("Cost", "Advice", "False alarm", "Bound") if not parts.get(title)]:
        raise ValueError(f"{code}: the docstring has no part '{missing[0]}:'")
    return text.splitlines()[0].rstrip("."), parts


def _unwrapped(body: str) -> str:
    paragraphs = re.split(r"\n\s*\n", body.strip())
    return "\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
