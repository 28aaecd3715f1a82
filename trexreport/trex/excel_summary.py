"""TREx's workbook of an engine: tables, images, and the charts of its report card as charts of Excel.

TREx puts pictures of its charts into the workbook, for which Plotly needs Kaleido and Chrome. Here they are
charts of the workbook beside their data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trexreport.errors import MissingToolError, UsageError
from trexreport.trex._libraries import has_library, pass_on
from trexreport.trex.engine_plan import EnginePlan
from trexreport.trex.report_card import report_card_memory_footprint, report_card_perf_overview

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "MAX_PERMISSIBLE_NAME_LENGTH",
    "EnginePlan",
    "ExcelSummary",
    "report_card_memory_footprint",
    "report_card_perf_overview",
]
__getattr__ = pass_on(__name__, __all__, "Dict logging pd plotly tempfile xlsxwriter")

#: Of the names of sheets, in Excel.
MAX_PERMISSIBLE_NAME_LENGTH = 31
_FORBIDDEN = str.maketrans(dict.fromkeys("[]:*?/\\", " "))
#: Excel shows no longer text in a cell, and no more points in a chart.
_LONGEST_TEXT = 32_767
_MOST_POINTS = 32_000
_BINS = 30


class ExcelSummary:
    """A workbook of an engine; it is written by `save`, or at the end of a `with` block.

    Args:
        plan: The engine.
        path: Of the workbook; an older file is replaced.

    Attributes:
        Excelwriter: The writer of pandas, whose `book` is a workbook of XlsxWriter.
        supported_reports: Name to function of the reports that have charts.

    Raises:
        MissingToolError: XlsxWriter is not installed.
    """

    def __init__(self, plan: EnginePlan, path: str | Path = "engine_summary.xlsx") -> None:
        if not has_library("xlsxwriter"):
            raise MissingToolError(
                "The package XlsxWriter is not installed.", "Install it: pip install xlsxwriter."
            )
        import pandas as pd

        self.plan = plan
        self.path = str(path)
        # A text that begins with "=" is not a formula, and one that begins with "http" not a link.
        texts = {"strings_to_formulas": False, "strings_to_urls": False, "nan_inf_to_errors": True}
        self.Excelwriter = pd.ExcelWriter(self.path, engine="xlsxwriter", engine_kwargs={"options": texts})
        self.supported_reports: dict[str, Callable[..., Any]] = {
            "report_card_perf_overview": report_card_perf_overview,
            "report_card_memory_footprint": report_card_memory_footprint,
        }

    def __enter__(self) -> ExcelSummary:  # noqa: PYI034 - Python 3.10 has no Self
        return self

    def __exit__(self, *_: object) -> None:
        self.save()

    def add_dataframes(self, df_dict: Mapping[str, pd.DataFrame]) -> None:
        """Add tables, each on the sheet of its name."""
        for name, frame in df_dict.items():
            shown = frame.map(_cell)
            shown.to_excel(self.Excelwriter, sheet_name=self._free(name), index=False, startrow=3, startcol=1)

    def add_images(self, image_dict: Mapping[str, str | Path]) -> None:
        """Add image files, each on the sheet of its name."""
        for name, path in image_dict.items():
            if not Path(path).is_file():
                raise UsageError(f"{path} does not exist or is not a file.", "Name an image, such as a .png.")
            self.Excelwriter.book.add_worksheet(self._free(name)).insert_image("A1", str(path))

    def generate_default_summary(self, save: bool = True) -> None:
        """Add the table of the layers, and a sheet for each chart of latency and memory.

        Args:
            save: Write the workbook, too.
        """
        self.add_dataframes({"Plan": self.plan.df})
        for report in self.supported_reports:
            self._add_report(report)
        if save:
            self.save()

    def _add_report(self, report_name: str) -> None:
        if report_name not in self.supported_reports:
            known = ", ".join(self.supported_reports)
            raise ValueError(f"{report_name} is not a supported report: {known}")
        for title, draw in self.supported_reports[report_name](self.plan).items():
            self._add_figure(title, draw(title=title, do_show=False))

    def _add_figure(self, title: str, figure: Any) -> None:
        """Add a sheet with the values of a figure in columns, and a chart of each of its traces."""
        name = self._free(title)
        sheet, book = self.Excelwriter.book.add_worksheet(name), self.Excelwriter.book
        for number, (kind, labels, values, colors) in enumerate(_series(figure)):
            column = 2 * number
            sheet.write_column(0, column, ["", *map(_cell, labels)])
            sheet.write_column(0, column + 1, [title, *values])
            chart = book.add_chart({"type": kind})
            last = len(values)
            chart.add_series(
                {
                    "name": title,
                    "categories": [name, 1, column, last, column],
                    "values": [name, 1, column + 1, last, column + 1],
                    "points": [{"fill": {"color": color}} if color else None for color in colors],
                    "gap": 20,
                }
            )
            chart.set_title({"name": title})
            if kind != "pie":
                chart.set_legend({"none": True})
            chart.set_size({"width": 960, "height": 480})
            sheet.insert_chart(3 + 26 * number, 5, chart)

    def _free(self, name: str) -> str:
        """Return a name of a sheet that Excel takes and no sheet has."""
        plain = name.translate(_FORBIDDEN).strip("' ") or "Sheet"
        taken = {each.lower() for each in self.Excelwriter.sheets}
        for number in range(1, len(taken) + 2):
            ending = f" {number}" if number > 1 else ""
            free = plain[: MAX_PERMISSIBLE_NAME_LENGTH - len(ending)] + ending
            if free.lower() not in taken:
                return free
        return plain[:MAX_PERMISSIBLE_NAME_LENGTH]

    def save(self) -> None:
        """Write the workbook; then nothing can be added to it."""
        self.Excelwriter.close()
        print(f"{self.path} has been saved")


def _cell(value: Any) -> Any:
    """Return a value that a cell can hold."""
    if isinstance(value, (list, dict)):
        value = str(value)
    return value[:_LONGEST_TEXT] if isinstance(value, str) else value


def _series(figure: Any) -> Iterator[tuple[str, list[Any], list[Any], list[str | None]]]:
    """Yield kind, labels, values and colors of what a Plotly figure shows; rings are pies of their leaves."""
    traces = list(figure.data)
    kinds = {trace.type for trace in traces}
    if kinds == {"histogram"}:
        yield _histogram([float(value) for trace in traces for value in trace.x])
        return
    for trace in traces:
        if trace.type in ("pie", "sunburst"):
            labels, values = list(trace.labels), list(trace.values)
            if trace.type == "sunburst":
                leaves = _leaves(trace)
                labels, values = [labels[at] for at in leaves], [values[at] for at in leaves]
            yield "pie", labels, values, [None] * len(values)
        elif trace.type == "bar":
            across = trace.orientation == "h"
            labels, values = (trace.y, trace.x) if across else (trace.x, trace.y)
            count = min(len(values), _MOST_POINTS)
            colors = _hex_colors(trace.marker.color, count)
            yield "bar" if across else "column", list(labels)[:count], list(values)[:count], colors


def _leaves(trace: Any) -> list[int]:
    """Return the positions of the outermost parts of rings, named by their whole path."""
    parents = set(trace.parents)
    return [at for at, name in enumerate(trace.ids) if name not in parents]


def _histogram(values: list[float]) -> tuple[str, list[Any], list[Any], list[str | None]]:
    import numpy as np

    counts, edges = np.histogram(values, bins=min(_BINS, max(1, len(values))))
    labels = [f"{low:.4g} to {high:.4g}" for low, high in pairwise(edges)]
    return "column", labels, counts.tolist(), [None] * len(labels)


def _hex_colors(colors: Any, count: int) -> list[str | None]:
    """Return the colors that XlsxWriter takes: "#rrggbb"; it colors the others itself."""
    if not isinstance(colors, (list, tuple)):
        return [None] * count
    known = {"red": "#FF0000", "orange": "#FFA500", "lightgray": "#D3D3D3", "gray": "#808080"}
    known["deepskyblue"] = "#00BFFF"
    return [each if str(each).startswith("#") else known.get(str(each)) for each in colors][:count]
