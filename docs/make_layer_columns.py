"""Write the reference of the columns of layers, layer-columns.md.

Run it with the development environment: `python docs/make_layer_columns.py`. A test fails if it is outdated.
"""

from __future__ import annotations

from pathlib import Path

from trexreport.renderer.layer_column import LayerColumn
from trexreport.renderer.layer_columns import LAYER_COLUMNS

PAGE = Path(__file__).resolve().parent / "layer-columns.md"
_INTRODUCTION = """# The columns of layers

<!-- Written by docs/make_layer_columns.py; not to be edited. -->

A layer has the same columns in the table of a report, in its filter, in the files of `trexreport export` and
in the PDF. An empty cell, `null` or an en dash means not measured or not known.

| heading | in files | filter | what it is |
|---|---|---|---|
"""


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")


def page() -> str:
    """Return the page with all columns."""
    return _INTRODUCTION + "".join(map(_row, LAYER_COLUMNS))


def _row(column: LayerColumn) -> str:
    key = f"`{column.key}`" if column.is_exported else ""
    example = column.term + ":…" * (column.term == column.term_name) if column.term else ""
    cells = (column.heading, key, f"`{example}`" if example else "", column.description)
    return f"| {' | '.join(cells)} |\n"


if __name__ == "__main__":
    main()
