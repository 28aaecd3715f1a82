"""TREx's linters: which layers each finds, and where they are right though TREx is not."""

from __future__ import annotations

import warnings

import pytest

from trexreport import EnginePlan
from trexreport.trex.lint import ConvLinter, QDQLinter, ReformatLinter, SliceLinter

INT8, FP16, FP32 = "Row major Int8 format", "Row major linear FP16 format", "Row major linear FP32"


def plan_of(*layers):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return EnginePlan(list(layers))


def layer(name, kind, source, result, channels=(64, 64), **more):
    def tensor(label, layout, count):
        return {"Name": label, "Dimensions": [1, count, 4, 4], "Format/Datatype": layout}

    return {
        "Name": name,
        "LayerType": kind,
        "ParameterType": kind,
        "Inputs": [tensor(f"{name} in", source, channels[0])],
        "Outputs": [tensor(f"{name} out", result, channels[1])],
        **more,
    }


def convolution(name, tactic, source=FP16, result=FP16, channels=(64, 64)):
    return layer(name, "Convolution", source, result, channels, TacticName=tactic, Kernel=[1, 1], Groups=1)


def test_convolutions_without_tensor_cores():
    plan = plan_of(
        convolution("simt", "ampere_scudnn_128x64_relu_medium_nn_v1"),
        convolution("few", "no idea", channels=(8, 64)),
        convolution("h16816", "ampere_h16816cudnn_256x64_ldg8_relu_exp_medium_nhwc_tn_v1"),
        convolution("fp32", "ampere_scudnn_128x64_relu_medium_nn_v1", FP32, FP32),
    )
    report = ConvLinter(plan).tc_lint()
    assert list(report) == ["simt", "few"]
    assert report["simt"]["hazard"] == "Convolution is not accelerated."
    assert report["simt"]["mitigation"] == ""
    assert "small number of input channels" in report["few"]["mitigation"]


def test_a_convolution_with_several_hazards_keeps_all():
    table = ConvLinter(plan_of(convolution("c", "no idea", INT8, FP16, channels=(8, 64)))).lint()
    assert list(table.index) == ["c"]
    row = table.loc["c"]
    assert row["hazard"] == "Convolution channels are not optimally aligned."
    assert row["other hazards"] == "Convolution is not accelerated. Quantized Convolution has float outputs."


@pytest.mark.parametrize(
    ("source", "channels", "found"), [(FP16, 8, False), (FP16, 4, True), (INT8, 8, True)]
)
def test_alignment(source, channels, found):
    linter = ConvLinter(plan_of(convolution("c", "x", source, source, (channels, 64))))
    assert bool(linter.alignment_lint()) is found


@pytest.mark.parametrize(("linter", "kind"), [(ReformatLinter, "Reformat"), (SliceLinter, "Slice")])
def test_conversions(linter, kind):
    plan = plan_of(
        layer("q", kind, FP32, INT8), layer("same", kind, FP16, FP16), layer("half", kind, FP32, FP16)
    )
    table = linter(plan).lint()
    assert list(table["type conversion"]) == ["FP32 -> Int8", "FP32 -> FP16"]
    assert list(table["mitigation"]) == ["Consider adding quantization around float operations.", ""]
    assert table.loc["q", "shape conversion"] == "[1, 64, 4, 4] -> [1, 64, 4, 4]"


def test_quantization_on_its_own():
    plan = plan_of(
        layer("q", "Scale", FP32, INT8), layer("d", "Scale", INT8, FP32), layer("s", "Scale", FP16, FP16)
    )
    assert list(QDQLinter(plan).lint()["hazard"]) == ["Unfused Quantize layer", "Unfused Dequantize layer"]


@pytest.mark.parametrize("linter", [ConvLinter, ReformatLinter, SliceLinter, QDQLinter])
def test_nothing_to_find_is_an_empty_table(linter):
    odd = [{"Name": "t", "LayerType": "TrainStation"}, {"Name": "r", "LayerType": "Reformat", "Inputs": []}]
    assert linter(plan_of(*odd)).lint().empty
