"""What a rule is, and how to write one.

A rule is a function from a `Context` to hits, with the decorator `rule`; its docstring is its documentation::

    @rule("TRX205", "reformat.share-of-time", "warning", needs=("profile",), section="reformats",
          thresholds=(Threshold("share_percent", 5.0, 0, 100, "Minimum share of layer time, in percent."),))
    def share_of_time(context: Context, *, share_percent: float) -> Hits:
        \"\"\"Reformats take a large share of layer time.

        Cost:
            Why it costs time.

        Recommendation:
            What to do.

        False alarm:
            When nothing is wrong.

        Est. savings:
            How the savings are computed, and whether they are a bound or an estimate.
        \"\"\"
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import InitVar, field
from functools import partial
from itertools import chain
from typing import Literal, get_args

from trexreport.analyzer.analysis import SEVERITIES, LayerFacts, Severity
from trexreport.analyzer.analysis.gains import GAIN_BASIS_CODES, GAIN_KINDS, Gain
from trexreport.analyzer.rules.needs import NEEDS, Need
from trexreport.docstrings import docstring
from trexreport.lazy_dataclass import dataclass
from trexreport.regex import regex

_CODE = regex(r"[A-Z]{2,8}[0-9]{3,4}", re.ASCII)
_NAME = regex(r"[a-z0-9-]+\.[a-z0-9-]+", re.ASCII)
#: Titled parts of a rule's docstring to their attributes.
_PARTS = {
    "Cost": "cost",
    "Recommendation": "recommendation",
    "False alarm": "false_alarm",
    "Est. savings": "savings",
}
_PART = regex(rf"^({'|'.join(map(re.escape, _PARTS))}):$\n((?:^(?:[ \t]+.*)?$\n?)+)", re.MULTILINE)
#: The section of the report with the details of what the rules of a family find; "layers" for the others.
_SECTIONS = {
    "accuracy": "accuracy",
    "measurement": "timing",
    "precision": "precision",
    "quantization": "precision",
    "reformat": "reformats",
}

#: Where a place of a rule explains one of another rule: it affects all its layers ("layers"), these or layers
#: next to them ("neighbors"), or those on both sides ("between"), looking through reformats; together with
#: other places most of its layers ("share"); all its layers if it is its rule's only place that nothing else
#: explains ("single"); wherever it is ("engine").
Where = Literal["layers", "between", "neighbors", "share", "single", "engine"]
#: What a rule that sums up layers leaves out; see `Rule.rest_of`.
RestOf = Literal["savings", "findings"]


@dataclass(frozen=True)
class Threshold:
    """A limit of a rule that the configuration can change.

    Attributes:
        name: Of the keyword argument; the configuration spells it with hyphens.
        minimum, maximum: The allowed values.
        meaning: What it limits, with the unit.
        former_name: The configuration key in earlier versions; using it is an error that names the new one.
    """

    name: str
    default: float
    minimum: float
    maximum: float
    meaning: str
    former_name: str = ""

    def __post_init__(self) -> None:
        """Raise ValueError for values that no keyword and no format accepts."""
        if not all(math.isfinite(value) for value in (self.default, self.minimum, self.maximum)):
            raise ValueError(f"the values of the threshold {self.name} must be finite numbers")
        if not self.name.isidentifier() or not self.minimum <= self.default <= self.maximum:
            raise ValueError(f"the threshold {self.name} needs a Python name and a default in its range")

    @property
    def key(self) -> str:
        """The name as the configuration spells it."""
        return self.name.replace("_", "-")


@dataclass(frozen=True)
class Hit:
    """One place where a rule applies.

    Attributes:
        message: What is there, as one statement; `{layer}` is replaced by the name of the first layer, and
            `{extent}` by the number of the layers that it affects, and their time.
        layers: The layers that show it, the most important first; empty for the whole engine.
        gain: The time that a fix saves, made by `bound` or `estimate`; None if it is not known.
        evidence: Label to text.
        severity: If it differs from the rule's.
        affected: Further layers that a fix changes, for what the rule explains.
        gain_ms: The argument in earlier versions; using it is an error that names the new one.
    """

    message: str
    layers: tuple[LayerFacts, ...] = ()
    gain: Gain | None = None
    evidence: Mapping[str, str] = field(default_factory=dict)
    severity: Severity | None = None
    affected: tuple[LayerFacts, ...] = ()
    gain_ms: InitVar[object] = None

    def __post_init__(self, gain_ms: object) -> None:
        """Raise ValueError for values that no format can show, so that only this rule fails."""
        if gain_ms is not None or not (self.gain is None or isinstance(self.gain, Gain)):
            raise ValueError("gain_ms is now gain: gain=bound(ms) or gain=estimate(low_ms, high_ms)")
        texts = (self.message, *self.evidence, *self.evidence.values())
        if not all(isinstance(text, str) for text in texts):
            raise ValueError("a hit's message and evidence must be texts")
        "".join(texts).encode("utf-8")  # raises for half a character, which strict readers of JSON refuse
        if self.severity is not None and self.severity not in SEVERITIES:
            raise ValueError(f"the severity must be one of {', '.join(SEVERITIES)}, not {self.severity}")
        if self.gain is not None:
            _check_gain(self.gain)


def _check_gain(gain: Gain) -> None:
    ranges = [(gain.low_ms, gain.high_ms), *[(part.low_ms, part.high_ms) for part in gain.parts]]
    if gain.kind not in GAIN_KINDS or any(map(math.isnan, chain.from_iterable(ranges))):
        raise ValueError("the savings of a hit must be numbers of a known kind")
    if not all(isinstance(basis.source, str) and basis.code in GAIN_BASIS_CODES for basis in gain.bases):
        raise ValueError("the basis of a hit's savings must be a known code with a text as source")
    if any(low > high for low, high in ranges):
        raise ValueError("the minimum of a hit's savings must not be above the maximum")


#: What a rule yields.
Hits = Iterator[Hit]
#: Takes a `Context` and the thresholds by name.
Check = Callable[..., Iterable[Hit]]


@dataclass(frozen=True)
class Rule:
    """Something that can be wrong with an engine, and the function that looks for it.

    Attributes:
        code: Such as "TRX102".
        name: Dotted, family first: "convolution.float-output".
        severity: Of its findings, unless a hit states another one.
        needs: The inputs without which it is skipped.
        section: The report's section with the details.
        explains: Codes of rules whose places a fix of this one also resolves, and where.
        many: Summary of several hits, with {count} for their number, {extent} for the time of their layers
            and {Label} for the values of the evidence with this label; not used of a rule that makes one hit
            at most.
        former_name: The name in earlier versions; using it is an error that names the new one.
        on_request: It runs only if the configuration selects it or states its severity or a threshold: what
            it finds is right and changes nothing of the engine.
        replaces: Its remedy removes or replaces the layers that its hits affect, and the reformats that only
            these need: what other rules report of most of their time is a consequence.
        rest_of: It sums up what other rules report, too, and is asked again without the layers
            `Context.reported`: those of the "savings" of rules that explain it, or of all other "findings".
        title, cost, recommendation, false_alarm, savings: From the docstring of `check`.
    """

    code: str
    name: str
    severity: Severity
    needs: tuple[Need, ...]
    section: str
    explains: Mapping[str, Where]
    thresholds: tuple[Threshold, ...]
    many: str
    check: Check
    title: str
    cost: str
    recommendation: str
    false_alarm: str
    savings: str
    former_name: str = ""
    on_request: bool = False
    replaces: bool = False
    rest_of: RestOf | None = None

    def __post_init__(self) -> None:
        """Raise ValueError for values that no command can show, so that only this package fails."""
        named = (self.code, self.name, self.section, self.many, self.former_name)
        documented = (self.title, self.cost, self.recommendation, self.false_alarm, self.savings)
        if not all(isinstance(text, str) for text in (*named, *documented)):
            raise ValueError(f"{self.code}: names and documentation must be texts")
        if not _CODE.fullmatch(self.code) or not _NAME.fullmatch(self.name):
            raise ValueError(
                f"{self.code} {self.name}: a rule needs a code and a name like TRX102 and "
                "convolution.float-output"
            )
        if self.severity not in SEVERITIES:
            raise ValueError(
                f"{self.code}: the severity must be one of {', '.join(SEVERITIES)}, not {self.severity}"
            )
        if unknown := set(self.needs) - NEEDS.keys():
            raise ValueError(f"{self.code}: unknown need {', '.join(sorted(map(str, unknown)))}")
        wrong = [code for code, where in self.explains.items() if where not in get_args(Where)]
        wrong += [code for code in self.explains if not _CODE.fullmatch(code) or code == self.code]
        if wrong:
            raise ValueError(f"{self.code}: explains needs codes of other rules, and where: {wrong[0]}")
        if not all(isinstance(each, Threshold) for each in self.thresholds):
            raise ValueError(f"{self.code}: its thresholds must be of the class Threshold")

    @property
    def family(self) -> str:
        """The part of the name before the dot."""
        return self.name.partition(".")[0]


def rule(
    code: str,
    name: str,
    severity: Severity,
    *,
    many: str = "{count} places.",
    needs: tuple[Need, ...] = ("layers",),
    section: str = "layers",
    explains: Mapping[Where, tuple[str, ...]] | None = None,
    thresholds: tuple[Threshold, ...] = (),
    former_name: str = "",
    on_request: bool = False,
    replaces: bool = False,
    rest_of: RestOf | None = None,
) -> Callable[[Check], Rule]:
    """Make a rule of a function; its docstring has a title, Cost, Recommendation, False alarm, Est. savings.

    The arguments are those of `Rule`; `explains` lists the codes by where.

    Returns:
        The decorator.

    Raises:
        ValueError: A part is missing or malformed.
    """

    def make(check: Check) -> Rule:
        is_built_in = not code and check.__module__.startswith(f"{__package__}.")
        own_code, own_name = _code_and_name(check.__module__) if is_built_in else (code, name)
        return Rule(
            code=own_code,
            name=own_name,
            severity=severity,
            needs=needs,
            section=section or _SECTIONS.get(own_name.partition(".")[0], "layers"),
            explains={other: where for where, codes in (explains or {}).items() for other in codes},
            thresholds=thresholds,
            many=many,
            check=check,
            former_name=former_name,
            on_request=on_request,
            replaces=replaces,
            rest_of=rest_of,
            **_documentation(own_code, check),
        )

    return make


#: Makes a rule of the function in a file of this package, whose path states code, name and usual section.
built_in_rule = partial(rule, "", "", section="")


def _code_and_name(module: str) -> tuple[str, str]:
    """Return TRX301 and quantization.unfused-qdq for a module quantization.trx301_unfused_qdq."""
    family, file = module.rsplit(".", 2)[1:]
    code, _, name = file.partition("_")
    return code.upper(), f"{family}.{name.replace('_', '-')}"


def _documentation(code: str, check: Check) -> dict[str, str]:
    """Return title and parts of a rule's docstring by attribute, as paragraphs without line breaks."""
    text = docstring(check)
    if text is None:
        # A rule of which Python left out the docstring (-OO) and whose source is missing still works.
        return {"title": code, **dict.fromkeys(_PARTS.values(), "")}
    parts = {_PARTS[title]: _unwrapped(body) for title, body in _PART.findall(text + "\n")}
    if missing := [title for title, name in _PARTS.items() if not parts.get(name)]:
        raise ValueError(f"{code}: the docstring has no part '{missing[0]}:'")
    return {"title": text.splitlines()[0].rstrip("."), **parts}


def _unwrapped(body: str) -> str:
    paragraphs = re.split(r"\n\s*\n", body.strip())
    return "\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
