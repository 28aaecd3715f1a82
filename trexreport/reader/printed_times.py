"""Find the times of layers that a program prints in a text, among whatever else it prints.

A program prints a line for each layer, in a form of its own (see `printed_forms.py`): after every inference,
or once, as averages. Names that are cut to a width may be those of several layers.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from trexreport.errors import InputError
from trexreport.lazy_dataclass import dataclass
from trexreport.reader.printed_forms import FORMS, LIKE_LAYERS, OF_LAYERS, OTHER_TIMES, Form
from trexreport.reader.printed_lines import PrintedLine, Printout, without_sums
from trexreport.reader.trtexec_lines import without_colors, without_prefix
from trexreport.regex import regex

#: Fewer lines or different names may be of something else than a network.
_MIN_LINES, _MIN_NAMES, _MIN_OF_LAYERS = 5, 2, 2
_MIN_CERTAIN_LINES = 3
#: Share of the lines that begin their figure in one column, and of the names that are like those of layers.
_ALIGNED, _LIKE_LAYERS = 0.8, 0.5
#: Names of two printouts of one engine that are the same, at least.
_SAME_ENGINE = 0.5
#: What trexreport reads of a log that has it.
_MARKS_OF_LOGS = ("=== Performance summary ===", "=== Profile (", "&&&& RUNNING")
#: How the lines of the forms end, or what is in their headings: most texts have none.
_ENDS = ("ms", "us", "µs", "ms.", "execute", "execute.")
_MARKS = ("Runtime", "Time(ms)", "cost(us)", "ll layers", "layers  :")
#: What a program writes at the end of a name that it cut.
_CUT_MARK = " ****"
_BRACKETED = regex(r"\[[^\[\]]+\]")
_LEAST_WIDTH = 20
_LINE_FORMS = tuple(form for form in FORMS if form.heading is None)
_MS = {"ms": 1.0, "us": 1e-3, "µs": 1e-3}


@dataclass(frozen=True)
class PrintedTimes:
    """The times of layers in a text.

    Attributes:
        form: How they are printed.
        printouts: Those with lines, in the order of the text.
        width: To which names are cut; 0 if they are not.
        sums: Names of lines that state the time of the lines above them.
    """

    form: Form
    printouts: Sequence[Printout]
    width: int = 0
    sums: Sequence[str] = ()

    def is_cut(self, name: str) -> bool:
        """Return whether a name may be the beginning of a longer one."""
        return name.endswith(_CUT_MARK) or (self.width > 0 and len(name) >= self.width)

    def layers(self) -> list[tuple[str, list[PrintedLine]]]:
        """Return the lines of each layer, in the order of the first ones.

        Lines of one name are of one layer, but for cut names, and but for those that every printout repeats.
        """
        lines = [line for printout in self.printouts for line in printout.lines]
        period = _period([line.name for line in lines])
        found: dict[tuple[str, int], list[PrintedLine]] = {}
        for position, line in enumerate(lines):
            if period < len(lines):
                key = (line.name, position % period)
            else:
                key = (line.name, position if self.is_cut(line.name) else -1)
            found.setdefault(key, []).append(line)
        return [(name, of_layer) for (name, _), of_layer in found.items()]


def prints_times(text: str) -> bool:
    """Return whether a text, or its beginning, has times of layers and is not a log of trtexec."""
    return bool(_certain(text))


def find_times(text: str, name: str) -> PrintedTimes | None:
    """Return the times of the layers that a text has; None without them, or for a log of trtexec.

    Raises:
        InputError: It has times in several forms, or of several engines.
    """
    found = _certain(text)
    if not found:
        return None
    if len(found) > 1:
        forms = " and ".join(f"'{each.form.example}'" for each in found[:2])
        raise InputError(
            f"{name} has times of layers in {len(found)} forms: {forms}.", "Keep the lines of one of them."
        )
    times = found[0]
    first = {line.name for line in times.printouts[0].lines}
    for printout in times.printouts[1:]:
        names = {line.name for line in printout.lines}
        if len(names & first) < _SAME_ENGINE * min(len(names), len(first)):
            raise InputError(f"{name} has the times of several engines.", "Keep those of one of them.")
    if times.form.heading is not None:
        # What a table states is of all runs so far; the last one is of the most.
        return PrintedTimes(times.form, times.printouts[-1:])
    return times


def _certain(text: str) -> list[PrintedTimes]:
    """Return what is printed in each form in which a text certainly has times of layers."""
    if any(mark in text for mark in _MARKS_OF_LOGS):
        return []
    printed: dict[str, tuple[Form, list[Printout]]] = {}
    for form, line, total_ms in _lines(text):
        _, printouts = printed.setdefault(form.example, (form, [Printout()]))
        if line is not None:
            printouts[-1].lines.append(line)
        elif printouts[-1].lines:
            printouts[-1].total_ms = total_ms
            printouts.append(Printout())
    found = (_times(form, printouts) for form, printouts in printed.values())
    return [times for times in found if times is not None]


def _lines(text: str) -> Iterator[tuple[Form, PrintedLine | None, float | None]]:
    """Yield each line of a layer with its form, and where a printout begins or ends, with the time of all."""
    table: Form | None = None
    name_line = ""
    for raw in text.split("\n"):
        line = raw.rstrip()
        # Some print the name and the time on lines of their own.
        if name_line and line.startswith("time = "):
            line = f"{name_line}, {line} ms"
        name_line = line if line.startswith("layer = ") else ""
        if table is None and not line.endswith(_ENDS) and not any(mark in line for mark in _MARKS):
            continue
        line = without_prefix(without_colors(line))[0]
        begun = next((form for form in FORMS if form.heading and form.heading.fullmatch(line)), None)
        if begun is not None:
            table = begun
            yield begun, None, None
            continue
        for form in (table,) if table else _LINE_FORMS:
            if form.ending is not None and (end := form.ending.fullmatch(line)):
                yield form, None, float(end["ms"]) * form.unit_ms
                table = None
                break
            if found := form.line.fullmatch(line):
                if form.is_certain or not OTHER_TIMES.fullmatch(found["name"]):
                    yield form, _line(found, form), None
                break


def _line(found: re.Match[str], form: Form) -> PrintedLine:
    groups = found.groupdict()
    name = found["name"]
    if _BRACKETED.fullmatch(name):
        name = name[1:-1]
    time_ms = float(groups.get("total") or groups["ms"]) * form.unit_ms * _MS[groups.get("unit") or "ms"]
    count, share = groups.get("count"), groups.get("share")
    width = found.start("ms") - found.start("name") - 1 if form.is_aligned else 0
    return PrintedLine(
        name, time_ms, int(count) if count else None, float(share) if share else None, width, "\t" in found[0]
    )


def _times(form: Form, printouts: Sequence[Printout]) -> PrintedTimes | None:
    """Return what is printed in a form, if it is of layers."""
    all_lines = [line for printout in printouts for line in printout.lines]
    width = _width(all_lines) if form.is_aligned else 0
    kept = [
        Printout([line for line in each.lines if not width or line.width == width], each.total_ms)
        for each in printouts
    ]
    sums: Sequence[str] = ()
    if form.ending is None:
        kept, sums = without_sums(kept)
    lines = [line for printout in kept for line in printout.lines]
    names = {line.name for line in lines}
    if all(name.isdecimal() for name in names):
        return None
    times = PrintedTimes(form, [each for each in kept if each.lines], width, sums)
    if form.is_certain:
        return times if len(lines) >= _MIN_CERTAIN_LINES else None
    if len(lines) < _MIN_LINES or len(names) < _MIN_NAMES:
        return None
    is_framed = bool(width) or not form.is_aligned or all(line.has_tab for line in lines)
    like_layers = sum(bool(OF_LAYERS.search(name) or LIKE_LAYERS.search(name)) for name in names)
    is_of_layers = (
        sum(bool(OF_LAYERS.search(name)) for name in names) >= _MIN_OF_LAYERS
        or (form.is_aligned and any(printout.total_ms is not None for printout in kept))
        or (form.says_layer and is_framed and like_layers >= _LIKE_LAYERS * len(names))
    )
    return times if is_of_layers else None


def _width(lines: Sequence[PrintedLine]) -> int:
    """Return to which width names are filled and cut; 0 if they are not."""
    if not lines:
        return 0
    width, count = Counter(line.width for line in lines).most_common(1)[0]
    return width if count >= _ALIGNED * len(lines) and width >= _LEAST_WIDTH else 0


def _period(names: Sequence[str]) -> int:
    """Return after how many names all repeat, if they do so twice at least; else their number."""
    borders = [0] * len(names)
    for position in range(1, len(names)):
        border = borders[position - 1]
        while border and names[position] != names[border]:
            border = borders[border - 1]
        borders[position] = border + (names[position] == names[border])
    period = len(names) - borders[-1] if names else 0
    return period if 2 * period <= len(names) else len(names)
