"""The cells of TREx's report card: every chart of every list draws, of any engine."""

from __future__ import annotations

import json
import shutil

import pytest
from trex_plans import INT8, layer, make_plan, small_layers, tensor

from trexreport.trex import _scatters, _stacks, graphing, interactive, misc, notebook, plotting, report_card


class EveryChoice:
    """Draws all choices of a list."""

    def __init__(self, *arguments):
        *renderer, choices, _ = arguments
        for choice, value in choices.items():
            if renderer:
                renderer[0](choice, *(value if isinstance(value, (list, tuple)) else (value,)))
            else:
                value(title=choice)


@pytest.fixture
def shown(monkeypatch):
    """Figures and tables that are shown, with all choices of lists."""
    found = []
    for module in (plotting, _stacks, _scatters, report_card):
        monkeypatch.setattr(module, "show", found.append)
    monkeypatch.setattr(notebook, "table_display_backend", found.append)
    for name in ("InteractiveDiagram", "InteractiveDiagram_2"):
        monkeypatch.setattr(interactive, name, EveryChoice)
    return found


LISTS = (
    "report_card_perf_overview_widget",
    "report_card_memory_footprint_widget",
    "report_card_table_view",
    "report_card_gemm_MNK",
    "report_card_gemm_MNK_scatter",
    "report_card_efficiency_vs_latency_3d",
    "report_card_perf_scatter",
    "report_card_reformat_overview",
    "report_card_pointwise_lint",
)


@pytest.mark.parametrize(("name", "count"), list(zip(LISTS, (10, 6, 4, 4, 3, 1, 6, 3, 1), strict=True)))
def test_every_choice_draws(name, count, shown, tmp_path, monkeypatch):
    monkeypatch.setattr(report_card.plotting, "show", shown.append)
    getattr(report_card, name)(make_plan(tmp_path))
    assert len(shown) == count


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.filterwarnings("ignore")
def test_engines_without_such_layers(name, shown, tmp_path):
    odd = [
        {"Name": "station", "LayerType": "TrainStation"},
        layer(
            "dynamic", "Convolution", [tensor("in", dimensions=(-1, 8, 4, 4))], [tensor("out")], Kernel=[1, 1]
        ),
    ]
    plan = make_plan(tmp_path, odd)
    getattr(report_card, name)(plan)
    assert isinstance(shown, list)


def test_values_of_the_overview(tmp_path):
    charts = report_card.report_card_perf_overview(make_plan(tmp_path))
    by_type = charts["Latency per layer type (ms)"](title="t", do_show=False).data[0]
    assert dict(zip(by_type.y, by_type.x, strict=True)) == {
        "Convolution": 6.0,
        "PointWise": 3.0,
        "Reformat": 1.0,
    }
    pies = charts["Precision rollup"](title="t", do_show=False).data
    assert dict(zip(pies[0].labels, pies[0].values, strict=True)) == {"FP16": 3, "FP32": 1}
    rings = charts["Precision per layer type"](title="t", do_show=False).data[0]
    assert dict(zip(rings.ids, rings.values, strict=True))["Convolution/FP16"] == 2


def test_convolutions(tmp_path):
    charts = report_card.report_card_convolutions_overview(
        make_plan(tmp_path).get_layers_by_type("Convolution")
    )
    assert len(charts) == 13
    bars = charts["Fused Multiply-Accumulate (FMAs)"](title="t", do_show=False).data[0]
    assert list(bars.y) == [2 * 8 * 16 * 8 * 9] * 2
    assert len(charts["Latency per convolution (color = kernel size)"](title="t", do_show=False).data) == 1


def test_rings_are_as_large_as_the_time(tmp_path):
    figure = report_card.layer_latency_sunburst(make_plan(tmp_path).df, "t", do_show=False)
    sizes = dict(zip(figure.data[0].ids, figure.data[0].values, strict=True))
    assert (sizes["Convolution"], sizes["Reformat"]) == (60, 10)


