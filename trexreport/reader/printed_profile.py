"""Make a profile of the times of layers that a program prints."""

from __future__ import annotations

import math
from collections.abc import Sequence

from trexreport.model import InputWarning, LayerTime
from trexreport.numbers import counted, format_ms, format_percent
from trexreport.reader.impossible import TIME_MS, ImpossibleValues, quoted
from trexreport.reader.layer_profile import LayerProfile, time_of_samples, unmeasured_if_zero
from trexreport.reader.printed_lines import PrintedLine, Printout
from trexreport.reader.printed_times import PrintedTimes
from trexreport.reader.profile_values import ProfileRow, check_rows
from trexreport.reader.torch_trace import sums_note

_AFFECTED = ("latency", "layers")
#: Half of the last digit of a line, and what a sum of floats loses.
_ROUNDING_MS, _ROUNDING = 0.0005, 0.002


def profile_of(times: PrintedTimes, name: str) -> LayerProfile:
    """Return the times of the layers; of several inferences the average, with each of them as a sample.

    Args:
        times: What a text has.
        name: The file's name, for messages.
    """
    values = ImpossibleValues(name, _AFFECTED)
    layers = times.layers()
    of_table = times.form.heading is not None
    rows = [
        ProfileRow(of_layer, _of_table(lines[-1], values) if of_table else _of_lines(lines, times, values))
        for of_layer, lines in layers
    ]
    iterations = max((len(lines) for _, lines in layers), default=0)
    if of_table:
        iterations = max(lines[-1].count or 0 for _, lines in layers)
    elif times.form.is_average and iterations == 1:
        iterations = 0
    part, notes = _missing(times, layers, name)
    if cut := sum(map(times.is_cut, dict(layers))):
        notes.append(_cut_note(name, cut, times.width))
    for each in times.sums:
        message = f"{quoted(each)} in {name} states the time of the lines above it, so it is not a layer."
        notes.append(InputWarning("info", "profile-sum-line", message, name, _AFFECTED))
    if times.form.is_sum:
        notes.append(sums_note(name))
    checked, zero = unmeasured_if_zero(rows, name)
    if of_table and not times.form.is_sum:
        checked, _ = check_rows(checked, None, values, is_whole=not notes)
    found = (*notes, *zero, *values.notes())
    return LayerProfile(checked, iterations or None, found, part, times.form.is_sum)


def _of_lines(
    lines: Sequence[PrintedLine], times: PrintedTimes, values: ImpossibleValues
) -> LayerTime | None:
    place = quoted(lines[0].name)
    stated = [values.number(TIME_MS, line.ms, place) for line in lines]
    samples = tuple(time_ms for time_ms in stated if time_ms is not None)
    if not samples:
        return None
    if len(samples) == 1 and times.form.is_average:
        return LayerTime(samples[0], None)
    return time_of_samples(samples)


def _of_table(line: PrintedLine, values: ImpossibleValues) -> LayerTime | None:
    time_ms = values.number(TIME_MS, line.ms, quoted(line.name))
    if time_ms is None:
        return None
    return LayerTime(time_ms / (line.count or 1), None, total_ms=time_ms, share_percent=line.share)


def _missing(
    times: PrintedTimes, layers: Sequence[tuple[str, Sequence[PrintedLine]]], name: str
) -> tuple[float, list[InputWarning]]:
    """Return the time of layers without a line, as a multiple of that of the others, and a note on it."""
    whole = [each for each in times.printouts if each.total_ms is not None]
    if not whole:
        return 0.0, []
    stated, listed = math.fsum(each.total_ms or 0.0 for each in whole), math.fsum(map(_listed_ms, whole))
    error = _ROUNDING * stated + _ROUNDING_MS * sum(len(each.lines) for each in whole)
    if abs(stated - listed) <= error or not listed:
        return 0.0, []
    if stated > listed:
        message = f"{name} lists {format_percent(listed / stated)} of the time of all layers that it states."
        hint = "Give the whole printout."
        return stated / listed - 1, [
            InputWarning("degraded", "profile-rows-missing", message, name, _AFFECTED, hint)
        ]
    message = (
        f"The {counted(len(layers), 'layer')} in {name} take {format_ms(listed / len(whole))}, more than the "
        f"{format_ms(stated / len(whole))} that it states for all of them."
    )
    hint = "Give one printout of one engine."
    return 0.0, [InputWarning("degraded", "profile-total", message, name, _AFFECTED, hint)]


def _listed_ms(printout: Printout) -> float:
    return math.fsum(line.ms for line in printout.lines)


def _cut_note(name: str, count: int, width: int) -> InputWarning:
    where = f" at {width} characters" if width else ""
    message = (
        f"The program that wrote {name} cuts names{where}: {counted(count, 'name')} may be incomplete. "
        "Layers of one cut name are distinguished by their order."
    )
    return InputWarning("info", "names-cut", message, name, ("layers",))
