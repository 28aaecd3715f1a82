"""The times of layers, as any file of them is read."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import field

from trexreport.lazy_dataclass import dataclass
from trexreport.model import InputWarning, LayerTime
from trexreport.reader.profile_values import ProfileRow


@dataclass(frozen=True)
class LayerProfile:
    """The rows of a profile in the file's order, and how many iterations they cover.

    Attributes:
        unlisted_part: Time of layers without a row, as a multiple of that of the rows.
        is_sum: The times are sums over an unknown number of runs.
        source: What has them, in words.
    """

    rows: tuple[ProfileRow, ...]
    iterations: int | None = None
    notes: tuple[InputWarning, ...] = field(default=())
    unlisted_part: float = 0.0
    is_sum: bool = False
    source: str = "profile"

    @property
    def names(self) -> frozenset[str]:
        """The names of the layers."""
        return frozenset(row.name for row in self.rows)

    @property
    def layers_ms(self) -> float:
        """The sum of the average times, of those that are known."""
        return math.fsum(row.time.avg_ms or 0.0 for row in self.rows if row.time)


def time_of_samples(samples: tuple[float, ...]) -> LayerTime:
    """Return the figures of one layer from the milliseconds of its iterations, at least one."""
    ordered = sorted(samples)
    middle = len(ordered) // 2
    median = ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2
    total = math.fsum(samples)
    return LayerTime(total / len(samples), median, total, None, samples)


def unmeasured_if_zero(
    rows: Sequence[ProfileRow], name: str
) -> tuple[tuple[ProfileRow, ...], list[InputWarning]]:
    """Return the rows without their times if all of these are 0, and a note of it: nothing takes no time."""
    times = [row.time for row in rows if row.time is not None]
    if not times or any(time.avg_ms or time.median_ms or time.total_ms for time in times):
        return tuple(rows), []
    message = f"All times in {name} are 0: nothing was measured, so no layer has a time."
    hint = "Profile it again, with iterations that run."
    note = InputWarning("degraded", "profile-zero", message, name, ("latency", "layers"), hint)
    return tuple(ProfileRow(row.name, None) for row in rows), [note]
