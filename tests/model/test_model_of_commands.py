"""What command lines of trtexec say."""

from __future__ import annotations

import pytest

from trexreport.model.commands import model_of_commands


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
