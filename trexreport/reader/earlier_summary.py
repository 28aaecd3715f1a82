"""Read the performance summary of trtexec 7, which has a line for each figure.

Below "Host Latency", "Enqueue Time" and "GPU Compute" each::

    min: 1.98584 ms (end to end 1.99707 ms)
    max: 3.29492 ms (end to end 3.31421 ms)
    mean: 2.06069 ms (end to end 2.07367 ms)
    median: 2.03601 ms (end to end 2.04791 ms)
    percentile: 2.5329 ms at 99% (end to end 2.59641 ms at 99%)

and between them "throughput: 479.452 qps", "walltime: 3.00343 s" and "total compute time: 2.86978 s". The
enqueue time has no mean. Source: sampleReporting.cpp of trtexec 7.0 to 7.2.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from trexreport.model import Statistic
from trexreport.reader.values import duration, number
from trexreport.regex import regex

#: Heading to the name of the figures from 8.0 on; those below others are not read.
_FIRST_HEADING = "host latency"
_HEADINGS = {_FIRST_HEADING: "Latency", "gpu compute": "GPU Compute Time", "enqueue time": ""}
_FIGURE = regex(r"(min|max|mean|median): (\S{1,30}) ms(?: \(|$)", re.ASCII)
_PERCENTILE = regex(r"percentile: (\S{1,30}) ms at (\S{1,10})%", re.ASCII)
_TOTAL = regex(r"(throughput|walltime|total compute time): (\S{1,30}) (qps|s)$", re.ASCII)
#: Name of a total to that in `Measurement`.
_TOTALS = {"throughput": "throughput_qps", "walltime": "walltime_s", "total compute time": "gpu_time_s"}


def begins_summary(text: str) -> bool:
    """Return whether a line is the first of a summary."""
    return text.strip().lower() == _FIRST_HEADING


@dataclass
class EarlierSummary:
    """Takes the lines of a summary in turn.

    Attributes:
        summary: Name to the figures that are complete but for percentiles.
        totals: Figures that stand alone, by their names in `Measurement`.
    """

    summary: dict[str, Statistic] = field(default_factory=dict)
    totals: dict[str, float] = field(default_factory=dict)
    _stated: set[str] = field(default_factory=set)
    _name: str = ""
    _figures: dict[str, float] = field(default_factory=dict)

    def take(self, text: str) -> None:
        """Read a line; any other is passed over."""
        if (heading := text.strip().lower()) in _HEADINGS:
            self._name, self._figures = _HEADINGS[heading], {}
        elif found := _FIGURE.match(text):
            value = duration(found[2])
            if value is not None:
                self._figures[found[1]] = value
            self._put({})
        elif found := _PERCENTILE.match(text):
            value, rank = duration(found[1]), number(found[2])
            self._put({} if value is None or rank is None else {rank: value})
        elif found := _TOTAL.match(text):
            self._stated.add(found[1])
            # Some versions count no queries, and state a throughput of 0.
            if amount := number(found[2]):
                self.totals.setdefault(_TOTALS[found[1]], amount)

    def repeats(self, text: str) -> bool:
        """Return whether a line states again what a summary has once, as one of another run."""
        heading, total = _HEADINGS.get(text.strip().lower()), _TOTAL.match(text)
        return bool(heading and heading in self.summary) or bool(total and total[1] in self._stated)

    @property
    def is_begun(self) -> bool:
        """Return whether any line is of this format."""
        return bool(self.summary or self._figures)

    def _put(self, percentiles: dict[float, float]) -> None:
        known = self._figures
        if self._name and known.keys() >= {"min", "max", "mean", "median"}:
            figures = (known["min"], known["max"], known["mean"], known["median"])
            self.summary[self._name] = Statistic(*figures, percentiles)
