"""What one change resolves is one finding: every place has at most one cause, and none is lost."""

from __future__ import annotations

import dataclasses
import json
import tempfile
from pathlib import Path

import pytest
from case_files import CASES, analyze_case
from hypothesis import given, settings
from hypothesis import strategies as st
from test_random_engines import layers as random_layers

from trexreport.analyzer.analysis import SEVERITIES
from trexreport.analyzer.analysis.findings import with_consequences
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.gains import of_layers, removed
from trexreport.analyzer.rules.lint import lint
from trexreport.analyzer.rules.phrases import EXTENT, timed
from trexreport.analyzer.rules.registry import Registry, built_in_rules
from trexreport.analyzer.rules.rule import Hit, rule
from trexreport.analyzer.rules.settings import LintSettings, Suppression
from trexreport.wording.findings import consequence_lines

FLOAT = "Row major linear FP32"
HALF = "Row major linear FP16 format"
INT8 = "Thirty-two wide channel vectorized row major Int8 format"


def make(code, names, *, severity="warning", gain=None, affected=(), whole=True, message="", **arguments):
    """Return a rule that finds a place at each of these layers, or one at all of them."""

    def check(context):
        """Something is wrong.

        Cost:
            Time.

        Recommendation:
            Fix it.

        False alarm:
            None.

        Est. savings:
            As stated.
        """
        by_name = {layer.name: layer for layer in context.layers}
        further = tuple(by_name[name] for name in affected)
        for group in [names] if whole else [[name] for name in names]:
            found = tuple(by_name[name] for name in group)
            saved = removed(found) if gain is None else gain(found)
            yield Hit(f"{{layer}} is wrong{message}.", found, saved, affected=further)

    return rule(code, f"{arguments.pop('family', 'test')}.{code.lower()}", severity, **arguments)(check)


@pytest.fixture
def chain(tmp_path):
    """Layers a to f that feed each other, 1 ms each; r is a reformat between b and c, n a no-op before d."""
    names = ["a", "b", "r", "c", "n", "d", "e", "f"]
    kinds = {"r": "Reformat", "n": "NoOp"}
    records = [
        {
            "Name": name,
            "LayerType": kinds.get(name, "Pooling"),
            "ms": 0.0 if name == "n" else 1.0,
            "Inputs": [f"t{at} | {INT8 if name in 'cndef' else HALF} | 1x64x56x56"],
            "Outputs": [f"t{at + 1} | {INT8 if name in 'rcndef' else HALF} | 1x64x56x56"],
        }
        for at, name in enumerate(names)
    ]
    return analyze_case({"layers": records, "bindings": ["t0", "t8"]}, tmp_path)


def run(analysis, *rules, **changes):
    outcome = lint(analysis, Registry(rules), LintSettings(**changes))
    assert not [each for each in outcome.unchecked if each.why == "broken"]
    return outcome


def shown(outcome):
    """Return code to the codes that it explains."""
    return {each.code: [other.code for other in each.consequences] for each in outcome.findings}


@pytest.mark.parametrize(
    ("where", "cause", "consequence", "explained"),
    [
        ("layers", "a", "a", True),
        ("layers", "a", "b", False),
        ("layers", "ab", "b", True),
        ("layers", "a", "ab", False),
        # What computes counts, as a reformat belongs to the layer that needs it.
        ("layers", "a", "ra", True),
        ("neighbors", "a", "b", True),
        ("neighbors", "b", "a", True),
        ("neighbors", "a", "c", False),
        ("neighbors", "b", "c", True),
        ("neighbors", "c", "r", True),
        ("neighbors", "c", "d", True),
        ("between", "b", "r", False),
        ("between", "bc", "r", True),
        ("between", "ce", "d", True),
        ("engine", "a", "f", True),
        ("share", "abcdef", "abcdefr", True),
        ("share", "ab", "abcd", False),
        ("single", "a", "a", True),
        ("single", "a", "b", False),
    ],
)
def test_a_rule_states_where_it_explains_another(chain, where, cause, consequence, explained):
    rules = [make("ABC101", cause, explains={where: ("ABC102",)}), make("ABC102", consequence)]
    expected = {"ABC101": ["ABC102"]} if explained else {"ABC101": [], "ABC102": []}
    assert shown(run(chain, *rules)) == expected


