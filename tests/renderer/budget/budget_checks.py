"""Outcomes of a budget to be written in every format: an ordinary one and one whose every text is hostile."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from hypothesis import strategies as st

from trexreport.analyzer.analysis import Identity
from trexreport.analyzer.analysis.budget import (
    BudgetCheck,
    CheckRemark,
    LimitOutcome,
    LimitTitle,
    MetricReason,
)
from trexreport.analyzer.analysis.engine import SourceFacts
from trexreport.analyzer.budget.figures import FIGURES

NASTY = (
    "<script>alert(1)</script>",
    "]]>",
    "<!--",
    "-->",
    "&#x41;",
    "```",
    "|",
    "\\",
    "[a](javascript:b)",
    "![a](b)",
    "https://example.org",
    "@none",
    "\r\n",
    "\n::error::owned",
    "%0A",
    ":",
    ",",
    "{0}",
    "\x1b]0;owned\x07",
    "\x00",
    "\x9b2J",
    "\u2028",
    "\u202e",
    "\ud800",
    "\uffff",
    "\t",
    "\n# ",
    "1. ",
    "**",
    "$x$",
    "n" * 500,
)
hostile_texts = st.lists(st.one_of(st.sampled_from(NASTY), st.text(max_size=4)), max_size=6).map("".join)


def identity(name: str, gpu: str = "NVIDIA A100") -> Identity:
    return Identity(name, "", gpu, "10.3.0", "FP16", "", 1, False, False, 0, [0])


def _title(key: str) -> LimitTitle:
    table, _, name = key.rpartition(".")
    if table in ("findings", "regression"):
        return LimitTitle(table, name)
    if table:
        return LimitTitle("part", name, part="Head")
    return LimitTitle("engine", key) if key in FIGURES else LimitTitle("part", "time-ms", part=key)


NO_SIZE = MetricReason("no-size")
NO_BASELINE = MetricReason("no-baseline")
WEIGHTS = MetricReason("weights-of-unknown-size", 3)


def limit(key: str, value: float | None, state: str, severity: str = "", **changes) -> LimitOutcome:
    made = LimitOutcome(
        id=key,
        group="engine",
        title=_title(key),
        unit="ms",
        bound="max",
        limit=12,
        value=value,
        at_least=False,
        state=state,
        severity=severity,
    )
    return dataclasses.replace(made, **changes)


def ordinary() -> list[LimitOutcome]:
    """Return an outcome of each kind and of each unit."""
    return [
        limit("latency-ms", 11.5, "held"),
        limit("latency-p99-ms", 12.0004, "broken", "error"),
        limit("throughput-qps", 950.0, "broken", "warn", unit="queries/s", bound="min", limit=1000),
        limit("engine-size-mib", None, "unknown", "warn", unit="MiB", limit=25.5, reason=[NO_SIZE]),
        limit("weights-mib", 11.16, "unknown", "error", unit="MiB", at_least=True, reason=[WEIGHTS]),
        limit("layers", 12, "held", unit=""),
        limit("reformats", 30, "off", unit=""),
        limit("findings.TRX302", 2, "broken", "error", group="findings", unit="", limit=0, layers=["a", "b"]),
        limit("regression.time-percent", 2.36, "broken", "error", group="regression", unit="%", limit=2),
        limit("regression.layers", None, "unknown", group="regression", unit="", reason=[NO_BASELINE]),
        limit(
            "part.1.share-percent", 53.83, "broken", "error", group="part", unit="%", limit=20, layers=["c"]
        ),
    ]


def check_of(
    outcomes: list[LimitOutcome], name: str = "engine", *, remarks: Sequence[CheckRemark] = ()
) -> BudgetCheck:
    """Return a check with these outcomes, counted."""
    states = {
        state: sum(each.state == state for each in outcomes) for state in ("held", "broken", "unknown", "off")
    }
    levels = {level: sum(each.severity == level for each in outcomes) for level in ("warn", "error")}
    return BudgetCheck(
        engine=identity(name),
        baseline=identity(f"old {name}"),
        budget="trexreport.toml",
        failed=bool(levels["error"]),
        counts={**states, **levels},
        outcomes=outcomes,
        remarks=remarks,
        sources=[SourceFacts("graph", f"{name}.graph.json", 12, "ab" * 32)],
    )


def hostile(text: str) -> BudgetCheck:
    """Return a check with a text wherever a file or a user may write one."""
    outcomes = [
        dataclasses.replace(
            each,
            title=LimitTitle("part", "time-ms", part=text),
            reason=[MetricReason("rule-not-run", 1, names=("TRX302", text))],
            layers=[text] * bool(each.layers),
            id=f"findings.{number}{text}" if each.group == "findings" else each.id,
        )
        for number, each in enumerate(ordinary())
    ]
    check = check_of(outcomes, text, remarks=["unused-baseline"])
    return dataclasses.replace(check, engine=identity(text, text))
