"""What layers may call the kernels that run them."""

from __future__ import annotations

from collections.abc import Iterable

from trexreport.regex import regex

#: A shorter tactic, such as "0x1", says nothing of the name of a kernel.
SHORTEST_TACTIC = 6
_BASE_NAME = regex(r"(?:\w+\s+)*([\w:]+)")


def possible_tactics(*names: str) -> Iterable[str]:
    """Yield what a layer may call a kernel: libraries append to it, as in "…_execute_kernel__5x_cudnn"."""
    for name in names:
        yield name
        base = _BASE_NAME.match(name)
        cut = base[1] if base else name
        while len(cut) >= SHORTEST_TACTIC:
            yield cut
            cut = cut.rpartition("_")[0]