def test_a_summary_belongs_to_the_cause_with_most_of_its_time(tmp_path):
    """Not to the one with most of its layers."""
    records = [{"Name": name, "ms": ms} for name, ms in (("a", 0.1), ("b", 0.1), ("c", 1.0))]
    rules = [
        make("ABC101", "ab", explains={"share": ("ABC103",)}, needs=("profile",)),
        make("ABC102", "c", explains={"share": ("ABC103",)}, needs=("profile",)),
        make("ABC103", "abc", severity="info", needs=("profile",)),
    ]
    found = shown(run(analyze_case({"layers": records}, tmp_path), *rules))
    assert found == {"ABC101": [], "ABC102": ["ABC103"]}


@pytest.mark.parametrize(
    ("causes", "summary", "severity", "is_own"),
    [
        # Three of four layers are most of them, and the fourth makes the summary larger than its cause.
        (["abc"], "abcd", "warning", True),
        (["abc"], "abcd", "info", False),
        (["abcd"], "abcd", "warning", False),
        # Five of six are nearly all.
        (["abcde"], "abcdef", "warning", False),
        # The rule takes longer elsewhere.
        (["abc", "ef"], "abcd", "warning", False),
    ],
)
def test_a_large_warning_is_a_finding_of_its_own_beside_a_smaller_cause(
    chain, causes, summary, severity, is_own
):
    def check(context):
        by_name = {layer.name: layer for layer in context.layers}
        return [Hit("{layer} is wrong.", tuple(by_name[name] for name in names)) for names in causes]

    check.__doc__ = (
        "Wrong.\n\nCost:\n    c\nRecommendation:\n    a\nFalse alarm:\n    f\nEst. savings:\n    b\n"
    )
    cause = rule(
        "ABC101", "test.cause", "info" if severity == "info" else "warning", explains={"share": ("ABC102",)}
    )
    outcome = run(chain, cause(check), make("ABC102", summary, severity=severity))
    assert {each.code for each in outcome.findings} == ({"ABC101", "ABC102"} if is_own else {"ABC101"})


def test_a_single_place_is_explained_only_where_nothing_else_explains_it_and_no_other_is_left(chain):
    single = make("ABC101", "abc", gain=lambda _: None, explains={"single": ("ABC102",)})
    nearby = make("ABC103", "b", explains={"neighbors": ("ABC102",)})
    two = make("ABC102", "ad", whole=False)
    assert shown(run(chain, single, two)) == {"ABC101": [], "ABC102": []}
    assert shown(run(chain, single, nearby, make("ABC102", "a")))["ABC103"] == ["ABC102"]
    # Of two, the other cause explains one.
    assert shown(run(chain, single, nearby, two))["ABC101"] == []
    outcome = run(chain, single, make("ABC103", "d", explains={"layers": ("ABC102",)}), two)
    assert shown(outcome) == {"ABC101": ["ABC102"], "ABC103": ["ABC102"]}
    assert not any(each.in_part for finding in outcome.findings for each in finding.consequences)
    # Its savings are its own, as they say nothing of the other places.
    assert outcome.findings[-1].code == "ABC101"
    assert outcome.findings[-1].gain is None


def test_layers_that_a_fix_also_changes_count(chain):
    rules = [make("ABC101", "a", affected="d", explains={"layers": ("ABC102",)}), make("ABC102", "d")]
    outcome = run(chain, *rules)
    assert shown(outcome) == {"ABC101": ["ABC102"]}
    assert outcome.findings[0].layers == [0, 5]


def test_a_place_names_all_layers_that_its_savings_are_of_and_their_time(chain):
    a, b, r = chain.layers[:3]
    cause = make("ABC101", "a", affected="br", message=EXTENT, explains={"layers": ("ABC102",)})
    (finding,) = run(chain, cause, make("ABC102", "br")).findings
    assert finding.layers == [a.index, b.index, r.index]
    assert finding.message == f"a is wrong, which affects 3 layers{timed(Context(chain), [a, b, r])}."
    assert finding.gain.high_ms == pytest.approx(finding.time_ms) == pytest.approx(3.0)


