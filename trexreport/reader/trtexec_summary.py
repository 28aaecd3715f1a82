"""Take the performance summary of trtexec's log line by line, also of copies without trtexec's prefixes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from trexreport.model import Statistic
from trexreport.model.commands import FORMAT_OF_7, LOG_FORMAT
from trexreport.reader.earlier_summary import EarlierSummary
from trexreport.reader.trtexec_facts import read_cut_statistic, read_statistic
from trexreport.reader.values import number
from trexreport.regex import regex

#: Figures that stand alone: the name of each in `Measurement`, and its unit.
_TOTALS = {
    "Throughput": ("throughput_qps", "qps"),
    "Total Host Walltime": ("walltime_s", "s"),
    "Total GPU Compute Time": ("gpu_time_s", "s"),
}
#: In characters: a line of figures is no longer, however many percentiles it has.
_LONGEST_LINE = 4000
_STATISTICS = ("Latency: ", "Enqueue Time: ", "GPU Compute Time: ", "H2D Latency: ", "D2H Latency: ")
#: A line without trtexec's prefix: bare, in a list or table of Markdown, or after what a program wrote.
_PLAIN = regex(
    r"(?:.{0,160}?[\s|>*_`\]])??(?P<name>Throughput|(?:(?:End-to-End Host|H2D|D2H) )?Latency|Enqueue Time"
    r"|GPU Compute Time|Total Host Walltime|Total GPU Compute Time)[*_`]{0,3} ?[:|][ *_`]{0,4}"
    r"(?P<value>min ?=.{1,1000}?|[-+.\w]{1,30} (?:qps|s))[ |*_`]{0,200}",
    re.ASCII,
)


def is_figure(text: str) -> bool:
    """Return whether a line of trtexec is one of the summary: an excerpt may lack the heading before it."""
    name, _, value = text.partition(": ")
    return name in _TOTALS or value.startswith("min = ")


@dataclass
class Summary:
    """The figures of a performance summary.

    Attributes:
        statistics: By name what a line states.
        totals: Figures that stand alone, by their names in `Measurement`.
        earlier: Those of trtexec 7.
        unreadable: Names of lines that cannot be read.
        cut: Name of each line that ends before its last figure, and the last part of the line.
    """

    statistics: dict[str, Statistic] = field(default_factory=dict)
    totals: dict[str, Any] = field(default_factory=dict)
    earlier: EarlierSummary = field(default_factory=EarlierSummary)
    unreadable: list[str] = field(default_factory=list)
    cut: dict[str, str] = field(default_factory=dict)
    _open: tuple[str, str] | None = None

    def take(self, text: str) -> None:
        """Read a line; it is known by its form, for a log may lack the heading."""
        name, _, value = text.partition(": ")
        figure, unit = _TOTALS.get(name, ("", ""))
        if unit and value.endswith(" " + unit):
            amount = number(value.removesuffix(unit))
            if amount is None:
                self.unreadable.append(name)
            else:
                self.totals.setdefault(figure, amount)
        elif value.startswith("min = "):
            statistic = read_statistic(value)
            if statistic is None:
                self._open = name, value
                self._take_cut(name, value)
            elif name not in self.statistics or name in self.cut:
                self.statistics[name] = statistic
                self.cut.pop(name, None)
        else:
            self.earlier.take(text)

    def take_plain(self, text: str) -> bool:
        """Read a line without trtexec's prefix, and return whether it is one of the summary."""
        if "min" not in text and not text.rstrip(" |*_`").endswith((" qps", " s")):
            return False
        found = _PLAIN.fullmatch(text)
        if found is None:
            return False
        self.end_line()
        self.take(f"{found['name']}: {found['value']}")
        return True

    def end_line(self) -> None:
        """Say that what follows does not continue a line of figures."""
        self._open = None

    def continues(self, text: str) -> bool:
        """Read what a page or a terminal put on a line of its own; return whether it is that."""
        if self._open is None or "=" not in text or text.lstrip(" |>*_`").startswith(_STATISTICS):
            return False
        name, value = self._open
        if len(value) + len(text) > _LONGEST_LINE:
            self.end_line()
            return False
        # A terminal breaks words, and a page between them.
        for whole in (f"{value} {text.strip()}", f"{value}{text}"):
            if (statistic := read_statistic(whole)) is not None:
                self._forget(name)
                self.statistics[name] = statistic
                self._open = None
                return True
        self._open = name, f"{value} {text.strip()}"
        self._take_cut(*self._open)
        return True

    def _take_cut(self, name: str, value: str) -> None:
        """Keep what a line states before the place where it is cut, if that has the median."""
        self._forget(name)
        found = read_cut_statistic(value)
        if found is None:
            self.unreadable.append(name)
        else:
            self.statistics[name], self.cut[name] = found

    def _forget(self, name: str) -> None:
        if self.cut.pop(name, None) is not None:
            del self.statistics[name]
        if name in self.unreadable:
            self.unreadable.remove(name)

    def figures(self) -> dict[str, Statistic]:
        """Return all statistics."""
        return {**self.earlier.summary, **self.statistics}

    def all_totals(self) -> dict[str, Any]:
        """Return all figures that stand alone."""
        return {**self.earlier.totals, **self.totals}

    def facts(self) -> dict[str, str]:
        """Return what the format of the summary says of the version that wrote it."""
        return {LOG_FORMAT: FORMAT_OF_7} if self.earlier.is_begun and not self.statistics else {}

    @property
    def is_whole(self) -> bool:
        """True if it has its last line."""
        return "gpu_time_s" in self.all_totals()

    @property
    def is_measured(self) -> bool:
        """True if any figure is known."""
        return any((self.statistics, self.totals, self.earlier.summary, self.earlier.totals))
