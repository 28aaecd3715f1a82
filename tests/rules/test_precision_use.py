"""The precisions in use are those of layers that compute, whatever the engine's I/O tensors are."""

from __future__ import annotations

import itertools

import pytest
from case_files import analyze_case

from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.precision.precision_use import product_types, used_types

FORMATS = {
    "FP32": "Row major linear FP32",
    "FP16": "Row major linear FP16 format",
    "BF16": "Row major linear BFloat16 format",
    "INT8": "Row major Int8 format",
    "FP8": "Row major linear FP8 format",
}
#: Layers between an input of the engine and the first that computes, or the last one and an output.
CONVERSIONS = [
    {"LayerType": "Reformat", "ParameterType": "Reformat"},
    {"LayerType": "Cast", "ParameterType": "Cast"},
    {"LayerType": "kgen", "Name": "__myl_Cast_myl0_1"},
    {"LayerType": "kgen", "Name": "__myl_CastTranMove_myl0_1"},
]


def _layer(name, kind, tensors, types):
    source, result = (
        [f"{tensor} | {FORMATS[each]} | 1x64x56x56"] for tensor, each in zip(tensors, types, strict=True)
    )
    return {"Name": name, **kind, "Inputs": source, "Outputs": result, "ms": 1.0}


def _context(tmp_path, conversion, outside, inside):
    """Return an engine that computes in one type and has inputs and outputs of another."""
    product = {"LayerType": "CaskConvolution", "ParameterType": "Convolution", "Kernel": [3, 3], "Groups": 1}
    inner = "FP32" if inside == "TF32" else inside
    if inside == "TF32":
        product["TacticName"] = "sm80_xmma_fprop_implicit_gemm_f32f32_tf32f32_f32_nhwckrsc_nhwc_tensor16x8x8"
    layers = [
        _layer("before", conversion, "xa", (outside, inner)),
        _layer("conv", product, "ab", (inner, inner)),
        _layer("pool", {"LayerType": "Pooling", "ParameterType": "Pooling"}, "bc", (inner, inner)),
        _layer("after", conversion | {"Name": "after"}, "cy", (inner, outside)),
    ]
    return Context(analyze_case({"bindings": ["x", "y"], "layers": layers}, tmp_path))


@pytest.mark.parametrize("conversion", CONVERSIONS, ids=lambda each: each.get("Name", each["LayerType"]))
@pytest.mark.parametrize(("outside", "inside"), list(itertools.product(FORMATS, [*FORMATS, "TF32"])))
def test_io_tensors_do_not_count(conversion, outside, inside, tmp_path):
    context = _context(tmp_path, conversion, outside, inside)
    assert product_types(context) == {inside}
    assert used_types(context) == ({"TF32", "FP32"} if inside == "TF32" else {inside})