@pytest.mark.parametrize("residual", [FLOAT, INT8])
def test_convolutions_on_cuda_cores_around_a_wide_sum_are_its_consequence(tmp_path, residual):
    kernel = "volta_int8x4_icudnn_int8x4_128x64_relu_interior_nn_v1"
    conv = {"LayerType": "CaskConvolution", "ParameterType": "Convolution", "Kernel": [1, 1], "Groups": 1}
    conv |= {"TacticName": kernel, "ms": 1.0}
    scale = {"LayerType": "Scale", "ParameterType": "Scale", "ms": 0.1}
    steps = [
        ("before", conv, ["x"], "a"),
        ("q1", scale, ["a"], "aq"),
        ("conv1", conv, ["aq"], "b"),
        ("add", conv, ["b", "a"], "s"),
        ("q2", scale, ["s"], "sq"),
        ("after", conv, ["sq"], "c"),
        ("apart", conv, ["c"], "y"),
    ]
    wide = {"a", "s"}
    records = [
        {"Name": name, **record}
        | {"Inputs": [f"{each} | {residual if each in wide else INT8} | 1x24x56x56" for each in read]}
        | {"Outputs": [f"{written} | {residual if written in wide else INT8} | 1x24x56x56"]}
        for name, record, read, written in steps
    ]
    setup = {"device": {"Compute Capability": "7.5"}}
    analysis = analyze_case({"layers": records, "bindings": ["x", "y"], "setup": setup}, tmp_path)
    rules = [each for each in built_in_rules() if each.code in {"TRX101", "TRX302"}]
    found = {each.code: each for each in run(analysis, *rules).findings}
    if residual == INT8:
        assert len(found["TRX101"].places) == 5
        return
    (explained,) = found["TRX302"].consequences
    assert explained.code == "TRX101"
    names = [[analysis.layers[index].name for index in place.layers] for place in explained.places]
    assert sorted(names) == [["add"], ["after"], ["before"], ["conv1"]]
    (alone,) = found["TRX101"].places
    assert analysis.layers[alone.layers[0]].name == "apart"


def test_a_chain_of_causes_is_one_finding(chain):
    rules = [
        make("ABC103", "c", explains={"neighbors": ("ABC104",)}),
        make("ABC101", "a", explains={"neighbors": ("ABC102",)}),
        make("ABC104", "d"),
        make("ABC102", "b", explains={"neighbors": ("ABC103",)}),
    ]
    outcome = run(chain, *rules)
    assert shown(outcome) == {"ABC101": ["ABC102", "ABC103", "ABC104"]}
    assert outcome.findings[0].gain.high_ms == pytest.approx(4.0)


def test_a_finding_keeps_the_places_that_nothing_explains(chain):
    rules = [
        make("ABC101", "a", explains={"layers": ("ABC102",)}),
        make("ABC102", "adf", whole=False, many="{count} places are wrong."),
    ]
    outcome = run(chain, *rules)
    cause, rest = outcome.findings if outcome.findings[0].code == "ABC101" else outcome.findings[::-1]
    (also,) = cause.consequences
    assert [place.layers for place in also.places] == [[0]]
    assert consequence_lines(cause) == ["ABC102 (in part): a is wrong."]
    assert [place.layers for place in rest.places] == [[5], [7]]
    assert (rest.message, rest.layers, rest.gain.high_ms) == (
        "2 places are wrong.",
        [5, 7],
        pytest.approx(2.0),
    )


def test_of_two_causes_the_nearer_one_explains(chain):
    near, far = {"layers": ("ABC103",)}, {"neighbors": ("ABC103",)}
    rules = [make("ABC101", "bc", explains=far), make("ABC102", "a", explains=near), make("ABC103", "a")]
    assert shown(run(chain, *rules))["ABC102"] == ["ABC103"]


def test_of_two_causes_the_one_that_affects_the_layer_itself_is_nearer(chain):
    where = {"neighbors": ("ABC103",)}
    rules = [make("ABC101", "a", explains=where), make("ABC102", "b", explains=where), make("ABC103", "b")]
    assert shown(run(chain, *rules)) == {"ABC101": [], "ABC102": ["ABC103"]}


def test_of_two_causes_the_one_that_the_other_may_explain_is_nearer(chain):
    first = make("ABC101", "ab", explains={"layers": ("ABC102", "ABC103")})
    second = make("ABC102", "bc", explains={"layers": ("ABC103",)})
    # The second has a layer that the first does not affect, so it is a finding and explains the third.
    outcome = run(chain, first, second, make("ABC103", "b"))
    assert shown(outcome) == {"ABC101": [], "ABC102": ["ABC103"]}


def test_a_place_that_two_places_explain_belongs_to_one_of_them(chain):
    cause = make("ABC101", "ac", whole=False, explains={"neighbors": ("ABC102",)})
    (finding,) = run(chain, cause, make("ABC102", "b")).findings
    (consequence,) = finding.consequences
    assert (len(consequence.places), list(consequence.causes)) == (1, [0])


