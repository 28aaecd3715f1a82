"""Rules find what they report without comparing each layer with all others."""

from __future__ import annotations

import sys

import pytest
from case_files import analyze_case, apply_rule

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.rules import Context
from trexreport.analyzer.rules.engine.build_flags import types_stated
from trexreport.analyzer.rules.quantization import scales
from trexreport.analyzer.rules.registry import built_in_rules

RULES = {rule.code: rule for rule in built_in_rules()}
COUNT = 50
_HALF, _SINGLE = ("Channel major FP16 format where channel % 8 == 0", "Row major linear FP32 format")


def _convolution(at, kind, tensors, ms):
    return {
        "Name": f"conv{at}",
        "LayerType": "CaskConvolution",
        "ParameterType": "Convolution",
        "Kernel": [3, 3],
        "Groups": 1,
        "OutMaps": 256,
        "Inputs": [f"t{at} | {tensors} | 8x256x64x64"],
        "Outputs": [f"t{at + 1} | {tensors} | 8x256x64x64"],
        "TacticName": kind,
        "ms": ms,
    }


def _far_off():
    """Return an engine of layers in FP32 that take much longer than their work, beside some in FP16."""
    slow = [_convolution(at, "simt", _SINGLE, 100.0 + at) for at in range(COUNT)]
    fast = [_convolution(1000 + at, "sm80_xmma_f16", _HALF, 0.2) for at in range(3)]
    device = {"Selected Device": "NVIDIA A100 80GB PCIe", "Compute Capability": "8.0", "SMs": "108"}
    setup = {"build_options": {"Precision": "FP32+FP16"}, "device": device}
    return {"gpu": "A100 80GB PCIe", "layers": [*slow, *fast], "setup": setup}


def _named_reformats():
    names = (f"Reformatting CopyNode for Input Tensor {at} to conv" for at in range(COUNT))
    return {"layers": [{"Name": name, "ms": 1.0 + at} for at, name in enumerate([*names, "conv"])]}


def _named_qdq():
    names = (f"conv{at}_quantize_scale_node" for at in range(COUNT))
    return {"layers": [{"Name": name, "ms": 1.0} for name in ["conv1", *names, "conv2"]]}


def _kernel(name, kind, reads, writes, **more):
    tensors = {"Inputs": [f"{reads} | 4x2048x768"], "Outputs": [f"{writes} | 4x2048x768"]}
    return {"Name": name, "LayerType": kind, "ms": 0.1, **tensors, **more}


def _plugins_in_fp32():
    """Return plugins in FP32, each with a kernel that casts before it and one that does not behind it."""
    layers = [_kernel("a/MatMul_myl0_0", "gemm", "x | Half", "y | Half", TacticName="sm80_xmma_gemm_f16f16")]
    for at in range(COUNT):
        layers += [
            _kernel(f"__myl_MulCast_myl0_{at}", "kgen", f"a{at} | Half", f"b{at} | Float"),
            _kernel(f"scan {at}", "PluginV3", f"b{at} | Float", f"c{at} | Float", PluginType="Scan"),
            _kernel(f"__myl_Add_myl0_{at}", "kgen", f"c{at} | Float", f"d{at} | Float"),
        ]
    return {"layers": layers}


@pytest.mark.parametrize(
    ("code", "case", "found"),
    [
        ("TRX401", _far_off, 0),
        ("TRX206", _named_reformats, COUNT),
        ("TRX301", _named_qdq, 1),
        ("TRX903", _plugins_in_fp32, 1),
    ],
)
def test_no_rule_compares_all_layers_with_each_other(code, case, found, tmp_path, monkeypatch):
    analysis = analyze_case(case(), tmp_path)
    compared = []
    equal = LayerFacts.__eq__

    def counted(one, other):
        compared.append(one)
        return equal(one, other)

    monkeypatch.setattr(LayerFacts, "__eq__", counted)
    result = apply_rule(analysis, RULES[code], {})
    assert sum(len(each.places) for each in result.findings) == found
    assert len(compared) < COUNT


def _scaled_weights_of_many():
    weights, image = ("{} | Row major linear FP16 format | 512x128x3x3", "{} | " + _HALF + " | 1x512x64x64")
    yield {
        "Name": "scale",
        "LayerType": "PointWise",
        "ParameterType": "PointWise",
        "ms": 0.1,
        "Inputs": ["s | Row major linear FP16 format | 4x128"],
        "Outputs": [weights.format("w")],
    }
    for at in range(COUNT):
        yield {
            "Name": f"conv{at}",
            "LayerType": "CaskConvolution",
            "ParameterType": "Convolution",
            "ms": 0.1,
            "Inputs": [image.format(f"t{at}"), weights.format("w")],
            "Outputs": [image.format(f"t{at + 1}")],
            "Groups": 4,
            "HasDynamicFilter": 1,
        }


