"""Read the parts of a trtexec log that follow a pattern of their own: build facts, statistics, layers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from trexreport.model import LayerTime, Statistic
from trexreport.reader.profile_values import ProfileRow
from trexreport.reader.trtexec_lines import decode_version
from trexreport.reader.values import duration, number
from trexreport.regex import regex

_WRITTEN_CACHE = "Calibration cache written"
_USED_BY_BUILD = "GPU memory in use beside the build"
# Name of the fact, how its line starts, what follows, and how the value is shown (its unit is trtexec's).
# Sources: sampleEngines.cpp and sampleInference.cpp of trtexec 8.0 to 11.1, messages of the TensorRT library.
_NUMBER = r"([-+.\w]+)"
_FACTS = tuple(
    (name, start, regex(re.escape(start) + rest, re.ASCII), shown)
    for name, start, rest, shown in (
        ("Parse time", "Finished parsing network model. Parse time: ", _NUMBER, "{} s"),
        ("Engine generation completed in", "Engine generation completed in ", _NUMBER + " sec", "{} s"),
        ("Engine built in", "Engine built in ", _NUMBER + " sec", "{} s"),
        ("Engine size", "Created engine with size: ", _NUMBER + " MiB", "{} MiB"),
        ("Engine loaded in", "Engine loaded in ", _NUMBER + " sec", "{} s"),
        ("Loaded engine size", "Loaded engine size: ", r"(.+)", "{}"),
        ("Engine deserialized in", "Engine deserialized in ", _NUMBER + " sec", "{} s"),
        ("Total Host Persistent Memory", "Total Host Persistent Memory: ", r"(\d+)", "{} bytes"),
        ("Total Device Persistent Memory", "Total Device Persistent Memory: ", r"(\d+)", "{} bytes"),
        ("Max Scratch Memory", "Max Scratch Memory: ", r"(\d+)", "{} bytes"),
        ("Max Scratch Memory", "Total Scratch Memory: ", r"(\d+)", "{} bytes"),  # the name up to 8.5
        ("Total Activation Memory", "Total Activation Memory: ", r"(\d+)", "{} bytes"),
        ("Total Weights Memory", "Total Weights Memory: ", r"(\d+)", "{} bytes"),
        (
            "Execution context device memory",
            "Created execution context with device memory size: ",
            _NUMBER + " MiB",
            "{} MiB",
        ),
        (
            "Peak memory of allocators",
            "[MemUsageStats] Peak memory usage of TRT CPU/GPU memory allocators: ",
            r"(.+)",
            "{}",
        ),
        (
            "GPU memory in use at the start",
            "[MemUsageChange] Init CUDA: ",
            r"CPU [-+\d]+, GPU [-+\d]+, now: CPU \d+, GPU (\d+) \(MiB\)",
            "{} MiB",
        ),
        (
            _USED_BY_BUILD,
            "[MemUsageSnapshot] End constructing builder kernel library: ",
            r"CPU \d+ MiB, GPU (\d+) MiB",
            "{} MiB",
        ),
        # The name of 8.0.
        (_USED_BY_BUILD, "[MemUsageSnapshot] Builder end: ", r"CPU \d+ MiB, GPU (\d+) MiB", "{} MiB"),
        ("Plugin library", "Loading supplied plugin library: ", r"(.+)", "{}"),
        ("Timing cache loaded", "Loaded ", r"(\d+ bytes) of timing cache from (.+)", "{} from {}"),
        ("Timing cache saved", "Saved ", r"(\d+ bytes) of timing cache to (.+)", "{} to {}"),
        ("Timing cache", "Could not read timing cache from: ", r"(.+)\. A new .*", "new: {}"),
        ("Timing cache", "Could not read cache from: ", r"(.+)\. A new .*", "new: {}"),  # from 10.16 on
        ("Timing cache", "Local timing cache in use", "()", "local, not stored"),
        (
            "Timing cache hits",
            "Deleting timing cache: ",
            r"(\d+) entries, (?:served )?(\d+) hits",
            "{1} hits, {0} entries",
        ),
        ("Calibration", "Calibrator is not being used", "()", "none: no calibrator was used"),
        ("Last calibration batch", "  Calibrated batch ", r"(\d{1,9}) in ", "{}"),  # from 0 on
        (_WRITTEN_CACHE, "Writing Calibration Cache for calibrator: ", r"(TRT-\d{3,6}-\w{1,60})", "{}"),
        ("Timing cache", "Global timing cache in use", "()", "global, stored"),
    )
)
#: What comes before the activation memory of the engine.
_ACTIVATION_BEFORE = "Total Host Persistent Memory"
#: Of these the first line counts: what is in use later, or done with the cache, is another thing.
_OF_THE_START = frozenset({"GPU memory in use at the start", "Timing cache", "Timing cache loaded"})
_FACT_STARTS = tuple({start for _, start, _, _ in _FACTS})

_PERCENTILE = regex(r"percentile\((.+)%\)")

# Up to 8.4 the name comes first, right-aligned; later it comes last, three spaces after the numbers,
# of which a copy may have one.
#: Cells of a line of the table: sum, average, percentage and a name at least.
_LEAST_CELLS = 4
#: The last line of a whole table, of trtexec and of TensorRT Edge-LLM.
_TOTALS = ("Total", "Stage Total")
_ROW_NAME_LAST = regex(r"\s*(\S+)\s+(\S+)\s+(\S+)\s+(\S+)(?: (?:  )?(.*))?")


def read_build_fact(text: str) -> tuple[str, str] | None:
    """Return the name and value, with unit, of the build fact that a log line states, if it states one."""
    if not text.startswith(_FACT_STARTS):
        return None
    for name, start, pattern, shown in _FACTS:
        if text.startswith(start) and (match := pattern.match(text)):
            return name, shown.format(*(value.strip() for value in match.groups()))
    return None


def version_of_calibration(facts: Mapping[str, str]) -> str:
    """Return the version of TensorRT that wrote a calibration cache, as its name states it; else empty."""
    name = facts.get(_WRITTEN_CACHE, "")
    return decode_version(name.split("-")[1]) if name else ""


def take_build_fact(facts: dict[str, str], text: str) -> bool:
    """Add the build fact that a line of a log states, and return whether it states one.

    Of several lines the last one is of the engine that was built. TensorRT 8.5 and 8.6 state the activation
    memory of a first plan, as large as the limit of the workspace, before the persistent memory, and that of
    the engine after it.
    """
    fact = read_build_fact(text)
    if fact is None:
        return False
    name, value = fact
    if name == _ACTIVATION_BEFORE:
        facts.pop("Total Activation Memory", None)
    if name in _OF_THE_START:
        facts.setdefault(name, value)
    else:
        facts[name] = value
    return True


def read_statistic(text: str) -> Statistic | None:
    """Return the statistic, in ms, of "min = 1 ms, max = 2 ms, ... percentile(99%) = 2 ms", or None.

    One percentile up to trtexec 8.4, as many as --percentile asks for later.
    Source: sampleReporting.cpp (printMetric) of trtexec 8.0 to 11.1.
    """
    # A terminal may break a line within a figure, whose first digits are not the figure.
    if not text.rstrip().endswith("ms") and " ms" in text:
        return None
    return _statistic_of(text.split(","))


#: trtexec writes six digits, so that a median of six digits lacks nothing but its unit.
_WHOLE_MEDIAN = regex(r" ?median = (?=(?:[0-9]\.?){6} ?m?$)[1-9][0-9]{0,5}(?:\.[0-9]{1,6})? ?m?", re.ASCII)


def read_cut_statistic(text: str) -> tuple[Statistic, str] | None:
    """Return what a line of figures states before the place where it ends, and the part that is cut there.

    None if it ends before the median, or has a figure that is not a number before its end.
    """
    *parts, last = text.split(",")
    if last.rstrip().endswith("ms") or not parts:
        return None
    statistic = _statistic_of([*parts, last] if _WHOLE_MEDIAN.fullmatch(last) else parts)
    return (statistic, last.strip()) if statistic is not None else None


def _statistic_of(parts: Sequence[str]) -> Statistic | None:
    figures: dict[str, float] = {}
    percentiles: dict[float, float] = {}
    for part in parts:
        label, _, value = part.partition("=")
        figure = duration(value.strip().removesuffix("ms").removesuffix("m"))
        if figure is None:
            return None
        match = _PERCENTILE.fullmatch(label.strip())
        rank = number(match[1]) if match else None
        if rank is None:
            figures[label.strip()] = figure
        else:
            percentiles[rank] = figure
    try:
        return Statistic(figures["min"], figures["max"], figures["mean"], figures["median"], percentiles)
    except KeyError:
        return None


def is_table_header(text: str) -> bool:
    """Return whether a line is the header of the table of layers, of any version."""
    cells = text.split()
    return (
        len(cells) >= _LEAST_CELLS
        and "Time" in text
        and "(ms)" in text
        and "Layer" in (*cells[:1], *cells[-1:])
    )


@dataclass
class ProfileTable:
    """Collect the rows of the table that --dumpProfile prints.

    Source: sampleReporting.cpp (Profiler::print) of trtexec 8.0 to 11.1; no median up to TensorRT 8.2.

    Attributes:
        refused: Number of each row that can't be read, from 1, to its text.
    """

    has_median: bool = False
    name_first: bool = False
    headed: bool = False
    collected: list[ProfileRow] = field(default_factory=list)
    refused: dict[int, str] = field(default_factory=dict)

    def take(self, text: str) -> bool:
        """Read a header or a row and return whether it was one."""
        if not self.headed:
            self.headed = is_table_header(text)
            self.has_median = "Median" in text
            self.name_first = text.lstrip().startswith("Layer")
            return self.headed
        row = self._read_row(text)
        if row:
            self.collected.append(row)
        elif len(text.split()) >= _LEAST_CELLS and text[:1].isspace():
            self.refused[len(self.collected) + len(self.refused) + 1] = text.strip()
            return True
        return row is not None

    def rows(self) -> tuple[ProfileRow, ...]:
        """Return the layers; the line of totals that ends a whole table is not a layer."""
        return tuple(self.collected[:-1] if self.total_ms() is not None else self.collected)

    def total_ms(self) -> float | None:
        """Return the sum that the line of totals states; None without one."""
        last = self.collected[-1] if self.collected else None
        return last.time.total_ms if last and last.name in _TOTALS and last.time else None

    def _read_row(self, text: str) -> ProfileRow | None:
        """Return the row that a line is, or None."""
        count = 4 if self.has_median else 3
        name, cells = "", []
        if self.name_first:
            name, *cells = text.rsplit(None, count) or [""]
        elif match := _ROW_NAME_LAST.fullmatch(text):
            *cells, name = match.groups(default="")
        numbers = [amount for cell in cells if (amount := duration(cell)) is not None]
        if len(numbers) != count:
            return None
        median = numbers[2] if self.has_median else None
        time = LayerTime(numbers[1], median, total_ms=numbers[0], share_percent=numbers[-1])
        return ProfileRow(name.lstrip() if self.name_first else name, time)