def test_what_explains_each_other_loses_nothing(chain):
    rules = [
        make("ABC101", "a", explains={"layers": ("ABC102",)}),
        make("ABC102", "a", explains={"layers": ("ABC103",)}),
        make("ABC103", "a", explains={"layers": ("ABC101",)}),
    ]
    (finding,) = run(chain, *rules).findings
    assert len(finding.consequences) == 2


def test_what_is_more_severe_is_never_a_consequence(chain):
    rules = [
        make("ABC101", "a", explains={"layers": ("ABC102", "ABC103")}),
        make("ABC102", "a", severity="error"),
        make("ABC103", "a", severity="info"),
    ]
    assert shown(run(chain, *rules)) == {"ABC101": ["ABC103"], "ABC102": []}
    # Nor is what the configuration makes more severe.
    raised = run(chain, *rules, severities={"ABC103": "error"})
    assert shown(raised) == {"ABC101": [], "ABC102": [], "ABC103": []}


STRUCTURE = [each for each in built_in_rules() if each.code in {"TRX102", "TRX301", "TRX302", "TRX303"}]


@pytest.mark.parametrize("path", sorted(CASES.glob("TRX30[23]/fires-*.json")), ids=lambda path: path.stem)
def test_without_times_a_cause_explains_what_it_explains_with_them(path, tmp_path):
    case = json.loads(path.read_text("utf-8"))
    untimed = [{key: value for key, value in each.items() if key != "ms"} for each in case["layers"]]
    outcomes = []
    for name, layers in {"timed": case["layers"], "untimed": untimed}.items():
        (tmp_path / name).mkdir()
        outcomes.append(run(analyze_case(case | {"layers": layers}, tmp_path / name), *STRUCTURE))
    timed, alone = (shown(each) for each in outcomes)
    assert alone.items() >= {code: sorted(codes) for code, codes in timed.items() if codes}.items()
    for finding in outcomes[1].findings:
        severities = [each.severity for each in finding.consequences] or [finding.severity]
        assert SEVERITIES.index(finding.severity) <= min(map(SEVERITIES.index, severities))


@pytest.mark.parametrize(
    "changes",
    [
        {"suppressions": (Suppression("ABC101", "It is meant."),)},
        {"ignore": ("ABC101",)},
        {"select": ("ABC102",)},
    ],
)
def test_without_its_cause_a_consequence_is_a_finding(chain, changes):
    rules = [make("ABC101", "a", explains={"layers": ("ABC102",)}), make("ABC102", "a")]
    assert shown(run(chain, *rules, **changes)) == {"ABC102": []}


def test_a_suppressed_consequence_is_suppressed(chain):
    rules = [make("ABC101", "a", explains={"layers": ("ABC102",)}), make("ABC102", "a")]
    outcome = run(chain, *rules, suppressions=(Suppression("ABC102", "It is meant."),))
    assert shown(outcome) == {"ABC101": []}
    assert [each.code for each in outcome.suppressed] == ["ABC102"]


def test_no_time_counts_twice(chain):
    half = lambda found: of_layers("estimate", [(each, 0.2, 0.5) for each in found], "rule")  # noqa: E731
    cause = make("ABC101", "ab", gain=half, explains={"neighbors": ("ABC102", "ABC103")})
    (finding,) = run(chain, cause, make("ABC102", "b", gain=half), make("ABC103", "c")).findings
    # Half of a and of b, which counts once, and all of c.
    assert (finding.gain.low_ms, finding.gain.high_ms) == (pytest.approx(1.4), pytest.approx(2.0))
    assert finding.places[0].gain == finding.gain


def test_a_summary_adds_no_savings_to_one_of_its_causes(chain):
    rules = [make("ABC101", "abcdef", explains={"share": ("ABC102",)}), make("ABC102", "abcdefr")]
    (finding,) = run(chain, *rules).findings
    assert finding.consequences[0].in_part
    assert consequence_lines(finding) == ["ABC102 (in part): a is wrong."]
    assert finding.gain.high_ms == pytest.approx(6.0)


def test_the_run_is_reported_after_the_engine(chain):
    rules = [
        make("ABC101", "abcd", family="measurement", severity="error"),
        make("ABC102", "a", gain=lambda _: None, severity="info"),
        make("ABC103", "b"),
    ]
    outcome = run(chain, *rules)
    assert [(each.code, each.about) for each in outcome.findings] == [
        ("ABC103", "engine"),
        ("ABC102", "engine"),
        ("ABC101", "measurement"),
    ]


