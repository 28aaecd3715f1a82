"""The estimate of tokens is at least what tokenizers count, and not far above it."""

from __future__ import annotations

import pytest

from trexreport.renderer.short_document.tokens import estimate_tokens

#: Text, and the highest count of cl100k, o200k and the tokenizers of Claude 2, Llama 2, Llama 3 and Mistral.
COUNTED = {
    "Median latency: 0.798 ms (p99 0.803 ms)": 24,
    "21 Convolution layers take 71.2% of layer time": 16,
    "layer1.0.conv2.weight + /layer1/layer1.0/conv2/_weight_quantizer/QuantizeLinear": 30,
    "|FP16|1,207|85.9%|36.2|": 22,
    "Reformatting CopyNode for Output Tensor 0 to /maxpool/MaxPool": 17,
    "input 32×3×224×224 · est. 23–32% (−0.20 ms)": 32,
    "日本語のレイヤー名": 11,
    "😀🚀🔥": 13,
    "jkxvzzqjxjvjjzqkxvkv": 18,
    "XQZJKVWPLMNB": 11,
    "a9F3c0d7E1b2": 12,
    "0123456789012345": 17,
    "__myl_FcCastMulMeanAddSqrtDivMul_myl0_17": 25,
    "/model/layers.11/self_attn/q_proj/MatMul_myl4_33": 28,
    "\n\n## Top findings\n": 8,
}


@pytest.mark.parametrize(("text", "tokens"), COUNTED.items())
def test_the_estimate_is_an_upper_bound(text, tokens):
    assert tokens <= estimate_tokens(text) <= 3 * tokens


def test_prose_is_not_overestimated_by_much():
    counted, text = 40, [text for text, tokens in COUNTED.items() if tokens in {24, 16}]
    assert sum(map(estimate_tokens, text)) < 1.6 * counted


@pytest.mark.parametrize("text", ["\ud800", "\x00", " ", "   ", "\u202e"])
def test_what_is_no_word_counts_too(text):
    assert estimate_tokens(text) > estimate_tokens("")
