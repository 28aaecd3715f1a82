"""Findings are ranked by savings, and one problem ranks high only once."""

from __future__ import annotations

import dataclasses

import pytest
from case_files import analyze_case
from finding_samples import finding
from hypothesis import given
from hypothesis import strategies as st

from trexreport.analyzer import analyze
from trexreport.analyzer.analysis import SEVERITIES
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.ranking import rank
from trexreport.reader import read_engine

SUBJECTS = {"ABC101": "one", "ABC102": "one", "ABC103": "two", "ABC104": "", "ABC105": ""}


@pytest.fixture(scope="module")
def context(tmp_path_factory):
    """Ten layers that take 1 ms each."""
    layers = [{"Name": f"r{number}", "LayerType": "Pooling", "ms": 1.0} for number in range(10)]
    return Context(analyze_case({"layers": layers}, tmp_path_factory.mktemp("ten")))


def found(code, layers, gain_percent, severity="warning"):
    gain_ms = None if gain_percent is None else gain_percent / 10
    return finding(code, severity, (layers, gain_ms), gain_percent=gain_percent, time_ms=float(len(layers)))


def shown(ranked):
    return [(each.code, each.overlaps) for each in ranked]


def test_layers_of_a_larger_finding_of_the_subject_do_not_count_again(context):
    large, inside = found("ABC101", [0, 1, 2, 3], 40.0), found("ABC102", [1, 2], 20.0)
    other = found("ABC103", [1, 2], 10.0)
    ranked = rank([inside, other, large], context, SUBJECTS)
    assert shown(ranked) == [("ABC101", []), ("ABC103", []), ("ABC102", ["ABC101"])]


def test_a_finding_that_overlaps_in_part_counts_with_the_rest(context):
    large, beside = found("ABC101", [0, 1, 2, 3], 40.0), found("ABC102", [3, 4], 20.0)
    above, below = found("ABC103", [5, 6], 10.5), found("ABC104", [5, 6], 9.5)
    ranked = rank([below, beside, above, large], context, SUBJECTS)
    assert shown(ranked) == [("ABC101", []), ("ABC103", []), ("ABC102", []), ("ABC104", [])]


def test_no_subject_is_no_common_subject(context):
    ranked = rank([found("ABC104", [0, 1], 20.0), found("ABC105", [0, 1], 10.0)], context, SUBJECTS)
    assert shown(ranked) == [("ABC104", []), ("ABC105", [])]


def test_information_includes_no_warning(context):
    info, warning = found("ABC101", [0, 1], 20.0, "info"), found("ABC102", [0, 1], 10.0)
    assert shown(rank([info, warning], context, SUBJECTS)) == [("ABC101", []), ("ABC102", [])]


def test_a_finding_without_a_gain_includes_nothing_but_may_be_included(context):
    without, small = found("ABC101", [0, 1, 2], None), found("ABC102", [0], 0.5)
    assert shown(rank([small, without], context, SUBJECTS)) == [("ABC101", []), ("ABC102", [])]
    large = found("ABC102", [0, 1, 2], 5.0)
    assert shown(rank([without, large], context, SUBJECTS)) == [("ABC102", []), ("ABC101", ["ABC102"])]


def test_an_included_finding_ranks_before_information(context):
    large, inside = found("ABC101", [0, 1], 20.0), found("ABC102", [0, 1], 10.0)
    note = found("ABC104", [5], None, "info")
    codes = [each.code for each in rank([note, inside, large], context, SUBJECTS)]
    assert codes == ["ABC101", "ABC102", "ABC104"]


def test_layers_without_times_count_by_their_number(tmp_path):
    layers = [{"Name": f"r{number}", "LayerType": "Pooling"} for number in range(4)]
    unmeasured = Context(analyze_case({"layers": layers}, tmp_path))
    large = dataclasses.replace(found("ABC101", [0, 1], 20.0), time_ms=None)
    inside = dataclasses.replace(found("ABC102", [0, 1], 10.0), time_ms=None)
    apart = dataclasses.replace(found("ABC102", [1, 2], 10.0, "info"), time_ms=None)
    overlaps = [each.overlaps for each in rank([large, inside, apart], unmeasured, SUBJECTS)]
    assert sorted(overlaps) == [[], [], ["ABC101"]]