def test_the_rules_explain_existing_rules_and_never_each_other():
    explains = {each.code: each.explains for each in built_in_rules()}
    unknown = {other for codes in explains.values() for other in codes} - explains.keys()
    assert not unknown
    # "single" is what remains when all others are explained, so it closes no circle.
    left = {
        code: {other for other, where in codes.items() if where != "single"}
        for code, codes in explains.items()
    }
    while free := {code for code in left if not any(code in codes for codes in left.values())}:
        left = {code: codes for code, codes in left.items() if code not in free}
    assert not left


ALL = tuple(built_in_rules())


def fingerprints(outcome):
    everything = with_consequences(outcome.findings)
    return sorted(
        (each.code, each.severity, place.fingerprint) for each in everything for place in each.places
    )


def test_of_two_rules_that_replace_each_other_the_cause_does_not_depend_on_their_order(tmp_path):
    softmax = {"Name": "s", "LayerType": "CudaSoftMax", "ParameterType": "SoftMax", "ms": 1.0}
    softmax |= {"Inputs": ["t0 | Half | "], "Outputs": []}
    source = {"Name": "m", "LayerType": "Myelin", "Inputs": [], "Outputs": softmax["Inputs"]}
    convolution = {
        "LayerType": "CaskConvolution",
        "ParameterType": "Convolution",
        "Inputs": [],
        "Outputs": [],
    }
    layers = [source, convolution | {"Name": "a"}, convolution | {"Name": "b"}, softmax]
    analysis = analyze_case({"layers": layers, "bindings": ["t0"]}, tmp_path)
    rules = tuple(each for each in ALL if each.code in ("TRX509", "TRX510"))
    assert len(rules) == 2
    assert fingerprints(lint(analysis, Registry(rules))) == fingerprints(
        lint(analysis, Registry(rules[::-1]))
    )


@settings(max_examples=25, deadline=None)
@given(random_layers(), st.randoms(use_true_random=False))
def test_every_place_is_reported_once_whatever_the_order(records, random):
    with tempfile.TemporaryDirectory() as folder:
        analysis = analyze_case({"layers": records, "bindings": ["t0"]}, Path(folder))
    together = lint(analysis, Registry(ALL))
    alone = [lint(analysis, Registry((each,))) for each in ALL]
    apart = sorted(entry for each in alone for entry in fingerprints(each))

    # What sums up the rest lists fewer layers beside rules that report some of them.
    rest = {each.code for each in ALL if each.rest_of == "savings"}

    def of(found, *severities):
        return sorted(
            (code, place) for code, severity, place in found if severity in severities and code not in rest
        )

    # A cause is judged with what it explains, and that with its cause: a warning alone may be information
    # together and the other way round. An error is one in any case.
    assert of(fingerprints(together), *SEVERITIES) == of(apart, *SEVERITIES)
    assert of(fingerprints(together), "error") == of(apart, "error")
    mixed = list(ALL)
    random.shuffle(mixed)
    again = lint(analysis, Registry(tuple(mixed)))
    assert fingerprints(again) == fingerprints(together)
    total_ms = analysis.latency.layer_sum_ms or 0.0
    for finding in together.findings:
        assert finding.places
        assert all(each.places and max(each.causes) < len(finding.places) for each in finding.consequences)
        if finding.gain and finding.gain.parts:
            assert finding.gain.high_ms <= total_ms * (1 + 1e-9)
    assert dataclasses.replace(together, unchecked=[]) == dataclasses.replace(
        lint(analysis, Registry(ALL)), unchecked=[]
    )


def test_what_a_finding_on_the_measurement_explains_is_judged_by_itself(tmp_path):
    conv = {"LayerType": "CaskConvolution", "ParameterType": "Convolution"}
    shapes = [("small", "-1x8x8x8", 0.01), ("large", "1x8x8x8", 5.0), ("untimed", "1x8x8x8", None)]
    records = [
        {
            "Name": name,
            **conv,
            "Inputs": [f"x | {FLOAT} | {shape}"],
            "Outputs": [f"{name} | {FLOAT} | {shape}"],
        }
        | ({} if ms is None else {"ms": ms})
        for name, shape, ms in shapes
    ]
    outcome = lint(analyze_case({"layers": records, "bindings": ["x"]}, tmp_path), Registry(ALL))
    (finding,) = [each for each in outcome.findings if each.code == "TRX810"]
    (consequence,) = finding.consequences
    assert (finding.severity, consequence.code, consequence.severity) == ("warning", "TRX701", "info")


