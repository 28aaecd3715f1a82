"""What a remedy removes or replaces: findings on these layers, and on reformats beside them, go with them."""

from __future__ import annotations

import json

import pytest
from case_files import CASES, analyze_case
from test_root_causes import chain, make, run, shown

from trexreport.analyzer.rules import LintSettings
from trexreport.analyzer.rules.gains import of_layers
from trexreport.analyzer.rules.lint import lint
from trexreport.analyzer.rules.registry import Registry, built_in_rules
from trexreport.analyzer.rules.replaced import Replaced

__all__ = ["chain"]


def saving(low, high):
    """Return savings of a part of the time of each layer."""
    return lambda found: of_layers(
        "estimate", [(each, low * each.avg_ms, high * each.avg_ms) for each in found]
    )


@pytest.mark.parametrize(
    ("replaced", "other", "explained"),
    [
        ("a", "a", True),
        ("abcdef", "bcde", True),
        ("a", "b", False),
        # Four of five layers are most of them, three of four are not.
        ("abcd", "abcde", True),
        ("abc", "abcd", False),
        # The reformat between b and c: only c reads it, and it reads only b.
        ("c", "r", True),
        ("b", "r", True),
        ("a", "r", False),
        # A no-op is between c and d.
        ("d", "c", False),
    ],
)
def test_what_most_layers_of_a_place_go_with_explains_it(chain, replaced, other, explained):
    rules = [make("ABC101", replaced, replaces=True), make("ABC102", other)]
    expected = {"ABC101": ["ABC102"]} if explained else {"ABC101": [], "ABC102": []}
    assert shown(run(chain, *rules)) == expected


def test_a_reformat_of_an_input_stays(tmp_path):
    half, channels = "Row major linear FP16 format", "Channel major FP16 format where channel % 8 == 0"
    records = [
        {
            "Name": name,
            "LayerType": kind,
            "ms": 1.0,
            "Inputs": [f"t{at} | {before} | 1x64x56x56"],
            "Outputs": [f"t{at + 1} | {after} | 1x64x56x56"],
        }
        for at, (name, kind, before, after) in enumerate(
            [("r", "Reformat", half, channels), ("a", "Pooling", channels, channels)]
        )
    ]
    analysis = analyze_case({"layers": records, "bindings": ["t0", "t2"]}, tmp_path)
    rules = [make("ABC101", "a", replaces=True), make("ABC102", "r")]
    assert set(shown(run(analysis, *rules))) == {"ABC101", "ABC102"}


def test_the_largest_finding_replaces_the_others(chain):
    rules = [make(code, names, replaces=True) for code, names in [("ABC101", "a"), ("ABC102", "abcde")]]
    assert shown(run(chain, *rules)) == {"ABC102": ["ABC101"]}


def test_two_that_replace_the_same_layers_are_one_finding(chain):
    rules = [make(code, "ab", replaces=True) for code in ("ABC101", "ABC102")]
    assert len(shown(run(chain, *rules))) == 1


def test_places_of_one_rule_replace_a_layer_together(chain):
    rules = [make("ABC101", "abcd", whole=False, replaces=True), make("ABC102", "abcde", gain=saving(0, 0.5))]
    (found,) = run(chain, *rules).findings
    assert [(each.code, each.in_part) for each in found.consequences] == [("ABC102", True)]
    # The cause does not save what a place that it explains in part saves.
    assert found.gain.high_ms == pytest.approx(4)


def test_nothing_is_certain_of_what_goes_with_something_uncertain(chain):
    rules = [make("ABC101", "c", gain=saving(0, 0.5), replaces=True), make("ABC102", "r", gain=saving(1, 1))]
    (found,) = run(chain, *rules).findings
    assert (found.gain.low_ms, found.gain.high_ms) == (0, pytest.approx(1.5))
    rules[0] = make("ABC101", "c", gain=saving(0.25, 0.5), replaces=True)
    (found,) = run(chain, *rules).findings
    assert (found.gain.low_ms, found.gain.high_ms) == (pytest.approx(1.25), pytest.approx(1.5))


@pytest.mark.parametrize(
    ("places", "low_ms", "severity", "are_two"),
    [
        ("c", 0, "warning", True),
        ("r", 0, "warning", False),
        ("c", 0.1, "warning", False),
        ("c", 0, "info", False),
    ],
)
def test_another_remedy_of_the_same_layers_stays_where_one_may_save_nothing(
    chain, places, low_ms, severity, are_two
):
    rules = [make("ABC101", "c", gain=saving(low_ms, 0.5), replaces=True)]
    rules += [make("ABC102", places, severity=severity, gain=saving(0, 0.9))]
    assert len(run(chain, *rules).findings) == 1 + are_two


