"""The error rates of verdicts on simulated pairs are within their documented bounds.

The benchmark verdict_calibration.py does the same with thousands of pairs and more kinds of them.
"""

from __future__ import annotations

import random
from collections import Counter

from significance_samples import run

from trexreport.analyzer.analysis.verdict import VerdictSettings
from trexreport.analyzer.comparison.significance import compare_times

PAIRS = 50
QUICK = VerdictSettings(resamples=300)


def verdicts(ratio):
    """Judge pairs of all kinds: up to the noisiest, most correlated and drifting ones, with outliers."""
    found: Counter[str] = Counter()
    for number in range(PAIRS):
        dice = random.Random(number)
        kind = {
            "count": dice.choice([1000, 1000, 2000]),
            "variation": dice.choice([0.01, 0.03, 0.03]),
            "correlation": dice.choice([0.0, 0.6, 0.9, 0.9]),
            "outliers": dice.choice([0.0, 0.01, 0.05]),
        }
        one, other = (
            run(f"{number} {side}", level_ms=level, drift=dice.uniform(-0.02, 0.02), **kind)
            for side, level in (("one", 1.0), ("other", ratio))
        )
        found[compare_times([one], [other], QUICK).verdict] += 1
    return found


def test_equal_times_rarely_get_a_verdict_of_a_difference():
    found = verdicts(1.0)
    assert found["faster"] + found["slower"] <= 0.02 * PAIRS
    assert found["no-change"] >= 0.5 * PAIRS


def test_five_percent_are_nearly_always_found():
    found = verdicts(1.05)
    assert found["slower"] >= 0.95 * PAIRS
    assert not found["faster"]
    assert not found["no-change"]
