"""TREx's charts: their values, colors and axes, whether or not they are shown."""

from __future__ import annotations

import pandas as pd
import pytest

from trexreport.trex import _stacks, notebook, plotting

FRAME = pd.DataFrame({"Name": ["a", "b"], "ms": [1.5, 2.5], "kind": ["x", "y"], "size": [[1, 1], [3, 3]]})


@pytest.fixture
def shown(monkeypatch):
    """Figures that are shown."""
    found = []
    monkeypatch.setattr(plotting, "show", found.append)
    monkeypatch.setattr(_stacks, "show", found.append)
    return found


def test_bars(shown):
    figure = plotting.plotly_bar2(FRAME, "Title", "ms", "Name", color="kind", colormap={"x": "red"})
    (bar,) = figure.data
    assert (list(bar.x), list(bar.y)) == (["a", "b"], [1.5, 2.5])
    assert list(bar.marker.color) == ["red", "gray"]
    assert figure.layout.title.text == "Title"
    assert figure.layout.yaxis.title.text == "ms"
    assert shown == [figure]


def test_bars_that_lie_and_are_not_shown(shown):
    figure = plotting.plotly_bar2(FRAME, "", "ms", "Name", orientation="h", color="ms", do_show=False)
    assert list(figure.data[0].y) == ["a", "b"]
    assert list(figure.data[0].marker.color) == [1.5, 2.5]
    assert figure.layout.xaxis.title.text == "ms"
    assert shown == []


def test_colors_of_lists_such_as_kernel_sizes():
    figure = plotting.plotly_bar2(FRAME, "", "ms", "Name", color="size", do_show=False)
    assert list(figure.data[0].marker.color) == plotting.default_pallete[:2]


def test_several_tables_have_a_bar_each():
    figure = plotting.plotly_bar2(
        {"one": FRAME, "two": FRAME}, "", "ms", "Name", showlegend=True, do_show=False
    )
    assert [bar.name for bar in figure.data] == ["one", "two"]


def test_histogram():
    colors = {"x": "red"}
    figure = plotting.plotly_hist(FRAME, "Title", "ms", "Time", "kind", colormap=colors, do_show=False)
    assert [(trace.name, trace.marker.color) for trace in figure.data] == [("x", "red"), ("y", "gray")]
    assert figure.layout.xaxis.title.text == "Time"


def test_pies():
    pie = plotting.plotly_pie(FRAME, "", "ms", "kind", do_show=False).data[0]
    assert (list(pie.labels), list(pie.values)) == (["x", "y"], [1.5, 2.5])
    charts = [(FRAME, f"pie {n}", "ms", "kind") for n in range(4)]
    figure = plotting.plotly_pie2("Title", charts, colormap={"y": "blue"}, do_show=False)
    assert len(figure.data) == 4
    assert list(figure.data[3].marker.colors) == ["gray", "blue"]
    assert [note.text for note in figure.layout.annotations] == ["pie 0", "pie 1", "pie 2", "pie 3"]
    assert len(plotting.plotly_pie2("Title", [], do_show=False).data) == 0


def test_stacked_bars(shown, monkeypatch):
    tables = []
    monkeypatch.setattr(notebook, "table_display_backend", tables.append)
    other = pd.DataFrame({"kind": ["y", "z"], "ms": [4.0, 5.0]})
    figure = plotting.stacked_bars(
        "Title", ["one", "two"], [FRAME, other], "kind", "ms", colormap={"x": "red"}
    )
    assert {bar.name: list(bar.y) for bar in figure.data} == {"x": [1.5, 0], "y": [2.5, 4.0], "z": [0, 5.0]}
    assert figure.layout.barmode == "stack"
    assert shown == [figure]
    (table,) = tables
    assert table.to_dict("list") == {"ms": ["x", "y", "z"], "one": [1.5, 2.5, 0.0], "two": [0.0, 4.0, 5.0]}
    assert plotting.stacked_bars("", ["a"], [other], "kind", "ms", fig=figure, display_tbl=False) is figure
    assert len(shown) == 1


def test_a_figure_without_a_notebook_is_its_title(monkeypatch, capsys):
    monkeypatch.setattr(_stacks, "has_library", lambda _: False)
    plotting.plotly_bar2(FRAME, "Time of layers", "ms", "Name")
    assert capsys.readouterr().out == "Figure: Time of layers\n"


def test_tables_without_a_notebook_are_printed(monkeypatch, capsys):
    monkeypatch.setattr(notebook, "has_library", lambda _: False)
    notebook.display_df(FRAME, range_highlights={})
    notebook.set_wide_display()
    notebook.display_df_dtale(FRAME)
    notebook.display_df_qgrid(FRAME)
    assert capsys.readouterr().out.count("kind") == 3
    assert "&lt;b&gt;" in notebook.section_header("<b>")._repr_html_()


def test_tables_can_be_shown_by_another_function(monkeypatch):
    monkeypatch.setattr(notebook, "table_display_backend", notebook.display)
    found = []
    notebook.set_table_display_backend(found.append)
    notebook.display_df(FRAME, unknown_option=1)
    assert found == [FRAME]
