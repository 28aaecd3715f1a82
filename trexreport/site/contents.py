"""What a site contains."""

from __future__ import annotations

from dataclasses import dataclass, field

from trexreport.site.entries import Entry, Failure
from trexreport.site.history import History


@dataclass
class Site:
    """What a site contains, and what was done for it.

    Attributes:
        entries: Engines, in the order of their places.
        failures: Captures and comparisons that could not be made.
        histories: Of models and GPUs.
        comparisons: Page to the addresses of the earlier and the later engine.
        made: How many pages of engines and comparisons were made.
        removed: How many pages of captures that are gone were removed.
    """

    entries: list[Entry] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    histories: list[History] = field(default_factory=list)
    comparisons: dict[str, tuple[str, str]] = field(default_factory=dict)
    made: int = 0
    removed: int = 0
