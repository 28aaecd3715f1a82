"""Which engine has layers in a row, where not all have."""

from __future__ import annotations

from graph_plans import analysis_of, chain

from trexreport.analyzer.analysis.alignment import AlignedRow
from trexreport.analyzer.comparison.align import changes

ENGINES = [analysis_of(chain(["conv", "relu"])).layers for _ in range(3)]


def row(*layers):
    empty = [[] for _ in layers]
    return AlignedRow([list(each) for each in layers], list(empty), list(empty), list(empty))


def test_a_row_of_another_candidate_is_no_change_of_this_one():
    assert changes(row([], [], [0]), 0, ENGINES) == [[], [], ["candidate only"]]


def test_a_row_of_the_baseline_alone():
    assert changes(row([0], [], [0]), 0, ENGINES) == [[], ["baseline only"], []]


def test_one_layer_in_place_of_two_is_fused_and_two_in_place_of_one_are_split():
    assert "fused" in changes(row([0, 1], [0], [0, 1]), 0, ENGINES)[1]
    assert "split" in changes(row([0], [0, 1], [0]), 0, ENGINES)[1]
