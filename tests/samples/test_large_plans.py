"""The plans for benchmarks have the asked size and the shapes that make a plan hard to read."""

from __future__ import annotations

import json
from collections import Counter

import make_samples
import pytest
from generator.large import llm_like, unet_like

MAKERS = {"llm": llm_like, "unet": unet_like}


def graph_of(files):
    return json.loads(next(content for name, content in files.items() if name.endswith(".graph.json")))


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("layers", [11, 57, 400, 2000])
def test_a_plan_has_exactly_the_layers_asked_for(maker, layers):
    files = MAKERS[maker](layers)
    assert len(files) == 5
    graph = graph_of(files)
    assert len(graph["Layers"]) == layers
    assert len({layer["Name"] for layer in graph["Layers"]}) == layers


@pytest.mark.parametrize("maker", MAKERS)
def test_every_tensor_has_an_earlier_producer_or_is_a_binding(maker):
    graph = graph_of(MAKERS[maker](1234))
    known = set(graph["Bindings"])
    assert graph["Layers"]
    for layer in graph["Layers"]:
        assert {tensor["Name"] for tensor in layer["Inputs"]} <= known, layer["Name"]
        known |= {tensor["Name"] for tensor in layer["Outputs"]}


@pytest.mark.parametrize("maker", MAKERS)
def test_the_same_size_gives_the_same_bytes(maker):
    assert MAKERS[maker](300) == MAKERS[maker](300)


def test_every_block_of_the_decoder_reads_the_same_three_tensors():
    graph = graph_of(llm_like(800))
    blocks = sum(name.endswith(".key") and name.startswith("present") for name in graph["Bindings"])
    readers = Counter(tensor["Name"] for layer in graph["Layers"] for tensor in layer["Inputs"])
    # The tables are read twice in a block, by queries and keys; the mask once.
    assert blocks > 40
    assert sorted(count for count in readers.values() if count >= blocks)[:1] == [blocks]
    assert sum(count == 2 * blocks for count in readers.values()) >= 2


def test_skip_connections_of_the_unet_span_the_plan():
    layers = graph_of(unet_like(2000))["Layers"]
    writer = {tensor["Name"]: index for index, layer in enumerate(layers) for tensor in layer["Outputs"]}
    spans = [
        index - writer[tensor["Name"]]
        for index, layer in enumerate(layers)
        for tensor in layer["Inputs"]
        if tensor["Name"] in writer
    ]
    assert max(spans) > 0.9 * len(layers)
    assert sum(span > 100 for span in spans) > 300


def test_too_few_layers_are_refused(tmp_path, capsys):
    for option in ("--llm", "--unet"):
        with pytest.raises(SystemExit) as caught:
            make_samples.main([option, "3", "-o", str(tmp_path)])
        assert caught.value.code == 2
    assert "at least" in capsys.readouterr().err


def test_the_command_writes_a_large_plan(tmp_path):
    make_samples.main(["--llm", "200", "-o", str(tmp_path)])
    assert len(list((tmp_path / "llm-200").iterdir())) == 5
