"""What an engine is according to its files."""

from __future__ import annotations

import pytest

from trexreport.analyzer.identity import identify
from trexreport.model import Engine, Setup


@pytest.mark.parametrize(
    ("options", "batch"),
    [
        ({"Batch": "1"}, 1),
        ({"Batch": "8"}, 8),
        ({"Batch": "Explicit"}, None),
        ({"Batch": ""}, None),
        ({}, None),
    ],
)
def test_the_implicit_batch_that_a_log_prints_counts_where_no_input_is_known(options, batch):
    setup = Setup(inference_options=options, tensorrt_version="7.2.3")
    assert identify(Engine("e", (), setup=setup)).batch == batch


def test_the_command_names_the_model_where_no_option_does():
    commands = ("trtexec --onnx=/models/net.onnx --fp16",)
    assert identify(Engine("e", (), setup=Setup(commands=commands))).model == "net.onnx"
    stated = Setup(commands=commands, model_options={"Model": "other.onnx"})
    assert identify(Engine("e", (), setup=stated)).model == "other.onnx"