@given(st.data())
def test_ranking_loses_nothing_and_does_not_depend_on_the_order(context, data):
    gains = st.none() | st.floats(0, 50)
    made = [
        found(
            code, data.draw(st.lists(st.integers(0, 9), min_size=1, max_size=5, unique=True)), gain, severity
        )
        for code in SUBJECTS
        for gain, severity in [(data.draw(gains), data.draw(st.sampled_from(SEVERITIES)))]
    ]
    ranked = rank(made, context, SUBJECTS)
    assert ranked == rank(data.draw(st.permutations(made)), context, SUBJECTS)
    assert sorted(each.code for each in ranked) == sorted(each.code for each in made)
    for each in ranked:
        assert each.code not in each.overlaps
        assert all(SUBJECTS[other] == SUBJECTS[each.code] != "" for other in each.overlaps)


#: The generated engines' slowest layers are others.
GENERATED = {
    "controlnet-trt8.6": ["TRX508", "TRX207", "TRX501", "TRX206", "TRX202", "TRX902"],
    "orin-bev-trt8.6": ["TRX303", "TRX201", "TRX206", "TRX101", "TRX902"],
    "rtx3060-mobilenetv2-torchtrt": ["TRX502", "TRX508", "TRX206"],
    "rtx3090-resnet50-fp16": ["TRX507", "TRX604", "TRX206", "TRX104", "TRX804"],
    "thor-driving-transformer-trt10": ["TRX304", "TRX502", "TRX507", "TRX505", "TRX504"],
}


@pytest.mark.parametrize(
    ("engine", "first"),
    [
        ("a100-resnet18-fp16", ["TRX206", "TRX104", "TRX804"]),
        ("a100-resnet18-fp32", ["TRX405", "TRX101", "TRX202", "TRX804"]),
        ("a100-resnet18-qat", ["TRX302", "TRX101", "TRX303", "TRX206", "TRX804"]),
        ("a100-resnet18-qat-residual", ["TRX206", "TRX303", "TRX104", "TRX804"]),
        ("a100-resnet18-qat-residual-qgap", ["TRX206", "TRX104", "TRX804"]),
        ("controlnet-trt8.6", ["TRX207", "TRX501", "TRX502", "TRX902", "TRX206"]),
        ("orin-bev-trt8.6", ["TRX303", "TRX206", "TRX101", "TRX902"]),
        ("rtx3060-mobilenetv2-torchtrt", ["TRX508", "TRX502", "TRX206"]),
        ("rtx3090-resnet50-fp16", ["TRX507", "TRX104", "TRX206", "TRX804"]),
        ("thor-driving-transformer-trt10", ["TRX304", "TRX507", "TRX508", "TRX502", "TRX301"]),
    ],
)
def test_the_top_findings_are_different_problems(engines_folder, engine_source, engine, first):
    if engine_source == "generated":
        first = GENERATED.get(engine, first)
    outcome = analyze(read_engine(engines_folder / engine)).lint
    codes = [each.code for each in outcome.findings if not each.overlaps]
    assert codes[: len(first)] == first


def test_the_conversions_of_a_quantized_network_are_one_problem(engines_folder):
    outcome = analyze(read_engine(engines_folder / "a100-resnet18-qat")).lint
    overlaps = {each.code: each.overlaps for each in outcome.findings if each.overlaps}
    assert overlaps["TRX102"] == ["TRX302"]
    assert set(overlaps["TRX301"]) == {"TRX302", "TRX303"}
    assert overlaps["TRX201"] == ["TRX302"]
    assert overlaps["TRX202"] == ["TRX303"]