@pytest.mark.parametrize(
    ("pointwise", "expected"),
    [
        ("PointWise", {"TRX405": ["TRX202", "TRX502"]}),
        # No kernel in FP16 has it either.
        ("ParametricReLU", {"TRX202": [], "TRX405": [], "TRX502": []}),
    ],
)
def test_in_an_fp32_engine_its_precision_explains_fusion_and_layouts(pointwise, expected, tmp_path):
    """FP16 has other kernels with other layouts, so both are judged after the rebuild."""
    nhwc = "Channel major FP32 format where channel % 4 == 0"
    conv = {"LayerType": "CaskConvolution", "ParameterType": "Convolution", "ms": 1.0}
    records = [
        {
            "Name": "c",
            **conv,
            "Inputs": [f"x | {FLOAT} | 1x64x56x56"],
            "Outputs": [f"a | {FLOAT} | 1x64x56x56"],
        },
        {
            "Name": "/act/PRelu" if pointwise == "ParametricReLU" else "clip",
            "LayerType": pointwise,
            "ms": 0.5,
            "Inputs": [f"a | {FLOAT} | 1x64x56x56"],
            "Outputs": [f"b | {FLOAT} | 1x64x56x56"],
        },
        {
            "Name": "r",
            "LayerType": "Reformat",
            "ms": 0.5,
            "Inputs": [f"b | {FLOAT} | 1x64x56x56"],
            "Outputs": [f"d | {nhwc} | 1x64x56x56"],
        },
        {
            "Name": "resize",
            "LayerType": "Resize",
            "ms": 0.5,
            "Inputs": [f"d | {nhwc} | 1x64x56x56"],
            "Outputs": [f"y | {nhwc} | 1x64x112x112"],
        },
    ]
    device = {"Selected Device": "NVIDIA A100 80GB PCIe", "Compute Capability": "8.0", "SMs": "108"}
    case = {"layers": records, "bindings": ["x", "y"], "setup": {"device": device}}
    rules = [each for each in built_in_rules() if each.code in ("TRX202", "TRX405", "TRX502")]
    assert shown(run(analyze_case(case, tmp_path), *rules)) == expected


def test_fp32_layers_of_a_quantized_engine_explain_that_they_use_no_tf32(tmp_path):
    linear, vectorized = "Row major linear FP32", "Thirty-two wide channel vectorized row major Int8 format"
    records = [
        {
            "Name": name,
            "LayerType": "CaskConvolution",
            "ParameterType": "Convolution",
            "TacticName": tactic,
            "ms": 1.0,
            "Inputs": [f"{source} | {format_of_input} | 1x64x56x56"],
            "Outputs": [f"{name} | {format_of_output} | 1x64x56x56"],
        }
        for name, source, format_of_input, format_of_output, tactic in (
            ("a", "x", vectorized, linear, "sm80_xmma_fprop_implicit_gemm_interleaved_i8f32_i8i32_f32"),
            ("b", "a", linear, linear, "ampere_scudnn_128x64_relu_interior_nn_v1"),
        )
    ]
    setup = {"device": {"Selected Device": "NVIDIA A100 80GB PCIe", "Compute Capability": "8.0"}}
    case = {"layers": records, "bindings": ["x", "b"], "setup": setup, "gpu": "A100 80GB PCIe"}
    rules = [each for each in built_in_rules() if each.code in ("TRX401", "TRX403")]
    assert shown(run(analyze_case(case, tmp_path), *rules)) == {"TRX401": ["TRX403"]}


def test_a_product_left_in_floating_point_explains_the_conversion_to_its_type(tmp_path):
    case = json.loads((CASES / "TRX307" / "fires-inside.json").read_text())
    at = [each["Name"] for each in case["layers"]].index("mid")
    before, product = case["layers"][at - 1], case["layers"][at]
    before["Outputs"] = ["x3 | FP8 | 1024x1024"]
    product["Inputs"][0], product["ms"] = "h | Half | 1024x1024", 0.2
    ends = {"Inputs": before["Outputs"], "Outputs": product["Inputs"][:1]}
    case["layers"].insert(at, {"Name": "to FP16", "LayerType": "Reformat", "ms": 0.03, **ends})
    rules = [each for each in built_in_rules() if each.code in ("TRX201", "TRX307")]
    assert shown(run(analyze_case(case, tmp_path), *rules)) == {"TRX307": ["TRX201"]}


