"""Plans of thousands of layers are read in time that grows with their size and no faster."""

from __future__ import annotations

import gc
import json
import sys
import time
from pathlib import Path

import pytest
from limits import processor_seconds

from trexreport.analyzer import analyze
from trexreport.garbage import collection_paused
from trexreport.model import Engine
from trexreport.model.kernel_trace import KernelRange, KernelRun, KernelTrace
from trexreport.reader import read_engine
from trexreport.reader.contradictions import find_contradictions
from trexreport.reader.join import cut_names


@pytest.fixture(scope="module")
def llm(tmp_path_factory):
    """Return a function that writes a decoder of the given number of layers and returns its folder."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "samples"))
    try:
        from generator.large import llm_like
    finally:
        sys.path.pop(0)

    def write(layers):
        folder = tmp_path_factory.mktemp(f"llm-{layers}")
        for name, data in llm_like(layers).items():
            (folder / name).write_bytes(data)
        return folder

    return write


def seconds(work):
    started = time.process_time()
    work()
    return time.process_time() - started


def test_ten_thousand_layers(llm):
    small, large = llm(1_000), llm(10_000)
    analyze(read_engine(small))
    of_small = min(seconds(lambda: analyze(read_engine(small))) for _ in range(2))
    of_large = seconds(lambda: analyze(read_engine(large)))
    # A factor of 10 on a quiet machine; on a busy one neighbors take from its caches.
    assert of_large < 30 * of_small


@pytest.mark.parametrize(
    "document",
    [
        {"Layers": ["same"] * 20_000},
        {"Layers": [{"Name": "a", "Inputs": [{"Name": "x"}] * 20_000, "Outputs": [{"Name": "y"}] * 20_000}]},
        {"Layers": ["a"], "Bindings": [f"b{index}" for index in range(100_000)]},
        {"Layers": [f"l [profile {index}]" for index in range(20_000)]},
    ]
    + [
        {
            "Layers": [
                {
                    "Name": f"{i}",
                    "LayerType": "NoOp",
                    "Inputs": [{"Name": f"t{i}"}],
                    "Outputs": [{"Name": f"t{i + 1}"}],
                }
                for i in range(20_000)
            ],
            "Bindings": bindings,
        }
        for bindings in ([], ["t0"])
    ]
    + [
        {
            "Layers": [
                {
                    "Name": "a",
                    "Inputs": [{"Name": "x"}],
                    "Outputs": [{"Name": f"y{i}", "Dimensions": [i]} for i in range(50_000)],
                }
            ]
        },
        {
            "Layers": [
                {
                    "Name": f"{i}",
                    "LayerType": "gemm",
                    "Inputs": [{"Name": f"i{i}", "Dimensions": [8, 4], "Format/Datatype": "Half"}],
                    "Outputs": [{"Name": f"o{i}", "Dimensions": [8, 4, 2], "Format/Datatype": "Half"}],
                }
                for i in range(20_000)
            ],
            "Bindings": ["i0", "o19999"],
        },
    ],
    ids=[
        "one-name",
        "many-tensors",
        "many-bindings",
        "many-profiles",
        "chain-of-no-ops",
        "no-ops-in-vain",
        "many-outputs",
        "all-torn",
    ],
)
def test_lopsided_plans(capture, document):
    folder = capture(graph=json.dumps(document))
    with processor_seconds(20):
        analyze(read_engine(folder))


def test_many_names_that_a_table_cuts():
    names = [f"{'/model/layers.' * 2}{index:05}/mlp/down_proj" for index in range(20_000)]
    rows = [name[:33] for name in names]
    with processor_seconds(20):
        assert cut_names(names, rows) == dict(zip(names, rows, strict=True))


def test_a_trace_with_ranges_of_many_layers():
    ranges = tuple(KernelRange(f"layer{number}") for number in range(30_000))
    runs = tuple(KernelRun(0, at, at + 1, query=0, range=at) for at in range(len(ranges)))
    engine = Engine(name="x", layers=(), kernels=KernelTrace(ranges=ranges, runs=runs))
    with processor_seconds(4):
        assert list(find_contradictions(engine)) == []


def test_collection_goes_on_afterward():
    with collection_paused():
        assert not gc.isenabled()
        with collection_paused():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()
    with pytest.raises(KeyError), collection_paused():
        raise KeyError
    assert gc.isenabled()
