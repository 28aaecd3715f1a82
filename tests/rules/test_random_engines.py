"""The rules on quantization and fusion accept any engine."""

from __future__ import annotations

import tempfile
from pathlib import Path

from case_files import analyze_case
from hypothesis import given, settings
from hypothesis import strategies as st

from trexreport.analyzer.rules.lint import lint
from trexreport.analyzer.rules.registry import Registry, built_in_rules

RULES = tuple(rule for rule in built_in_rules() if rule.family in {"fusion", "quantization"})

TYPES = (
    ("CaskConvolution", "Convolution"),
    ("Reformat", "Reformat"),
    ("Scale", "Scale"),
    ("ElementWise", "ElementWise"),
    ("PointWiseV2", "PointWise"),
    ("CudaSoftMax", "SoftMax"),
    ("Reduce", "Reduce"),
    ("Unary", "Unary"),
    ("TiledPooling", "Pooling"),
    ("Shuffle", "Shuffle"),
    ("MatrixMultiply", "MatrixMultiply"),
    ("PluginV2", "PluginV2"),
    ("Myelin", None),
    ("NoOp", None),
    ("Constant", None),
    ("gemm", None),
)
KERNELS = (
    "__myl_MulMinMaxRounCast",
    "__myl_CastMul",
    "__myl_CastMulAddRelu",
    "__myl_MulErfAddMul",
    "__myl_PowMulTanh",
    "__myl_CastMeanSubMulMean",
    "__myl_AddSqrtDivMulCastMulAdd",
    "__myl_MaxrSubExpSum",
    "__myl_ReshTranSlic",
    "__myl_FcAdd",
    "_gemm_mha_v2",
)
FORMATS = ("Half", "Float", "Int8", "FP8", "Int32", "Unheard of")
SHAPES = ("", "1", "8x16", "-1x16", "1x8x16")


@st.composite
def layers(draw):
    """Draw layers that read anything, themselves included, and may have no tensors at all."""
    count = draw(st.integers(1, 12))
    tensor = st.builds(
        "t{} | {} | {}".format, st.integers(0, count), st.sampled_from(FORMATS), st.sampled_from(SHAPES)
    )
    found = []
    for index in range(count):
        record = {"Name": f"layer {index}", "LayerType": "kgen"}
        if draw(st.booleans()):
            record["Name"] = f"{draw(st.sampled_from(KERNELS))}_myl2_{index}"
        else:
            record["LayerType"], parameters = draw(st.sampled_from(TYPES))
            if parameters:
                record["ParameterType"] = parameters
        record |= draw(
            st.fixed_dictionaries(
                {},
                optional={
                    "ms": st.floats(0, 10),
                    "Origin": st.sampled_from(["QDQ", "REFORMAT", 3, None]),
                    "ElementWiseOperation": st.sampled_from(["SUM", "PROD", "", None, []]),
                    "UnaryOperation": st.sampled_from(["SQRT", "ERF", {}]),
                    "Operations": st.sampled_from(
                        [[], [1, None], ["auto const var0 = pwgen::iSqrt(arg0);"], "x"]
                    ),
                    "HasResidual": st.sampled_from([0, 1, "no"]),
                },
            )
        )
        record["Inputs"] = draw(st.lists(tensor, max_size=3))
        record["Outputs"] = draw(st.lists(tensor, max_size=2))
        found.append(record)
    return found


@settings(max_examples=150)
@given(layers(), st.lists(st.integers(0, 12), max_size=3))
def test_no_rule_breaks_or_promises_more_than_the_time(records, bindings):
    case = {"layers": records, "bindings": [f"t{number}" for number in bindings]}
    with tempfile.TemporaryDirectory() as folder:
        analysis = analyze_case(case, Path(folder))
    outcome = lint(analysis, Registry(RULES))
    assert not [each for each in outcome.unchecked if each.why == "broken"]
    for finding in outcome.findings:
        for place in finding.places:
            taken = sum(analysis.layers[index].avg_ms or 0.0 for index in set(place.layers))
            assert place.gain is None or place.gain.high_ms <= taken * (1 + 1e-9) + 1e-12
            assert len(set(place.layers)) == len(place.layers)
            assert place.message.endswith(".")
    again = lint(analysis, Registry(RULES))
    assert again.findings == outcome.findings
