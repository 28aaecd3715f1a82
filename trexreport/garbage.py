"""Keep Python's garbage collector from searching large values that are still being built."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

#: This many objects more than after the last search are worth another one. Comparisons leave some; pages of
#: engines leave none, as nothing that they are made of is in a cycle (`tests/renderer/test_page_garbage.py`).
_MANY_NEW = 50_000


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


def collect_if_many_are_new() -> None:
    """Search for garbage if many objects are left of what was done since the last search.

    For processes that do one job after another with the collector off. On its own it would search after
    each job, which takes a twentieth of the time of a small one.
    """
    if gc.get_count()[0] > _MANY_NEW:
        gc.collect(1)
