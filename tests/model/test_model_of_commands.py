"""What command lines of trtexec say."""

from __future__ import annotations

import pytest

from trexreport.model.commands import allowed_precisions, model_of_commands, precisions_of_commands
from trexreport.model.measurement import Setup


@pytest.mark.parametrize(
    ("commands", "model"),
    [
        (["trtexec --onnx=/a/net.onnx --fp16"], "/a/net.onnx"),
        (["trtexec --onnx='/a b/net.onnx'", 'trtexec --onnx="/a b/net.onnx" --fp16'], "/a b/net.onnx"),
        (["trtexec --onnx=a.onnx --loadEngine=b.plan"], ""),
        (["trtexec --onnx=a.onnx", "trtexec --loadEngine=a.plan"], "a.onnx"),
        (["trtexec --onnx=a.onnx", "trtexec --onnx=b.onnx"], ""),
        (["trtexec --onnx= --fp16"], ""),
        ([], ""),
    ],
)
def test_the_model_is_that_of_the_build(commands, model):
    assert model_of_commands(commands) == model


@pytest.mark.parametrize(
    ("commands", "version", "expected"),
    [
        (["trtexec --onnx=a.onnx --int8 --fp16"], "", "FP32+FP16+INT8"),
        (["trtexec --onnx=a.onnx --best"], "", "FP32+FP16+INT8"),
        (["trtexec --onnx=a.onnx --stronglyTyped"], "10.3.0", "Strongly Typed"),
        (["trtexec --onnx=a.onnx"], "10.3.0", "FP32"),
        # From 11 on the network states its types.
        (["trtexec --onnx=a.onnx"], "11.0", ""),
        (["trtexec --onnx=a.onnx"], "", ""),
        (["trtexec --loadEngine=a.plan --fp16"], "8.6", ""),
        (["trtexec --onnx=a.onnx --fp16", "trtexec --onnx=a.onnx --int8"], "8.6", ""),
        (["trtexec --onnx=a.onnx --layerPrecisions=a--fp16:fp32"], "8.6", "FP32"),
        ([], "8.6", ""),
    ],
)
def test_the_precisions_are_those_that_the_build_allows(commands, version, expected):
    assert precisions_of_commands(commands, version) == expected


@pytest.mark.parametrize(
    ("options", "commands", "expected"),
    [
        ({"Precision": "FP32+FP16"}, [], "FP32+FP16"),
        ({}, ["trtexec --onnx=a.onnx --fp16"], "FP32+FP16"),
        # Up to TensorRT 10 trtexec prints FP32 for a network that states its types.
        ({"Precision": "FP32"}, ["trtexec --onnx=a.onnx --stronglyTyped"], "Strongly Typed"),
        ({"Precision": "FP32", "Strongly Typed": "Enabled"}, [], "Strongly Typed"),
        ({"Precision": "FP32 (Strongly Typed)"}, [], "Strongly Typed"),
        ({"Precision": "FP32", "Strongly Typed": "Disabled"}, [], "FP32"),
        ({"Precision": "FP32"}, ["trtexec --loadEngine=a.plan --stronglyTyped"], "FP32"),
        ({}, [], ""),
    ],
)
def test_a_strongly_typed_network_is_not_allowed_fp32_alone(options, commands, expected):
    setup = Setup(build_options=options, commands=commands, tensorrt_version="10.3.0")
    assert allowed_precisions(setup) == expected
