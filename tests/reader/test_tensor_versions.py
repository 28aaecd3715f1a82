"""Names of tensors that are written several times."""

from __future__ import annotations

import pytest

from trexreport.reader.versions import TensorVersions


def spelled(names, version_of):
    return ",".join(f"{name}{version_of(name)}" for name in names)


def versions(*steps):
    """Return the versions that each step ("reads>writes") reads and writes."""
    walker = TensorVersions()
    seen = []
    for step in steps:
        reads, writes = step.split(">")
        seen.append(f"{spelled(reads, walker.read)}>{spelled(writes, walker.written)}")
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
