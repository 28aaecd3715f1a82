"""The rules accept any engine, and state savings within its times."""

from __future__ import annotations

import math
import tempfile
from pathlib import Path

from case_files import analyze_case
from hypothesis import given, settings
from hypothesis import strategies as st

from trexreport.analyzer.rules.lint import lint
from trexreport.analyzer.rules.registry import Registry, built_in_rules

RULES = built_in_rules()

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


def check_savings(gain, analysis):
    """Check that savings are a range within the time of the layers that they are part of."""
    assert 0 <= gain.low_ms <= gain.high_ms
    assert gain.kind == "bound" or gain.high_ms > 0
    assert [part.layer for part in gain.parts] == sorted({part.layer for part in gain.parts})
    for part in gain.parts:
        assert 0 <= part.low_ms <= part.high_ms <= (analysis.layers[part.layer].avg_ms or 0.0)
    if gain.parts:
        assert math.isclose(gain.low_ms, math.fsum(part.low_ms for part in gain.parts))
        assert math.isclose(gain.high_ms, math.fsum(part.high_ms for part in gain.parts))
    assert gain.bases


@settings(max_examples=150)
@given(layers(), st.lists(st.integers(0, 12), max_size=3))
def test_no_rule_breaks_or_promises_more_than_the_time(records, bindings):
    case = {"layers": records, "bindings": [f"t{number}" for number in bindings], "gpu": "A100 80GB PCIe"}
    with tempfile.TemporaryDirectory() as folder:
        analysis = analyze_case(case, Path(folder))
    outcome = lint(analysis, Registry(RULES))
    assert not [each for each in outcome.unchecked if each.why == "broken"]
    for finding in outcome.findings:
        gains = [place.gain for place in finding.places if place.gain is not None]
        assert bool(gains) == (finding.gain is not None)
        for gain in (*gains, *filter(None, [finding.gain])):
            check_savings(gain, analysis)
            assert gain.high_ms <= sum(each.high_ms for each in gains) + 1e-9
            assert gain.low_ms <= sum(each.low_ms for each in gains) + 1e-9
        for place in finding.places:
            assert len(set(place.layers)) == len(place.layers)
            assert place.message.endswith(".")
            if place.gain is not None and place.gain.parts:
                assert set(place.layers) >= {part.layer for part in place.gain.parts if part.high_ms > 0}
    again = lint(analysis, Registry(RULES))
    assert again.findings == outcome.findings