def test_the_time_of_a_plugin_explains_the_reformats_next_to_it(tmp_path):
    case = json.loads((CASES / "TRX207" / "fires-around-two.json").read_text())
    rules = [each for each in built_in_rules() if each.code in ("TRX207", "TRX903")]
    assert shown(run(analyze_case(case, tmp_path), *rules)) == {"TRX903": ["TRX207"]}


def test_the_layout_of_a_plugin_explains_pointwise_layers_that_are_not_fused(tmp_path):
    """Plugin → Scale in the plugin's layout → reformat → PointWise in that of the convolution after it."""
    nhwc = "Channel major FP16 format where channel % 8 == 0"
    kinds = {"p": ("PluginV2", {"PluginType": "InstanceNorm"}), "r": ("Reformat", {}), "s": ("Scale", {})}
    records = [
        {
            "Name": name,
            "LayerType": kinds.get(name, ("PointWise", {}))[0],
            "ms": 1.0,
            "Inputs": [f"t{at} | {nhwc if name == 'w' else HALF} | 1x64x56x56"],
            "Outputs": [f"t{at + 1} | {nhwc if name in 'rw' else HALF} | 1x64x56x56"],
            **kinds.get(name, ("", {}))[1],
        }
        for at, name in enumerate("psrw")
    ]
    analysis = analyze_case({"layers": records, "bindings": ["t0", "t4"]}, tmp_path)
    rules = [each for each in built_in_rules() if each.code in ("TRX207", "TRX501")]
    outcome = run(analysis, *rules)
    assert shown(outcome) == {"TRX207": ["TRX501"]}
    (finding,) = outcome.findings
    assert finding.gain.low_ms == 0
    assert 2 <= finding.gain.high_ms < 3


def test_a_layer_in_fp32_explains_the_conversion_behind_it_with_the_copies_of_a_concat(tmp_path):
    nhwc = "Channel major FP16 format where channel % 8 == 0"
    layers = [
        ("conv", "CaskConvolution", f"x | {nhwc}", f"a | {nhwc}"),
        ("before", "Reformat", f"a | {nhwc}", f"b | {FLOAT}"),
        ("sample", "GridSample", f"b | {FLOAT}", f"c | {FLOAT}"),
        ("behind", "Reformat", f"c | {FLOAT}", f"d | {nhwc}"),
        ("d copy", "Reformat", f"d | {nhwc}", f"joined | {nhwc}"),
        ("a copy", "Reformat", f"a | {nhwc}", f"joined | {nhwc}"),
        ("conv2", "CaskConvolution", f"joined | {nhwc}", f"y | {nhwc}"),
    ]
    records = [
        {
            "Name": name,
            "LayerType": kind,
            "ParameterType": kind.removeprefix("Cask"),
            "Origin": "CONCAT" if "copy" in name else "REFORMAT",
            "ms": 1.0,
            "Inputs": [f"{read} | 1x{128 if name == 'conv2' else 64}x56x56"],
            "Outputs": [f"{written} | 1x64x56x56"],
        }
        for name, kind, read, written in layers
    ]
    analysis = analyze_case({"layers": records, "bindings": ["x", "y"]}, tmp_path)
    rules = [each for each in built_in_rules() if each.code in ("TRX201", "TRX401")]
    outcome = run(analysis, *rules)
    assert shown(outcome) == {"TRX401": ["TRX201"]}
    (finding,) = outcome.findings
    assert sum(len(place.layers) for each in finding.consequences for place in each.places) == 4


def test_a_conversion_belongs_to_what_needs_it_behind_a_transpose(tmp_path):
    records = [
        {
            "Name": "r",
            "LayerType": "Reformat",
            "Inputs": [f"x | {HALF} | 8x4x2"],
            "Outputs": [f"a | {FLOAT} | 8x4x2"],
        },
        {
            "Name": "t",
            "LayerType": "Shuffle",
            "Inputs": [f"a | {FLOAT} | 8x4x2"],
            "Outputs": [f"b | {FLOAT} | 8x2x4"],
        },
        {
            "Name": "m",
            "LayerType": "MatrixMultiply",
            "Inputs": [f"b | {FLOAT} | 8x2x4"],
            "Outputs": [f"y | {FLOAT} | 8x2x8"],
        },
    ]
    analysis = analyze_case({"layers": records, "bindings": ["x", "y"]}, tmp_path)
    rules = [make("ABC101", "m", explains={"neighbors": ("ABC102",)}), make("ABC102", "r")]
    assert shown(run(analysis, *rules)) == {"ABC101": ["ABC102"]}


