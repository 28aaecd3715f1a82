"""What an application states of the times around and in its inference: the keys of these facts of a log."""

from __future__ import annotations

from collections.abc import Mapping

#: Before the engine, in it, and behind it: medians of what is stated of each image or call.
STAGES = ("Preprocessing", "Inference", "Postprocessing")
#: Where single inferences are stated: the first one, their median and their number; else a stated mean.
FIRST, MEDIAN, COUNT, MEAN = "First inference", "Median inference", "Inferences", "Mean inference"
#: The rate of a whole application, which may be that of its source.
RATE = "Frames per second"
KEYS = (*STAGES, FIRST, MEDIAN, COUNT, MEAN, RATE)
#: The settings that have them.
TITLE = "Application"


def stated_ms(facts: Mapping[str, str], key: str) -> float | None:
    """Return a time of these facts in ms; None where it is not stated."""
    amount = facts.get(key, "").removesuffix(" ms")
    return float(amount) if amount.isascii() and amount.replace(".", "", 1).isdecimal() else None
