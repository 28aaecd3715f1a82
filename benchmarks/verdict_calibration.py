"""Measure how often the verdict on two engines is right, on simulated times whose truth is known.

Usage: python benchmarks/verdict_calibration.py [--pairs N] [--cores N] [SCENARIO ...]

Each scenario simulates pairs without a difference and as many whose candidate takes 5% longer or shorter.
Counted are the false verdicts of the former, the verdicts found of the latter, and how often the interval
holds the true ratio. "Without a difference" means that both runs fluctuate around one level; where a drift is
simulated, each run drifts on its own.
"""

from __future__ import annotations

import argparse
import math
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial

from trexreport.analyzer.comparison.significance import compare_times

#: Ratio of the candidate's times in pairs with a difference, turned over in every second pair.
EFFECT = 1.05

Dice = random.Random


@dataclass(frozen=True)
class Scenario:
    """What the times of both sides are like.

    Attributes:
        iterations: The least and the most.
        variation_percent: Standard deviation of the fluctuation around the level, the least and the most.
        autocorrelation: Of the fluctuation, from one iteration to the next, the least and the most.
        course: Returns the level over a run, 0 for none, by part of the run.
        outliers: Part of iterations that take 1.1 to 3 times as long.
        step_ms: Of the clock; 0 for none.
        runs: Of each side.
        run_spread_percent: Standard deviation between the levels of runs.
    """

    iterations: tuple[int, int] = (1000, 10000)
    variation_percent: tuple[float, float] = (0.1, 3.0)
    autocorrelation: tuple[float, float] = (0.0, 0.9)
    course: Callable[[Dice, int], Iterator[float]] | None = None
    outliers: float = 0.0
    step_ms: float = 0.0
    runs: int = 1
    run_spread_percent: float = 0.0

    def pair(self, dice: Dice, ratio: float) -> tuple[list[list[float]], list[list[float]]]:
        """Return the runs of both sides."""
        level = math.exp(dice.uniform(math.log(0.3), math.log(30)))
        count = dice.randint(*self.iterations)
        variation = dice.uniform(*self.variation_percent) / 100
        correlation = dice.uniform(*self.autocorrelation)
        one, other = (
            [self._run(dice, level * side, count, variation, correlation) for _ in range(self.runs)]
            for side in (1.0, ratio)
        )
        return one, other

    def _run(self, dice: Dice, level: float, count: int, variation: float, correlation: float) -> list[float]:
        level *= math.exp(dice.gauss(0, self.run_spread_percent / 100))
        course = self.course(dice, count) if self.course else iter([0.0] * count)
        innovation = math.sqrt(1 - correlation**2)
        state = dice.gauss(0, 1)
        times = []
        for move in course:
            value = level * math.exp(variation * state + move)
            if dice.random() < self.outliers:
                value *= dice.uniform(1.1, 3)
            times.append(round(value / self.step_ms) * self.step_ms if self.step_ms else value)
            state = correlation * state + innovation * dice.gauss(0, 1)
        return times


def linear(dice: Dice, count: int, most: float) -> Iterator[float]:
    """Return a straight drift of up to `most` in all, upwards or downwards."""
    slope = dice.uniform(-most, most)
    return (slope * (place / count - 0.5) for place in range(count))


def wave(dice: Dice, count: int, most: float) -> Iterator[float]:
    """Return a slow wave, a half to three of them in a run."""
    height, turns, phase = dice.uniform(0, most), dice.uniform(0.5, 3), dice.uniform(0, math.tau)
    return (height * math.sin(phase + math.tau * turns * place / count) for place in range(count))


def warm_up(dice: Dice, count: int, most: float) -> Iterator[float]:
    """Return a start that differs from the rest by up to `most`, and fades."""
    height, part = dice.uniform(-most, most), dice.uniform(0.02, 0.3)
    return (height * math.exp(-place / count / part) for place in range(count))


def walk(dice: Dice, count: int, most: float) -> Iterator[float]:
    """Return a random walk around its own mean whose ends differ by `most`, as a standard deviation."""
    places = [0.0]
    for _ in range(count - 1):
        places.append(places[-1] + dice.gauss(0, most / math.sqrt(count)))
    mean = math.fsum(places) / count
    return (place - mean for place in places)


