"""What command lines of trtexec say."""

from __future__ import annotations

import pytest

from trexreport.model.commands import model_of_commands, precisions_of_commands


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
