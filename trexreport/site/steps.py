"""Find in the times of runs where they became longer or shorter for good.

A run is compared with the level: the first runs since the last step, up to five, taken together. Their
first, not their last, so that many small changes that add up are found; several, so that it is known how much
repeated runs differ. A run that differs from the level is a step if the next run differs from it in the same
direction; if that one is back at the level, the run alone was slow or fast, and the level goes on. The
last run can't be judged yet: it is a step to be confirmed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from trexreport.lazy_dataclass import dataclass

#: The largest number of runs in a level.
LEVEL_RUNS = 5
#: Says of a run against runs of the level "faster", "slower", or anything else for no difference.
Judge = Callable[[Sequence[int], int], str]
_DIFFERENT = ("faster", "slower")


@dataclass(frozen=True)
class Mark:
    """What a run is in its history.

    Attributes:
        kind: "unmeasured", "first", "level", "step" (confirmed by the next run), "open" (the last run, so not
            confirmed yet) or "once" (the next run was back).
        direction: "faster" or "slower" of steps and of what was one for one run; else empty.
        level: Positions of the runs that it was compared with.
    """

    kind: str
    direction: str = ""
    level: tuple[int, ...] = ()


def find_steps(is_measured: Sequence[bool], judge: Judge) -> list[Mark]:
    """Return what each run is, in their order.

    Args:
        is_measured: For each run whether there is a time.
        judge: Compares runs that have one.
    """
    marks: list[Mark] = [Mark("unmeasured")] * len(is_measured)
    level: list[int] = []
    suspect: int | None = None
    for at in (position for position, known in enumerate(is_measured) if known):
        if not level:
            level, marks[at] = [at], Mark("first")
            continue
        against = tuple(level[:LEVEL_RUNS])
        verdict = judge(against, at)
        if suspect is not None:
            if verdict == marks[suspect].direction:
                marks[suspect] = replace(marks[suspect], kind="step")
                level = [suspect]
                against, verdict = (suspect,), judge((suspect,), at)
            else:
                marks[suspect] = replace(marks[suspect], kind="once")
        if verdict in _DIFFERENT:
            suspect, marks[at] = at, Mark("open", verdict, against)
        else:
            suspect, marks[at] = None, Mark("level", level=against)
            level.append(at)
    return marks
