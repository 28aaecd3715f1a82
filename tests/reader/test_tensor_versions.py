"""Names of tensors that are written several times."""

from __future__ import annotations

import pytest

from trexreport.model import DataFormat, Tensor
from trexreport.reader.versions import TensorVersions


def tensors(names):
    return [Tensor(name, (1,), DataFormat("Half", "FP16")) for name in names]


def spelled(found):
    return ",".join(f"{tensor.name}{tensor.version}" for tensor in found)


def versions(*steps):
    """Return the versions that each step ("reads>writes") reads and writes."""
    walker = TensorVersions()
    seen = []
    for step in steps:
        reads, writes = (tensors(names) for names in step.split(">"))
        seen.append(f"{spelled(walker.read(reads))}>{spelled(walker.written(writes))}")
    return seen, walker.rewritten


@pytest.mark.parametrize(
    ("steps", "expected", "rewritten"),
    [
        (["a>b", "b>c"], ["a0>b1", "b1>c1"], set()),
        (["a>b", "a>b", "a>b", "b>c"], ["a0>b1", "a0>b1", "a0>b1", "b1>c1"], set()),
        (["a>b", "b>c", "a>b", "b>d"], ["a0>b1", "b1>c1", "a0>b2", "b2>d1"], {"b"}),
        (["a>b", "b>c", "a>b", "a>b", "b>d"], ["a0>b1", "b1>c1", "a0>b2", "a0>b2", "b2>d1"], {"b"}),
        ([">b", "b>b", "b>c"], [">b1", "b1>b2", "b2>c1"], {"b"}),
        (["b>b", "b>"], ["b0>b1", "b1>"], {"b"}),
        (["b>a", ">b", "b>c"], ["b0>a1", ">b1", "b1>c1"], {"b"}),
        ([">b", "bb>c"], [">b1", "b1,b1>c1"], set()),
        ([">bb", "b>"], [">b1,b1", "b1>"], set()),
        ([">"], [">"], set()),
    ],
    ids=[
        "chain",
        "concat-in-place",
        "reuse",
        "reuse-by-concat",
        "loop",
        "loop-first",
        "read-first",
        "twice",
        "twice-out",
        "none",
    ],
)
def test_versions(steps, expected, rewritten):
    assert versions(*steps) == (expected, rewritten)
