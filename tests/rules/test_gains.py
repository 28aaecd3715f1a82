"""Savings are combined without counting time twice, and no combination promises more than there is."""

from __future__ import annotations

import json
import math

import pytest
from case_files import CASES, analyze_case, run_case
from hypothesis import given
from hypothesis import strategies as st

from trexreport.analyzer.analysis.gains import Gain, GainBasis, GainPart
from trexreport.analyzer.rules.gains import add, bound, estimate, from_zero, limited, union, with_percent
from trexreport.analyzer.rules.gains import of_layers as made_of_layers
from trexreport.analyzer.rules.registry import built_in_rules

#: Time of each layer in ms.
TIMES = [0.0, 0.5, 1.0, 2.0, 4.0]
WHOLE_MS = 10.0


def by_layers(ranges, kind="estimate", code="roof"):
    """Return savings of layer to its range."""
    parts = [GainPart(layer, *ranges[layer]) for layer in sorted(ranges)]
    sums = (math.fsum(getattr(part, name) for part in parts) for name in ("low_ms", "high_ms"))
    return Gain(kind, *sums, [GainBasis(code)], parts)


def ranges_of(layer):
    limit = TIMES[layer]
    return st.tuples(st.floats(0, limit), st.floats(0, limit)).map(lambda two: tuple(sorted(two)))


kinds = st.sampled_from(["bound", "estimate"])
of_layers = st.sets(st.integers(0, 4), min_size=1).flatmap(
    lambda layers: st.builds(
        by_layers, st.fixed_dictionaries({each: ranges_of(each) for each in layers}), kinds
    )
)
of_queries = st.floats(0, WHOLE_MS).map(bound)
gains = st.lists(st.one_of(of_layers, of_queries), min_size=1, max_size=6)


@given(gains, st.sampled_from([add, union]))
def test_together_is_at_least_the_largest_and_at_most_the_sum_and_the_time(some, combine):
    found = combine(some, TIMES.__getitem__, WHOLE_MS)
    touched = {part.layer for gain in some for part in gain.parts}
    limit = sum(TIMES[layer] for layer in touched) + WHOLE_MS * any(not gain.parts for gain in some)
    slack = 1e-9
    for name in ("low_ms", "high_ms"):
        each = [getattr(gain, name) for gain in some]
        assert max(each) - slack <= getattr(found, name) <= min(math.fsum(each), limit) + slack
    assert 0 <= found.low_ms <= found.high_ms + slack
    assert [part.layer for part in found.parts] == sorted(touched)
    assert (found.kind == "bound") == all(gain.kind == "bound" for gain in some)


@given(gains, st.sampled_from([add, union]))
def test_what_was_combined_stays_the_same_when_it_is_combined_again(some, combine):
    """What is beside the times of layers, such as gaps between them, too."""
    once = combine(some, TIMES.__getitem__, WHOLE_MS)
    again = combine([once], TIMES.__getitem__, WHOLE_MS)
    assert (again.low_ms, again.high_ms) == pytest.approx((once.low_ms, once.high_ms), abs=1e-8)
    assert again.parts == once.parts


def test_savings_that_are_only_in_part_of_layers_are_a_share_of_the_query():
    mixed = union([by_layers({3: (0.0, 2.0)}), estimate(0.0, 4.0)], TIMES.__getitem__, WHOLE_MS)
    shares = [with_percent(gain, 8.0, 12.0).high_percent for gain in (mixed, by_layers({3: (0.0, 2.0)}))]
    assert shares == pytest.approx([50.0, 25.0])


@given(gains)
def test_one_fix_saves_no_more_than_several(some):
    one, several = union(some, TIMES.__getitem__, WHOLE_MS), add(some, TIMES.__getitem__, WHOLE_MS)
    assert one.high_ms <= several.high_ms + 1e-9
    assert one.low_ms <= several.low_ms + 1e-9


@given(of_layers)
def test_the_same_savings_twice_are_one_fix_but_two_fixes(gain):
    one = union([gain, gain], TIMES.__getitem__, WHOLE_MS)
    assert (one.low_ms, one.high_ms) == pytest.approx((gain.low_ms, gain.high_ms))


def test_savings_of_disjoint_layers_are_added_by_both():
    some = [by_layers({1: (0.1, 0.2)}), by_layers({3: (1.0, 2.0)}, code="published")]
    for combine in (add, union):
        found = combine(some, TIMES.__getitem__, WHOLE_MS)
        assert (found.low_ms, found.high_ms) == pytest.approx((1.1, 2.2))
        assert [basis.code for basis in found.bases] == ["published", "roof"]


def test_nothing_together_is_not_known():
    assert add([], TIMES.__getitem__, WHOLE_MS) is None