def test_what_goes_with_a_remedy_and_states_no_savings_adds_none(chain):
    rules = [make("ABC101", "c", gain=saving(0.5, 0.6), replaces=True)]
    rules += [make("ABC102", "c", gain=lambda _: None)]
    (found,) = run(chain, *rules).findings
    assert [(each.code, each.places[0].gain) for each in found.consequences] == [("ABC102", None)]
    assert (found.gain.low_ms, found.gain.high_ms) == (0.5, 0.6)


def test_of_a_layer_that_goes_the_savings_of_the_remedy_count(chain):
    rules = [
        make("ABC101", "c", gain=saving(0.5, 0.6), replaces=True),
        make("ABC102", "c", gain=saving(0.1, 0.9)),
        make("ABC103", "cd", gain=saving(0.1, 0.2)),
    ]
    found = next(each for each in run(chain, *rules).findings if each.code == "ABC101")
    assert (found.gain.low_ms, found.gain.high_ms) == (pytest.approx(0.5), pytest.approx(0.6))


def test_information_that_replaces_a_warning_is_one(chain):
    rules = [
        make("ABC101", "cd", severity="info", whole=False, replaces=True),
        make("TRX999", "d", family="test"),
    ]
    (found,) = run(chain, *rules).findings
    assert (found.code, found.severity, len(found.places)) == ("ABC101", "warning", 2)
    # A stated severity stays, and so does what fails a run.
    assert set(shown(run(chain, *rules, severities={"TRX999": "warning"}))) == {"ABC101", "TRX999"}
    assert set(shown(run(chain, *rules, severities={"ABC101": "info"}))) == {"ABC101", "TRX999"}
    assert set(shown(run(chain, rules[0], make("TRX999", "d", severity="error")))) == {"ABC101", "TRX999"}


def test_a_warning_of_little_time_does_not_make_information_one(chain):
    few = make("TRX999", "d", gain=saving(0, 0.01))
    (found,) = run(chain, make("ABC101", "cd", severity="info", replaces=True), few).findings
    assert (found.code, found.severity) == ("ABC101", "info")


@pytest.mark.parametrize("more", [{"family": "measurement"}, {"section": "notes"}])
def test_what_is_about_the_run_stays(chain, more):
    rules = [make("ABC101", "abcdef", replaces=True), make("ABC102", "a", **more)]
    assert set(shown(run(chain, *rules))) == {"ABC101", "ABC102"}


@pytest.mark.parametrize(
    ("free", "layers", "gain", "is_first"),
    [
        ("TRX913", "ab", saving(0.1, 0.4), True),
        # Other layers, savings that are too small, and another rule.
        ("TRX913", "aef", saving(0.1, 0.1), False),
        ("TRX913", "a", saving(0, 0.1), False),
        ("TRX915", "ab", saving(0.1, 0.4), False),
        # Shapes for which no kernel was chosen concern all layers.
        ("TRX706", "", lambda _: None, True),
        ("TRX913", "", lambda _: None, False),
    ],
)
def test_options_come_before_another_precision_of_the_same_layers(chain, free, layers, gain, is_first):
    rules = [make("TRX406", "abc", gain=saving(0.5, 1)), make(free, layers, gain=gain)]
    found = run(chain, *rules).findings
    assert [each.code for each in found] == ([free, "TRX406"] if is_first else ["TRX406", free])


@pytest.mark.parametrize(
    ("gain", "severity", "is_first"),
    [
        (saving(0, 0.8), "info", True),
        (saving(0, 0.7), "info", False),
        (saving(0, 0.8), "error", True),
        (lambda _: None, "info", False),
    ],
)
def test_a_fault_comes_before_a_quantization_that_may_save_little_more(chain, gain, severity, is_first):
    option = make("TRX406", "abc", gain=saving(0.5, 1), severity="info")
    found = run(chain, option, make("TRX105", "def", gain=gain, severity=severity)).findings
    assert [each.code for each in found] == (["TRX105", "TRX406"] if is_first else ["TRX406", "TRX105"])


def test_options_do_not_come_before_larger_savings_that_keep_the_precision(chain):
    rules = [make("TRX502", "abc", gain=saving(0.5, 1)), make("TRX913", "ab", gain=saving(0.1, 0.4))]
    assert [each.code for each in run(chain, *rules).findings] == ["TRX502", "TRX913"]