def two_clocks(dice: Dice, count: int, most: float) -> Iterator[float]:
    """Return a level that changes between two at random, after a hundred iterations on average."""
    slow = dice.random() < 0.5
    for _ in range(count):
        yield most if slow else 0.0
        if dice.random() < 0.01:
            slow = not slow


SCENARIOS = {
    "as asked for": Scenario(course=partial(linear, most=0.02), outliers=0.01),
    "independent": Scenario(autocorrelation=(0, 0)),
    "noisiest, 1000": Scenario((1000, 1000), (3, 3), (0.9, 0.9)),
    "noisiest, 10000": Scenario((10000, 10000), (3, 3), (0.9, 0.9)),
    "noisiest, drift 3%": Scenario(
        (1000, 10000), (3, 3), (0.9, 0.9), partial(linear, most=0.03), outliers=0.02
    ),
    "drift 6%": Scenario(variation_percent=(0.1, 1), course=partial(linear, most=0.06)),
    "waves 2%": Scenario(course=partial(wave, most=0.02)),
    "warm-up 5%": Scenario(course=partial(warm_up, most=0.05)),
    "random walk 2%": Scenario(course=partial(walk, most=0.02)),
    "two clocks 3%": Scenario(variation_percent=(0.1, 1), course=partial(two_clocks, most=0.03)),
    "outliers 5%": Scenario(outliers=0.05),
    "clock of 1 µs": Scenario(variation_percent=(0.1, 0.5), step_ms=0.001),
    "variation 10%": Scenario((1000, 3000), (10, 10)),
    "30 iterations": Scenario((30, 30), (0.1, 3), (0, 0.5)),
    "100 iterations": Scenario((100, 100), (0.1, 3), (0, 0.9)),
    "3 runs, spread 1%": Scenario((1000, 3000), runs=3, run_spread_percent=1.0),
    "5 runs, spread 1%": Scenario((1000, 3000), runs=5, run_spread_percent=1.0),
}


def judge(name: str, number: int) -> tuple[str, str, bool, bool, float]:
    """Return the verdicts without and with a difference, whether either interval holds, and CPU seconds."""
    dice = random.Random(f"{name}/{number}")
    ratio = EFFECT if number % 2 else 1 / EFFECT
    pairs = [SCENARIOS[name].pair(dice, each) for each in (1.0, ratio)]
    began = time.process_time()
    null, real = (compare_times(*pair) for pair in pairs)
    seconds = (time.process_time() - began) / 2
    found = {"slower": "found", "faster": "wrong way"}
    if ratio < 1:
        found = {"faster": "found", "slower": "wrong way"}
    holds = [
        verdict.median_ratio is not None and verdict.median_ratio.low <= truth <= verdict.median_ratio.high
        for verdict, truth in ((null, 1.0), (real, ratio))
    ]
    return null.verdict, found.get(real.verdict, real.verdict), holds[0], holds[1], seconds


def main() -> None:
    """Print a line for each scenario."""
    parser = argparse.ArgumentParser(description="Measure how often verdicts are right.")
    parser.add_argument("--pairs", type=int, default=1000)
    parser.add_argument("--cores", type=int, default=1)
    parser.add_argument("scenarios", nargs="*", metavar="SCENARIO", help=", ".join(SCENARIOS))
    arguments = parser.parse_args()
    print(f"{'':22}{'without a difference':^27}{'with 5%':^27}{'interval':>9}{'CPU':>9}")
    print(
        f"{'':22}{'false':>9}{'same':>9}{'open':>9}{'found':>9}{'wrong':>9}{'open':>9}{'holds':>9}{'ms':>9}"
    )
    with ProcessPoolExecutor(arguments.cores) as pool:
        for name in arguments.scenarios or SCENARIOS:
            results = list(pool.map(partial(judge, name), range(arguments.pairs), chunksize=10))
            null, real = (Counter(result[part] for result in results) for part in (0, 1))
            holds = sum(result[2] + result[3] for result in results) / 2
            counts = (
                null["faster"] + null["slower"],
                null["same"],
                null["inconclusive"],
                real["found"],
                real["wrong way"] + real["same"],
                real["inconclusive"],
                holds,
            )
            shares = "".join(f"{100 * count / len(results):8.1f}%" for count in counts)
            seconds = sum(result[4] for result in results) / len(results)
            print(f"{name:22}{shares}{1000 * seconds:9.0f}", flush=True)


if __name__ == "__main__":
    main()
