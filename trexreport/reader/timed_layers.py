"""Collect what a log states of timed tactics, within bounds: by layer and formats, the fastest of each."""

from __future__ import annotations

import bisect
import math
from collections import Counter
from dataclasses import dataclass, field

from trexreport.model.tactics import BuildTactics, DropReason, TimedFormats, TimedLayer, TimedTactic
from trexreport.reader.builder_formats import read_combination
from trexreport.reader.values import number

#: Tactics of a combination of formats that are kept, the fastest.
MAX_TACTICS = 12
_MAX_LAYERS = 40_000
_MAX_FORMATS = 500
#: Combinations of formats of all layers; each takes some kilobytes.
_MAX_ALL_FORMATS = 200_000
_LONGEST_MS = 1e9
_LONGEST_S = 1e7


@dataclass
class _Formats:
    tactics: list[TimedTactic] = field(default_factory=list)
    timed: int = 0
    dropped: Counter[DropReason] = field(default_factory=Counter)
    cached: int = 0
    profiling_s: list[float] = field(default_factory=list)
    stamped_s: list[float] = field(default_factory=list)


@dataclass
class _Layer:
    is_operation: bool
    formats: dict[str, _Formats] = field(default_factory=dict)


class TimedLayers:
    """What one build timed."""

    def __init__(self) -> None:
        self._layers: dict[tuple[str, bool], _Layer] = {}
        self._name = ""
        self._text = ""
        self._place: _Formats | None = None
        self._region: tuple[str, _Formats | None] = ("", None)
        self._in_reformats = False
        self._reformats = 0
        self._reformat_s: list[float] = []
        self._reformat_stamped_s: list[float] = []
        self._generation_s: list[float] = []
        self._left_out = 0
        self._all_formats = 0

    def begin_formats(self, text: str) -> None:
        """Begin a combination of formats."""
        self._text, self._in_reformats, self._place = text, False, None

    def begin_layer(self, name: str) -> None:
        """Begin a layer, or what is timed for it next; a combination of formats may have begun before."""
        self._in_reformats = False
        if name != self._name:
            self._name, self._place = name, None

    def begin_operation(self, name: str) -> None:
        """Begin an operation of the Myelin region that is timed."""
        self._in_reformats = False
        if self._region[0] == "":
            self._region = (self._name, self._place)
        # The types of an operation are not stated; those of its region distinguish its tables.
        self._place = self._formats(name, self._text, is_operation=True)

    def leave_operation(self) -> None:
        """Return to the Myelin region after what it timed for its operations."""
        if self._region[0]:
            self._name, self._place = self._region
            self._region = ("", None)

    def begin_reformats(self) -> None:
        """Begin conversions between formats, which are counted and not listed."""
        self._in_reformats, self._place, self._name = True, None, ""

    def count_reformat(self) -> None:
        """Count a conversion that is timed."""
        self._reformats += 1

    def time(self, tactic: str, stated: str, kernel: str, runner: str) -> None:
        """Add a tactic with its time in ms; one that failed has an infinite time."""
        if self._in_reformats:
            return
        place = self._current()
        time_ms = _amount(stated, _LONGEST_MS)
        if place is None:
            return
        if time_ms is None:
            place.dropped["exception"] += 1
            return
        place.timed += 1
        timed = TimedTactic(tactic, time_ms, kernel, runner)
        if len(place.tactics) < MAX_TACTICS or time_ms < place.tactics[-1].time_ms:
            bisect.insort(place.tactics, timed, key=lambda each: each.time_ms)
            del place.tactics[MAX_TACTICS:]

    def fastest(self, tactic: str, stated: str, runner: str) -> None:
        """Take the fastest tactic as the log states it, where its own line is missing."""
        place = None if self._in_reformats else self._current()
        time_ms = _amount(stated, _LONGEST_MS)
        if place is None or time_ms is None or any(each.tactic == tactic for each in place.tactics):
            return
        if not place.tactics or time_ms < place.tactics[0].time_ms:
            place.timed += 1
            place.tactics.insert(0, TimedTactic(tactic, time_ms, "", runner))
            del place.tactics[MAX_TACTICS:]

    def add_left_out(self, count: int) -> None:
        """Count tactics that were timed and whose lines were left out when the log was read."""
        place = None if self._in_reformats else self._current()
        if place is not None:
            place.timed += count

    def drop(self, reason: DropReason) -> None:
        """Count what was not timed."""
        place = None if self._in_reformats else self._current()
        if place is not None:
            place.dropped[reason] += 1

    def profiled(self, stated: str) -> None:
        """Add the time in s that timing took."""
        seconds = _amount(stated, _LONGEST_S)
        if seconds is None:
            return
        place = None if self._in_reformats else self._current()
        if place is None:
            self._reformat_s.append(seconds)
        else:
            place.profiling_s.append(seconds)

    def cached(self, name: str, text: str, tactic: str, stated: str, runner: str) -> None:
        """Add what the timing cache answered."""
        if name.startswith("Optimizer Reformat"):
            return
        place = self._formats(name, text)
        time_ms = _amount(stated, _LONGEST_MS)
        if place is None:
            return
        place.cached += 1
        if not place.tactics and time_ms is not None:
            place.tactics.append(TimedTactic(tactic, time_ms, "", runner))

    def generated(self, stated: str) -> None:
        """Add the time in s that the builder took."""
        if (seconds := _amount(stated, _LONGEST_S)) is not None:
            self._generation_s.append(seconds)

    def passed(self, seconds: float) -> None:
        """Add time that passed between two lines to what was being timed."""
        if not 0 <= seconds < _LONGEST_S:
            return
        if self._in_reformats:
            self._reformat_stamped_s.append(seconds)
        elif self._place is not None:
            self._place.stamped_s.append(seconds)

    def close(self) -> None:
        """End what is being timed."""
        self._place, self._name, self._in_reformats, self._region = None, "", False, ("", None)

    def result(self) -> BuildTactics | None:
        """Return what was collected; None if nothing was."""
        from_stamps = self._times_are_of_stamps()
        layers = tuple(
            TimedLayer(
                name,
                tuple(_finished(text, each, from_stamps=from_stamps) for text, each in layer.formats.items()),
                layer.is_operation,
            )
            for (name, _), layer in self._layers.items()
        )
        if not layers:
            return None
        return BuildTactics(
            layers,
            self._reformats,
            _total(self._reformat_stamped_s if from_stamps else self._reformat_s),
            _total(self._generation_s),
            self._left_out,
            from_stamps,
        )

    def _times_are_of_stamps(self) -> bool:
        """Return whether the log does not state how long timing took, as up to 8.5, and has time stamps."""
        every = [each for layer in self._layers.values() for each in layer.formats.values()]
        stated = any(each.profiling_s for each in every) or bool(self._reformat_s)
        return not stated and any(each.stamped_s for each in every)

    def _current(self) -> _Formats | None:
        if self._place is None and self._name:
            self._place = self._formats(self._name, self._text)
        return self._place

    def _formats(self, name: str, text: str, *, is_operation: bool = False) -> _Formats | None:
        key = (name, is_operation)
        layer = self._layers.get(key)
        if layer is None:
            if len(self._layers) >= _MAX_LAYERS:
                self._left_out += 1
                return None
            layer = self._layers[key] = _Layer(is_operation)
        found = layer.formats.get(text)
        if found is None:
            if len(layer.formats) >= _MAX_FORMATS or self._all_formats >= _MAX_ALL_FORMATS:
                self._left_out += 1
                return None
            self._all_formats += 1
            found = layer.formats[text] = _Formats()
        return found


def _finished(text: str, found: _Formats, *, from_stamps: bool) -> TimedFormats:
    inputs, outputs = read_combination(text)
    return TimedFormats(
        text,
        inputs,
        outputs,
        tuple(found.tactics),
        found.timed,
        dict(found.dropped),
        found.cached,
        _total(found.stamped_s if from_stamps else found.profiling_s),
    )


def _amount(stated: str, largest: float) -> float | None:
    """Return an amount; None for infinity and what is not a number."""
    amount = number(stated)
    return amount if amount is not None and math.isfinite(amount) and 0 <= amount <= largest else None


def _total(amounts: list[float]) -> float | None:
    return math.fsum(amounts) if amounts else None
