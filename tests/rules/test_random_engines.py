"""The rules accept any engine, and state savings within its times."""

from __future__ import annotations

import json
import math
import tempfile
from collections import Counter
from pathlib import Path

from case_files import CASES, analyze_case
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
                    "StreamId": st.integers(0, 2),
                },
            )
        )
        record["Inputs"] = draw(st.lists(tensor, max_size=3))
        record["Outputs"] = draw(st.lists(tensor, max_size=2))
        found.append(record)
    return found


def possible_ms(analysis):
    """Return by layer what it can save: its time, scaled to GPU compute time where that is a tenth less."""
    times = [layer.avg_ms or 0.0 for layer in analysis.layers]
    whole = analysis.latency.gpu_compute
    exceeds = whole is not None and math.fsum(times) > 1.1 * whole.median_ms
    part = whole.median_ms / math.fsum(times) if exceeds else 1.0
    return [part * time for time in times]


def auxiliary(analysis):
    """Return the layers of all streams but the one that takes the most time."""
    times = Counter()
    for layer in analysis.layers:
        if layer.stream is not None:
            times[layer.stream] += layer.avg_ms or 0.0
    main = times.most_common(1)[0][1] if times else 0.0
    return {each.index for each in analysis.layers if each.stream is not None and times[each.stream] < main}


def of_layers_alone(gain):
    """Return whether savings are parts of layers, without a gap between them that a consequence adds."""
    return gain.parts and all(basis.code != "measured-gap" for basis in gain.bases)


def check_savings(gain, analysis):
    """Check that savings are a range within the time of the layers that they are part of."""
    possible, beside = possible_ms(analysis), auxiliary(analysis)
    assert 0 <= gain.low_ms <= gain.high_ms
    assert gain.kind == "bound" or gain.high_ms > 0
    assert [part.layer for part in gain.parts] == sorted({part.layer for part in gain.parts})
    for part in gain.parts:
        assert 0 <= part.low_ms <= part.high_ms <= possible[part.layer] * (1 + 1e-9)
        # What runs beside others may save nothing.
        assert not part.low_ms or part.layer not in beside
    if of_layers_alone(gain):
        assert math.isclose(gain.low_ms, math.fsum(part.low_ms for part in gain.parts))
        assert math.isclose(gain.high_ms, math.fsum(part.high_ms for part in gain.parts))
    assert gain.bases


@settings(max_examples=80)
@given(layers(), st.lists(st.integers(0, 12), max_size=3), st.none() | st.floats(0.01, 50))
def test_no_rule_breaks_or_promises_more_than_the_time(records, bindings, gpu_ms):
    case = {"layers": records, "bindings": [f"t{number}" for number in bindings], "gpu": "A100 80GB PCIe"}
    if gpu_ms is not None:
        case["measurement"] = {"summary": {"GPU Compute Time": gpu_ms, "Latency": gpu_ms}}
    with tempfile.TemporaryDirectory() as folder:
        analysis = analyze_case(case, Path(folder))
    check_findings(analysis)


#: Engines in which rules fire, with a time for each layer.
TIMED = [
    case
    for path in sorted(CASES.glob("*/fires-*.json"))
    if (case := json.loads(path.read_text("utf-8"))).get("layers")
    and all(isinstance(each, dict) and "ms" in each for each in case["layers"])
]


@settings(max_examples=80)
@given(st.sampled_from(TIMED), st.randoms(use_true_random=False))
def test_no_streams_and_no_gpu_compute_time_make_savings_impossible(case, random):
    layers = [
        {**each, "StreamId": random.randrange(3), "ms": each["ms"] * random.random()}
        for each in case["layers"]
    ]
    gpu_ms = sum(each["ms"] for each in layers) * random.uniform(0.1, 2) + 1e-3
    summary = {"GPU Compute Time": gpu_ms, "Latency": 1.1 * gpu_ms}
    changed = {**case, "layers": layers, "measurement": {"summary": summary}}
    with tempfile.TemporaryDirectory() as folder:
        check_findings(analyze_case(changed, Path(folder)))


def check_findings(analysis):
    """Check that the rules run, and that their findings state no savings that are impossible."""
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
        if finding.gain is not None and of_layers_alone(finding.gain):
            assert finding.gain.high_ms <= finding.time_ms * (1 + 1e-9)
        for consequence in finding.consequences:
            for place, cause in zip(consequence.places, consequence.causes, strict=True):
                whole = finding.places[cause].gain
                # A cause may have savings that can't be estimated, as those of a CUDA graph.
                if place.gain is not None and whole is not None and not consequence.in_part:
                    assert place.gain.low_ms <= whole.low_ms * (1 + 1e-9)
                    assert place.gain.high_ms <= whole.high_ms * (1 + 1e-9)
    check_together(outcome.findings, analysis)
    again = lint(analysis, Registry(RULES))
    assert again.findings == outcome.findings


def check_together(findings, analysis):
    """Check that what findings on different layers save together is possible in the time of the engine."""
    saved = {}
    for finding in findings:
        for part in finding.gain.parts if finding.gain else ():
            saved[part.layer] = max(saved.get(part.layer, 0.0), part.high_ms)
    whole = analysis.latency.gpu_compute
    # The two times are from different runs and count as equal up to a tenth.
    limit = math.inf if whole is None else 1.1 * whole.median_ms
    assert math.fsum(saved.values()) <= limit * (1 + 1e-9)
