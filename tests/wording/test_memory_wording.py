"""A size of which some parts are unknown never reads as complete."""

from __future__ import annotations

import pytest

from trexreport.analyzer.analysis.engine import Memory
from trexreport.wording.memory import memory_amounts


def memory(**figures):
    names = Memory.__dataclass_fields__
    return Memory(
        **{**dict.fromkeys(names, 0), "weights_by_type": [], "live_bytes": [], "stated": {}, **figures}
    )


@pytest.mark.parametrize(
    ("figures", "expected"),
    [
        ({"weights_bytes": 12}, "12 B"),
        (
            {"weights_bytes": 12, "layers_without_weights": 1275},
            "12 B stated (1,275 layers state none)",
        ),
        ({"weights_bytes": 12, "layers_without_weights": 1}, "12 B stated (1 layer states none)"),
        ({"layers_without_weights": 2}, "unknown"),
        ({"weights_bytes": 12, "weights_unknown": 2}, "at least 12 B (2 parts of unknown size)"),
    ],
)
def test_weights(figures, expected):
    assert memory_amounts(memory(**figures))["weights"].replace("\u00a0", " ") == expected


def test_io_tensors_are_unknown_without_any():
    assert memory_amounts(memory())["bindings"] == "unknown"
    assert memory_amounts(memory(bindings=1, bindings_bytes=4))["bindings"].replace("\u00a0", " ") == "4 B"