@pytest.mark.parametrize(("io_type", "codes"), [(HALF, {"TRX405"}), (FLOAT, {"TRX405", "TRX206"})])
def test_fp16_in_the_engine_resolves_conversions_of_fp16_inputs(io_type, codes, tmp_path):
    case = json.loads((CASES / "TRX405" / "fires-fp16-io-tensors.json").read_text("utf-8"))
    ends = case["layers"][0]["Inputs"], case["layers"][-1]["Outputs"]
    for end, layout in zip(ends, ("Channel major FP32 format where channel % 8 == 0", FLOAT), strict=True):
        end[0] = end[0].replace(HALF, HALF if io_type == HALF else layout)
    outcome = lint(analyze_case(case, tmp_path), Registry(tuple(built_in_rules())))
    assert {each.code for each in outcome.findings if each.about == "engine"} >= codes
    assert ("TRX206" in {each.code for each in outcome.findings}) == ("TRX206" in codes)


def test_a_plugin_in_fp32_explains_the_pointwise_layer_and_the_large_tensors_next_to_it(tmp_path):
    case = json.loads((CASES / "TRX903" / "fires-for-a-node-of-onnx.json").read_text())
    rules = [each for each in built_in_rules() if each.code in ("TRX401", "TRX603", "TRX903")]
    analysis = analyze_case(case, tmp_path)
    assert shown(run(analysis, *rules)) == {"TRX903": ["TRX401"]}
    small = {"thresholds": {"TRX603": {"peak_mib": 1}}}
    assert shown(run(analysis, *rules, **small)) == {"TRX903": ["TRX401", "TRX603"]}


def test_a_layer_that_alone_is_quantized_does_not_explain_the_conversion_of_the_input(tmp_path):
    """In floating point, too, the layer needs another type than the input has, or another layout."""
    linear = "Row major linear FP32"
    int8 = "Channel major INT8 format where channel % 4 == 0"
    half = "Channel major FP16 format where channel % 8 == 0"
    records = [
        {
            "Name": name,
            "LayerType": "Reformat" if name == "q" else "CaskConvolution",
            "ParameterType": "Reformat" if name == "q" else "Convolution",
            "ms": time,
            "Inputs": [f"{source} | {before} | 1x64x56x56"],
            "Outputs": [f"{name} | {after} | 1x64x56x56"],
        }
        for name, source, before, after, time in (
            ("q", "x", linear, int8, 0.3),
            ("first", "q", int8, half, 1.0),
            ("second", "first", half, half, 2.0),
        )
    ]
    rules = [each for each in built_in_rules() if each.code in ("TRX206", "TRX304")]
    case = {"layers": records, "bindings": ["x", "second"]}
    assert shown(run(analyze_case(case, tmp_path), *rules)) == {"TRX304": [], "TRX206": []}


def test_what_runs_between_parts_on_a_dla_explains_its_transfers_and_what_slows_it(tmp_path):
    """The transfers beside it go where the DLA runs it; as they may wait for it, nothing is certain."""
    half = "Row major linear FP16 format | 1x64x56x56"
    quantized = "Thirty-two wide channel vectorized row major Int8 format | 1x64x56x56"
    steps = [
        ("{ForeignNode[a...b]}", "DLA", 4.0, quantized.replace("56", "28")),
        ("Reformatting CopyNode for Input Tensor 0 to up", "Reformat", 1.0, half.replace("56", "28")),
        ("up", "Resize", 2.0, half),
        ("Reformatting CopyNode for Input Tensor 0 to {ForeignNode[c...d]}", "Reformat", 1.0, quantized),
        ("{ForeignNode[c...d]}", "DLA", 4.0, quantized),
    ]
    layers = [
        {
            "Name": name,
            "LayerType": kind,
            "ms": ms,
            "Inputs": [f"t{at} | {steps[at - 1][3] if at else quantized}"],
            "Outputs": [f"t{at + 1} | {form}"],
        }
        for at, (name, kind, ms, form) in enumerate(steps)
    ]
    setup = {"build_options": {"Allow GPU fallback for DLA": "Enabled"}}
    case = {"layers": layers, "bindings": ["t0", "t5"], "setup": setup}
    found = lint(analyze_case(case, tmp_path), Registry(tuple(built_in_rules())), LintSettings()).findings
    (fallback,) = (each for each in found if each.code == "TRX910")
    assert {"TRX911", "TRX201", "TRX918"} <= {each.code for each in fallback.consequences}
    assert "TRX911" not in {each.code for each in found}
    assert fallback.gain.low_ms == 0 < fallback.gain.high_ms
