"""Simulated times of runs with known differences."""

from __future__ import annotations

import math
import random


def run(
    seed, count=2000, level_ms=1.0, *, variation=0.01, correlation=0.0, drift=0.0, outliers=0.0
) -> list[float]:
    """Return times that fluctuate around a level, each depending on the one before, with a straight drift."""
    dice = random.Random(f"run {seed}")
    state = dice.gauss(0, 1)
    times = []
    for place in range(count):
        time = level_ms * math.exp(variation * state + drift * (place / count - 0.5))
        times.append(time * dice.uniform(1.1, 3) if dice.random() < outliers else time)
        state = correlation * state + math.sqrt(1 - correlation**2) * dice.gauss(0, 1)
    return times