def test_times_of_queries(shown, tmp_path):
    path = tmp_path / "timing.json"
    path.write_text(json.dumps([{"latencyMs": 1.5}, {"latencyMs": 2.5}]), encoding="utf-8")
    assert list(report_card.plot_engine_timings(path, do_show=False).data[0].y) == [1.5, 2.5]
    assert report_card.plot_engine_timings(path) is None
    assert len(shown) == 1
    path.write_text(json.dumps([{"latencyMs": -1.5}]), encoding="utf-8")
    with pytest.warns(UserWarning, match=r"timing\.json"):
        assert not len(report_card.plot_engine_timings(path, do_show=False).data[0].y)


def test_reformats_whose_origin_is_damaged(shown, tmp_path):
    origins = ("REFORMAT", ["REFORMAT"], [[]])
    reformats = [
        layer(f"r{at}", "Reformat", [tensor("in")], [tensor("out")], Origin=each)
        for at, each in enumerate(origins)
    ]
    report_card.report_card_reformat_overview(make_plan(tmp_path, reformats))
    assert shown


def test_operations_of_pointwise_layers_are_listed(shown, tmp_path, capsys):
    report_card.report_card_pointwise_lint(make_plan(tmp_path))
    printed = capsys.readouterr().out
    assert "add\n\tconst auto x = a + b\n\tconst auto y = relu(x)\n" in printed
    assert "15.0" in printed.splitlines()[-1]


def test_tables_by_type(shown, tmp_path, capsys):
    report_card.report_card_table_view(make_plan(tmp_path))
    assert "2 Convolution layers take 60.00% (6.00000 ms) of total layer time." in capsys.readouterr().out
    assert [len(table) for table in shown] == [4, 1, 2, 1]


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
def test_graphs(shown, tmp_path, monkeypatch, capsys):
    drawn = []
    monkeypatch.setattr(graphing, "render_dot", lambda graph, name, kind: drawn.append((graph, name, kind)))
    plan = make_plan(tmp_path)
    report_card.report_card_draw_plan_graph(plan, "x")
    assert [each[1:] for each in drawn] == [("x", "svg")] * 5
    monkeypatch.setattr("trexreport.trex._graph_options.has_library", lambda _: False)
    report_card.report_card_draw_plan_graph_extended(plan, "y")
    assert drawn[-1][1:] == ("y", "svg")
    assert "ipywidgets" in capsys.readouterr().out


def test_without_widgets_the_first_choice_is_drawn_and_the_others_are_named(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(interactive, "has_library", lambda _: False)
    titles = []

    def draw(title):
        titles.append(title)

    interactive.InteractiveDiagram_2({"one": draw, "two": draw}, "Diagram:")
    interactive.InteractiveDiagram(
        lambda choice, value: titles.append((choice, value)), {"a": 1, "b": 2}, "Table:"
    )
    interactive.InteractiveDiagram_2({}, "None:")
    assert titles == ["one", ("a", 1)]
    printed = capsys.readouterr().out
    assert "Diagram: one\nInstall ipywidgets to choose among the others: 'two'" in printed
    assert "None: nothing to show" in printed


def test_pointwise_layers_of_both_generations_are_one_table(tmp_path):
    old = layer(
        "old", "PointWise", [tensor("x", INT8)], [tensor("y", INT8)], Instructions=["i"], NbInstructions=1
    )
    new = layer(
        "new", "PointWise", [tensor("y", INT8)], [tensor("z", INT8)], Operations=["o", "p"], NbOperations=2
    )
    plan = make_plan(tmp_path, [{**new, "LayerType": "PointWiseV2"}, old, *small_layers()])
    frame = plan.get_layers_by_type("PointWise")
    assert list(frame["Name"])[:3] == ["old", "add", "new"]
    assert frame["attr.operations"].tolist()[0] == ["i"]
    assert frame["attr.n_operations"].tolist() == [1, 2, 2]


def test_layers_are_grouped_by_lists_such_as_kernel_sizes(tmp_path):
    convolutions = make_plan(tmp_path).get_layers_by_type("Convolution")
    counts = misc.group_count(convolutions, "attr.kernel")
    assert counts.to_dict("list") == {"attr.kernel": [[3, 3]], "count": [2]}
    assert misc.group_count(convolutions, "Weights")["count"].tolist() == [2]


def test_files_are_chosen_with_ipyfilechooser_only(monkeypatch, capsys):
    monkeypatch.setattr(notebook, "has_library", lambda _: False)
    assert notebook.display_filechooser("folder").selected is None
    assert "ipyfilechooser" in capsys.readouterr().out