def _listed_successors(monkeypatch):
    """Return the list of what `Context.successors` will have returned, all calls together."""
    listed = []
    successors = Context.successors

    def counted(context, layer, through=None):
        found = successors(context, layer, through)
        listed.extend(found)
        return found

    monkeypatch.setattr(Context, "successors", counted)
    return listed


def test_the_readers_of_common_weights_are_not_listed_for_each_of_them(tmp_path, monkeypatch):
    analysis = analyze_case({"layers": list(_scaled_weights_of_many())}, tmp_path)
    listed = _listed_successors(monkeypatch)
    assert not apply_rule(analysis, RULES["TRX113"], {}).findings
    assert len(listed) < 10 * COUNT


def _read_together(at):
    image = "{} | " + _HALF + " | 1x{}x{}"
    yield {
        "Name": f"up{at}",
        "LayerType": "Resize",
        "ParameterType": "Resize",
        "ms": 0.1,
        "Inputs": [image.format(f"x{at}", 64, "32x32")],
        "Outputs": [image.format("joined", 64, "64x64")],
    }
    yield {
        "Name": f"mix{at}",
        "LayerType": "CaskConvolution",
        "ParameterType": "Convolution",
        "Kernel": [1, 1],
        "ms": 0.1,
        "Inputs": [image.format("joined", 64 * COUNT, "64x64")],
        "Outputs": [image.format(f"y{at}", 64, "64x64")],
    }


def test_the_readers_of_enlarged_images_are_listed_once_for_each_resize(tmp_path, monkeypatch):
    resizes, convolutions = zip(*map(_read_together, range(COUNT)), strict=True)
    case = {"layers": [*resizes, *convolutions]}
    analysis = analyze_case(case, tmp_path)
    listed = _listed_successors(monkeypatch)
    assert not apply_rule(analysis, RULES["TRX115"], {}).findings
    assert len(listed) == COUNT * COUNT


def test_names_that_options_state_are_not_compared_with_those_of_all_layers(tmp_path):
    names = [f"/enc/layer.{at}/Conv" for at in range(COUNT)]
    stated = ",".join(f"{name}:fp32" for name in names)
    command = f"trtexec --onnx=m.onnx --precisionConstraints=obey --layerPrecisions={stated}"
    layers = [{"Name": name, "LayerType": "Convolution", "ms": 0.1} for name in names]
    context = Context(analyze_case({"layers": layers, "setup": {"commands": [command]}}, tmp_path))
    calls = []
    sys.setprofile(lambda _, event, __: calls.append(event) if event.endswith("call") else None)
    try:
        found = [types_stated(context, layer) for layer in context.layers]
    finally:
        sys.setprofile(None)
    assert found == [[f"--layerPrecisions={name}:fp32"] for name in names]
    assert len(calls) < COUNT * COUNT


_STEPS, _FEWER = 14, 12


def _step(name, kind, reads, writes):
    half = "{} | Row major linear FP16 format | 1x64"
    layer = {"Name": name, "LayerType": kind, "ParameterType": kind, "ms": 0.01}
    return {**layer, "Inputs": list(map(half.format, reads)), "Outputs": [half.format(writes)]}


def _loop_of_two_sources(kernels):
    """Return equal steps, of which all but the last two also read parts of a second tensor."""
    yield from (_step(f"cut {at}", "Slice", ["t"], f"s{at}") for at in range(_STEPS))
    yield from (_step(f"other {at}", "Slice", ["u"], f"u{at}") for at in range(_FEWER))
    for at in range(_STEPS):
        yield _step(f"0 of {at}", "ElementWise", [f"s{at}", *[f"u{at}"][: at < _FEWER]], f"k{at}_0")
        for kernel in range(1, kernels):
            yield _step(f"{kernel} of {at}", "ElementWise", [f"k{at}_{kernel - 1}"], f"k{at}_{kernel}")


def test_a_layer_is_of_one_loop_also_where_its_steps_read_two_tensors(tmp_path):
    case = {"layers": list(_loop_of_two_sources(10)), "bindings": ["t", "u"]}
    result = apply_rule(analyze_case(case, tmp_path), RULES["TRX520"], {})
    reported = [layer for finding in result.findings for place in finding.places for layer in place.layers]
    assert len(reported) == len(set(reported)) == _STEPS * 11


def test_whether_an_engine_is_calibrated_is_found_once(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(scales, "flags_used", lambda context: asked.append(context) or frozenset())
    int8 = "Thirty-two wide channel vectorized row major Int8 format"
    context = Context(analyze_case({"layers": [_convolution(0, "sm80_xmma_i8", int8, 1.0)]}, tmp_path))
    assert [scales.is_calibrated(context) for _ in range(COUNT)] == [False] * COUNT
    assert len(asked) == 1