def _normalizations(count):
    """Return layers of decomposed normalizations one after the other, each with its activation."""
    half = "Row major linear FP16 | 1x320x32x48"
    kinds = ("Normalization", "norm{}"), ("Scale", "scale{}"), ("PointWise", "PWN(PWN(Sigmoid_{0}), Mul_{0})")
    return [
        {
            "Name": name.format(number),
            "LayerType": kind,
            "ms": 0.02,
            "Inputs": [f"t{3 * number + at} | {half}"],
            "Outputs": [f"t{3 * number + at + 1} | {half}"],
        }
        for number in range(count)
        for at, (kind, name) in enumerate(kinds)
    ]


def test_each_place_is_compared_with_remedies_near_it_alone(tmp_path, monkeypatch):
    compared, original = [], Replaced._amount
    monkeypatch.setattr(
        Replaced, "_amount", lambda self, layers: compared.append(layers) or original(self, layers)
    )
    counts = []
    for count in (20, 80):
        (folder := tmp_path / str(count)).mkdir()
        analysis = analyze_case({"layers": _normalizations(count), "bindings": ["t0"]}, folder)
        compared.clear()
        lint(analysis, Registry(tuple(built_in_rules())))
        counts.append(len(compared))
    assert 0 < counts[1] < 8 * counts[0]


def test_rows_are_still_shifted_for_a_fused_attention(tmp_path):
    case = json.loads((CASES / "TRX503" / "fires-with-added-scores-of-positions.json").read_text("utf-8"))
    found = lint(analyze_case(case, tmp_path), Registry(built_in_rules())).findings
    (copies,) = (each for each in found if each.code == "TRX507")
    assert "shifted rows" in copies.places[0].message


def run_all(analysis):
    return lint(analysis, Registry(tuple(built_in_rules())), LintSettings()).findings


def findings_of(case, folder):
    analysis = analyze_case(json.loads((CASES / case).read_text("utf-8")), folder)
    return {each.code: each for each in run_all(analysis)}


def test_without_a_copy_its_data_still_needs_the_other_type(tmp_path):
    copies = findings_of("TRX201/fires-behind-lookups.json", tmp_path)["TRX507"]
    assert (copies.layers, copies.consequences) == ([8], [])


def test_heads_that_are_repeated_go_with_their_attention(tmp_path):
    attention = findings_of("TRX503/fires-one-query-of-repeated-heads.json", tmp_path)["TRX503"]
    assert [each.code for each in attention.consequences] == ["TRX507"]
    assert "multiply the queries of a group with its one head" in attention.recommendation


def test_copies_of_a_cache_stay_beside_a_fused_attention(tmp_path):
    case = json.loads((CASES / "TRX503" / "fires-one-query-of-repeated-heads.json").read_text("utf-8"))
    for layer, name in zip(case["layers"], "kv", strict=False):
        layer["Name"] = f"__myl_Conc_myl0_{name}"
        layer["Inputs"] = [f"{name} | Half | 1x12x4095x128", f"new_{name} | Half | 1x12x1x128"]
    case["bindings"] += ["new_k", "new_v", "k2", "v2"]
    found = {each.code: each for each in run_all(analyze_case(case, tmp_path))}
    assert found["TRX503"].consequences == []
    assert found["TRX507"].layers == [0, 1]
    assert "A cache that is read as an input" in found["TRX507"].recommendation


def test_reformats_beside_a_plugin_count_once(tmp_path):
    """The plugin's finding states no savings, and what goes with it does."""
    half, linear = "Channel major FP16 format where channel % 8 == 0", "Row major linear FP16 format"
    steps = [("conv", "CaskConvolution", 10.0, half), ("to", "Reformat", 0.1, linear)]
    steps += [("plugin", "PluginV2", 2.0, linear), ("from", "Reformat", 0.1, half)]
    for at in range(3):
        steps += [(f"copy{at}", "Reformat", 0.4, half), (f"pool{at}", "Pooling", 0.1, half)]
    records = [
        {
            "Name": name,
            "LayerType": kind,
            "ms": ms,
            "Inputs": [f"t{at} | {steps[at - 1][3] if at else half} | 1x64x56x56"],
            "Outputs": [f"t{at + 1} | {form} | 1x64x56x56"],
        }
        for at, (name, kind, ms, form) in enumerate(steps)
    ]
    analysis = analyze_case({"layers": records, "bindings": ["t0", f"t{len(steps)}"]}, tmp_path)
    found = {each.code: each for each in run_all(analysis)}
    assert [each.code for each in found["TRX903"].consequences] == ["TRX207"]
    assert found["TRX903"].gain is None
    names = {analysis.layers[layer].name for layer in found["TRX205"].layers}
    assert names == {"copy0", "copy1", "copy2"}
