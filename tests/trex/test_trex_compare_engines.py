"""TREx's comparison of engines: pairs of layers, their tables, and every chart of the overview."""

from __future__ import annotations

import math

import pytest
from trex_plans import FP32, INT8, convolution, layer, make_plan, small_layers, tensor

from trexreport.trex import _overview, _stacks, compare_engines, interactive, notebook, plotting
from trexreport.trex.compare_engines import aligned_layers, aligned_merge_plans, get_plans_names, match_layers


@pytest.fixture
def plans(tmp_path):
    other = small_layers(INT8)
    other.insert(2, layer("extra", "Reformat", [tensor("b", INT8)], [tensor("b2", FP32)], Origin="REFORMAT"))
    return [make_plan(tmp_path, name="one", throughput=10), make_plan(tmp_path, other, "two", throughput=20)]


@pytest.fixture
def shown(monkeypatch):
    """Figures and tables that are shown, with all choices of lists."""
    found = []

    class EveryChoice:
        def __init__(self, *arguments):
            *renderer, choices, _ = arguments
            for choice, value in choices.items():
                found.append(choice)
                if renderer:
                    renderer[0](choice, value)
                else:
                    value(title=choice)

    for module in (plotting, _stacks, _overview):
        monkeypatch.setattr(module, "show", found.append)
    monkeypatch.setattr(notebook, "table_display_backend", found.append)
    for name in ("InteractiveDiagram", "InteractiveDiagram_2"):
        monkeypatch.setattr(interactive, name, EveryChoice)
    return found


@pytest.mark.parametrize("exact", [True, False])
def test_pairs_are_found_in_the_order_of_execution(plans, exact):
    pairs = match_layers(*plans, exact)
    assert pairs == [(0, 0), (1, 1), (2, 3), (None, 2), (3, 4)]
    assert match_layers(plans[0], plans[0], exact) == [(at, at) for at in range(4)]


def test_the_second_engine_looks_for_its_first_layer_in_turn(tmp_path):
    shapes = [(2, count, 4, 4) for count in (8, 16, 24)]
    one, two = (
        make_plan(
            tmp_path,
            [convolution(f"c{n}", tensor("x", dimensions=shapes[n]), tensor("y")) for n in order],
            name,
        )
        for name, order in (("one", (0, 1, 2)), ("two", (1, 2, 0)))
    )
    # The first takes its 0 and finds it last; then the second takes its 1.
    assert match_layers(one, two, exact_matching=True) == [(0, 2), (1, 0), (2, 1)]


def test_pointwise_layers_match_with_swapped_inputs(tmp_path):
    def add(*inputs):
        return [layer("add", "PointWise", list(inputs), [tensor("out")])]

    wide, narrow = tensor("w", dimensions=(1, 8, 9, 9)), tensor("n", dimensions=(1, 8, 1, 1))
    one, two = make_plan(tmp_path, add(wide, narrow), "one"), make_plan(tmp_path, add(narrow, wide), "two")
    assert match_layers(one, two, exact_matching=True) == [(0, 0)]
    assert match_layers(one, two, exact_matching=False) == [(0, None), (None, 0)]


def test_tables_of_pairs(plans):
    pairs = match_layers(*plans, exact_matching=True)
    merged = aligned_merge_plans(*plans, pairs)
    assert list(merged.columns[-2:]) == ["one", "two"]
    row = merged.iloc[2]
    assert (row["type"], row["avg_time (1)"], row["avg_time (2)"]) == ("PointWise", 3.0, 4.0)
    assert row["speedup (2)"] == 0.75
    assert (row["in-p (1)"], row["in-p (2)"], row["out-p (2)"]) == ("FP16, FP16", "INT8, INT8", "INT8")
    alone = merged.iloc[3]
    assert (alone["one"], alone["two"], alone["avg_time (1)"]) == ("", "extra", 0)
    assert math.isnan(alone["speedup (2)"])
    left, right = aligned_layers(*plans, pairs)
    assert left["name"].tolist() == ["q", "c1", "add", "", "c2"]
    assert right["name"].tolist() == ["q", "c1", "add", "extra", "c2"]
    assert len(aligned_layers(*plans, pairs, "Convolution")[0]) == 2


def test_names_are_distinct(plans):
    assert get_plans_names(plans) == ["one", "two"]
    assert get_plans_names([plans[0], plans[0]]) == ["one0", "one1"]


def test_every_chart_of_the_overview(plans, shown, capsys):
    compare_engines.compare_engines_overview(plans)
    titles = [each for each in shown if isinstance(each, str)]
    assert len(titles) == 9
    assert titles[-1] == "Throughput"
    figures = [each for each in shown if hasattr(each, "to_plotly_json")]
    assert len(figures) == 9
    assert [trace.name for trace in figures[0].data][-2:] == ["Throughput (IPS)", "Real Latency"]
    assert list(figures[0].data[-1].y) == [2.0, 2.0]
    table = next(each for each in shown if hasattr(each, "columns"))
    assert table.set_index("latency.avg_time")["speedup"]["Convolution"] == 6 / 7
    assert 'relative to "one"' in capsys.readouterr().out


@pytest.mark.filterwarnings("ignore")
def test_an_overview_without_throughput_and_batch(shown, tmp_path):
    plans = [make_plan(tmp_path, [{"Name": "station", "LayerType": "TrainStation"}], name) for name in "ab"]
    compare_engines.compare_engines_overview(plans)
    titles = [each for each in shown if isinstance(each, str)]
    assert "Throughput" not in titles
    assert "Stacked latencies by layer type (BS normalized)" not in titles


def test_summaries(plans, shown):
    compare_engines.compare_engines_summaries_tbl(plans)
    compare_engines.compare_engines_summaries_tbl(plans, orientation="horizontal")
    vertical, horizontal = shown
    assert vertical.set_index("attribute").loc["Layers"].tolist() == ["4", "5"]
    assert vertical.set_index("attribute").loc["SMs"].tolist() == [8.0, 8.0]
    assert horizontal.set_index("plan")["Throughput"].tolist() == [10.0, 20.0]


def test_layers_side_by_side(plans, shown, capsys):
    compare_engines.compare_engines_layer_latencies(*plans, threshold=0.03, exact_matching=True)
    tables = dict(zip(shown[0::3], shown[1::3], strict=True))
    assert {name: len(table) for name, table in tables.items()} == {
        "All": 5,
        "Precision Mismatch": 5,
        "Tactic Mismatch": 1,
        "Reformat": 2,
        "Convolution": 2,
        "PointWise": 1,
    }
    assert "one: 10.000 ms\n\ttwo: 15.000 ms" in capsys.readouterr().out


def test_details_of_pairs(plans, shown):
    compare_engines.compare_engines_layer_details(*plans)
    tables = dict(zip(shown[0::2], shown[1::2], strict=True))
    table = tables["1: Convolution"]
    assert table.set_index("attribute")["comparison"].tolist() == ["", 1.0, "Same", *["Different"] * 3]
    assert table["one"].tolist()[:2] == ["c1", 2.0]


def test_engines_of_one_name_get_two(tmp_path, shown):
    plans = [make_plan(tmp_path) for _ in range(2)]
    compare_engines.compare_engines_layer_details(*plans)
    assert [plan.name for plan in plans] == ["small.0", "small.1"]


def test_colors_of_speedups():
    rules = compare_engines.speedup_range_highlights("speedup", 0.03)["speedup"]
    assert (rules["greaterThan"]["value"], rules["lessThan"]["value"]) == (1.03, 0.97)
