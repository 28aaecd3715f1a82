"""Keep Python's garbage collector from searching large values that are still being built."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collection_paused() -> Iterator[None]:
    """Pause the collector inside a `with` block or a decorated function.

    A plan of 20,000 layers is a million small objects that all stay. The collector would search them
    again and again as their number grows, which takes longer than reading them.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