def test_references_to_other_layers_are_joined():
    def of(references):
        return Gain(
            "estimate", 0.1, 0.2, [GainBasis("same-engine", 1.5, 2.0, references)], [GainPart(2, 0.1, 0.2)]
        )

    (basis,) = union([of([3]), of([1, 3])], TIMES.__getitem__, WHOLE_MS).bases
    assert basis.references == [1, 3]


class Layer:
    def __init__(self, index):
        self.index, self.avg_ms = index, TIMES[index]


@given(st.floats(-5, 20), st.floats(0, 20), st.lists(st.integers(0, 4).map(Layer), max_size=4))
def test_a_rule_states_no_more_than_the_time_of_its_layers(low, width, layers):
    found = limited(estimate(low, low + width), layers, TIMES.__getitem__, WHOLE_MS)
    limit = sum(TIMES[index] for index in {each.index for each in layers}) if layers else WHOLE_MS
    assert 0 <= found.low_ms <= found.high_ms <= limit + 1e-9
    assert found.high_ms == pytest.approx(min(max(low + width, 0.0), limit))
    assert math.fsum(part.high_ms for part in found.parts) == pytest.approx(found.high_ms if layers else 0.0)


anything = st.floats(-20, 20)


@given(st.lists(st.tuples(st.integers(0, 4).map(Layer), anything, anything), min_size=1))
def test_the_least_that_sources_show_never_exceeds_the_most(ranges):
    gain = made_of_layers("estimate", ranges)
    assert 0 <= gain.low_ms <= gain.high_ms
    assert all(0 <= part.low_ms <= part.high_ms <= TIMES[part.layer] for part in gain.parts)


def test_a_least_above_another_limit_is_that_limit():
    gain = made_of_layers("estimate", [(Layer(3), 1.6, 1.5)])
    assert (gain.low_ms, gain.high_ms) == (1.5, 1.5)


def test_layers_that_take_no_time_save_none(tmp_path):
    layers = analyze_case({"layers": ["a", "b"]}, tmp_path).layers
    found = limited(bound(3.0), layers, lambda _: 0.0, WHOLE_MS)
    assert (found.low_ms, found.high_ms, [*found.parts]) == (0.0, 0.0, [])


def test_percentages_are_of_layer_time_or_of_the_query():
    of_parts = with_percent(by_layers({3: (1.0, 2.0)}), 8.0, WHOLE_MS)
    assert (of_parts.low_percent, of_parts.high_percent) == (12.5, 25.0)
    assert with_percent(bound(1.0), 8.0, WHOLE_MS).high_percent == 10.0
    assert with_percent(bound(1.0), 8.0, 0.0).high_percent is None


@pytest.mark.parametrize(("name", "share"), [("fires-on-both", 1.0), ("fires-layouts-not-stated", 0.0)])
def test_a_round_trip_is_certain_to_be_undone_only_between_known_layouts(name, share, tmp_path):
    case = json.loads((CASES / "TRX203" / f"{name}.json").read_text("utf-8"))
    rule = next(each for each in built_in_rules() if each.code == "TRX203")
    _, outcome = run_case(case, rule, tmp_path)
    (place,) = outcome.findings[0].places
    assert place.gain.high_ms > 0
    assert place.gain.low_ms == pytest.approx(share * place.gain.high_ms)


@pytest.mark.parametrize("combine", [add, union])
def test_savings_alone_are_limited_as_those_of_several_are(combine):
    exceeding = Gain("estimate", 0.0, 20.0, [GainBasis("roof")], [GainPart(1, 0.0, 0.5)])
    found = combine([exceeding], TIMES.__getitem__, WHOLE_MS)
    assert (found.low_ms, found.high_ms) == (0.0, 0.5 + WHOLE_MS)
    too_long = by_layers({1: (0.0, 2.0)})
    assert combine([too_long], TIMES.__getitem__, WHOLE_MS).high_ms == 0.5
    turned = Gain("bound", 1.0, 1.0, (), [GainPart(3, 0.5, 0.5), GainPart(2, 0.5, 0.5)])
    assert [part.layer for part in combine([turned], TIMES.__getitem__, WHOLE_MS).parts] == [2, 3]


def test_savings_from_zero_are_based_on_what_saves_nothing():
    bases = [GainBasis("roof", 0.45, 0.85), GainBasis("published", 2.0, 3.0), GainBasis("rule")]
    gain = from_zero(Gain("estimate", 1.0, 2.0, bases))
    assert (gain.low_ms, gain.high_ms) == (0.0, 2.0)
    factors = [(each.low_factor, each.high_factor) for each in gain.bases]
    assert factors == [(0.0, 0.85), (1.0, 3.0), (None, None)]
