"""What the errors in a log of trtexec mean, and what to do about them, of the table error_causes.toml."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Literal

from trexreport.lazy_dataclass import dataclass
from trexreport.resources import packaged_table

#: What in a verbose log of the build names the part that was at work: what it timed last, else what it
#: computed costs of.
AtWork = Literal["", "timed", "timed or costed"]


@dataclass(frozen=True)
class Cause:
    """What a text in a log means; the message names groups of the pattern, which ignores case."""

    pattern: str
    message: str
    hint: str = ""
    at_work: AtWork = ""


@cache
def known_causes() -> tuple[Cause, ...]:
    """Return what errors mean; what explains most comes first."""
    return tuple(
        Cause(
            "|".join(each["patterns"]),
            each["message"],
            each.get("hint", "").format_map(remedies()),
            each.get("at_work", ""),
        )
        for each in _table()["causes"]
    )


def remedies() -> Mapping[str, str]:
    """Return remedies by name: of errors in several places, and those that more than the error decides."""
    found: dict[str, str] = _table()["remedies"]
    return found


@cache
def _table() -> Any:
    return packaged_table("reader/error_causes.toml")
