"""Measure how often the verdict on two engines is right, on simulated times whose truth is known.

Usage: python benchmarks/verdict_calibration.py [--pairs N] [--cores N] [--runs 1,3] [--seed N] [SCENARIO ...]

Each scenario simulates pairs of equal engines and of engines that differ: with one run of each by 10%, with
several by 5%. Counted are the false verdicts of the former, the right ones of the latter, and how often the
intervals hold the true ratio. The truth is the ratio of the levels around which the times of all runs lie.
Query counts, latencies and fluctuation are drawn again for each pair, and each run has its own seed.

NumPy's generator draws the times, independently of the code under test. Runs are resampled 100 times instead
of 1,000, which makes the bootstrap's interval less precise, not wider.
"""

from __future__ import annotations

import argparse
import math
import zlib
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trexreport.analyzer.analysis.verdict import VerdictSettings
from trexreport.analyzer.comparison.significance import compare_times

Times = NDArray[np.float64]
#: A course of the level over a run, in logarithms, given the number of its queries.
Course = Callable[[Generator, int], Times]

SETTINGS = VerdictSettings(resamples=100)
#: As many are drawn at least, so that fewer runs are the first of these.
MOST_RUNS = 3


@dataclass(frozen=True)
class Scenario:
    """What the times of both sides are like.

    Attributes:
        queries: The least and the most of a run, drawn evenly from their logarithms.
        variation_percent: Standard deviation of the fluctuation, the least and the most.
        autocorrelation: Of the fluctuation, from one query to the next.
        course: Of each run's level.
        tails: Degrees of freedom of Student's distribution for the fluctuation; 0 for a normal one.
        outliers: Part of the queries that take 1.1 to 3 times as long.
        timer_ms: Resolution of the timer; 0 for an exact one.
        spread_percent: Standard deviation between the levels of runs.
        spread_kind: Their distribution: "normal", "uniform", "t" (Student's with 4 degrees of freedom),
            "exponential" (some runs are much slower), or "levels", two of them.
        runs: Of the baseline and of the candidate; by the command line if None.
        unequal: The candidate's fluctuation, as a multiple of the baseline's.
        alone: Only the candidate has the course.
        shorter: The candidate's runs have so much fewer queries.
        sitting_percent: Standard deviation of what all runs of a side, measured in one sitting, share.
    """

    queries: tuple[int, int] = (100, 1500)
    variation_percent: tuple[float, float] = (0.2, 2.0)
    autocorrelation: float = 0.0
    course: Course | None = None
    tails: int = 0
    outliers: float = 0.0
    timer_ms: float = 0.0
    spread_percent: float = 0.0
    spread_kind: str = "normal"
    runs: tuple[int, int] | None = None
    unequal: float = 1.0
    alone: bool = False
    shorter: int = 1
    sitting_percent: float = 0.0

    def pair(self, dice: Generator, runs: int) -> tuple[list[Times], list[Times]]:
        """Return the runs of both sides, which have one level."""
        level = math.exp(dice.uniform(math.log(0.1), math.log(100)))
        variation = dice.uniform(*self.variation_percent) / 100
        baseline, candidate = self.runs or (max(runs, MOST_RUNS), max(runs, MOST_RUNS))
        other, shorter = level, self.shorter
        if self.sitting_percent:
            level, other = level * np.exp(self.sitting_percent / 100 * dice.standard_normal(2))
        one = [self._run(dice, level, variation, course=not self.alone) for _ in range(baseline)]
        two = [self._run(dice, other, variation * self.unequal, shorter=shorter) for _ in range(candidate)]
        return (one, two) if self.runs else (one[:runs], two[:runs])

    def read(self, times: Times) -> list[float]:
        """Return times as the timer shows them."""
        if self.timer_ms:
            times = np.maximum(np.round(times / self.timer_ms), 1) * self.timer_ms
        found: list[float] = times.tolist()
        return found

    def _run(
        self, dice: Generator, level: float, variation: float, *, course: bool = True, shorter: int = 1
    ) -> Times:
        low, high = self.queries
        count = round(math.exp(dice.uniform(math.log(low), math.log(high))) / shorter)
        logs = variation * self._fluctuation(dice, count) + self.spread_percent / 100 * self._spread(dice)
        if self.course and course:
            logs += self.course(dice, count)
        times = level * np.exp(logs)
        times *= np.where(dice.random(count) < self.outliers, dice.uniform(1.1, 3, count), 1)
        return times

    def _fluctuation(self, dice: Generator, count: int) -> Times:
        noise = dice.standard_t(self.tails, count) if self.tails else dice.standard_normal(count)
        if not self.autocorrelation:
            return noise
        state, found = dice.standard_normal(), np.empty(count)
        innovation = math.sqrt(1 - self.autocorrelation**2)
        for place, value in enumerate(noise.tolist()):
            found[place] = state = self.autocorrelation * state + innovation * value
        return found

    def _spread(self, dice: Generator) -> float:
        if self.spread_kind == "levels":
            return float(dice.choice((-1.0, 1.0)))
        if self.spread_kind == "uniform":
            return dice.uniform(-1, 1) * math.sqrt(3)
        if self.spread_kind == "exponential":
            return dice.standard_exponential() - 1
        return dice.standard_t(4) / math.sqrt(2) if self.spread_kind == "t" else dice.standard_normal()


def _places(count: int) -> Times:
    return np.arange(count) / count


def step(dice: Generator, count: int, height: float) -> Times:
    """Return a change of the clock at any time of the run, up or down."""
    sign = 1.0 if dice.random() < 0.5 else -1.0
    return np.where(_places(count) < dice.random(), 0.0, sign * height)


def slow_down(dice: Generator, count: int, height: float) -> Times:
    """Return throttling: from any time on, the level rises within a tenth of the run by up to `height`."""
    begin = dice.random()
    return dice.uniform(0.3, 1) * height * np.clip((_places(count) - begin) / 0.1, 0, 1)


def states(dice: Generator, count: int, height: float, dwell: int) -> Times:
    """Return a level that changes between two, which last `dwell` queries on average."""
    changes = np.cumsum(dice.random(count) < 1 / dwell) + int(dice.random() < 0.5)
    found: Times = height * (changes % 2)
    return found


def warm_up(dice: Generator, count: int, height: float, part: float) -> Times:
    """Return a slower start that fades with a time constant of up to `part` of the run."""
    found: Times = dice.uniform(0, height) * np.exp(-_places(count) / dice.uniform(part / 5, part))
    return found


def first_queries(_: Generator, count: int, height: float, constant: int) -> Times:
    """Return a slower start that fades with a time constant in queries, however long the run is."""
    found: Times = height * np.exp(-np.arange(count) / constant)
    return found


def walk(dice: Generator, count: int, most: float) -> Times:
    """Return a random walk around its mean whose ends differ by `most`, as a standard deviation."""
    found = np.cumsum(dice.standard_normal(count)) * most / math.sqrt(count)
    centered: Times = found - found.mean()
    return centered


def drift(dice: Generator, count: int, most: float) -> Times:
    """Return a straight drift of up to `most` in all, upwards or downwards."""
    found: Times = dice.uniform(-most, most) * (_places(count) - 0.5)
    return found


def sawtooth(dice: Generator, count: int, height: float) -> Times:
    """Return power capping: the level rises by `height` and falls at once, every 20 to 400 queries."""
    period = math.exp(dice.uniform(math.log(20), math.log(400)))
    found: Times = height * ((np.arange(count) / period + dice.random()) % 1)
    return found


def two_modes(dice: Generator, count: int, height: float) -> Times:
    """Return two levels of which each query has either."""
    found: Times = height * (dice.random(count) < 0.5)
    return found


def bursts(dice: Generator, count: int, height: float) -> Times:
    """Return other work on the GPU: a fifth of the queries, 10 to 40 in a row, are slower by `height`."""
    found = np.zeros(count)
    at = int(dice.integers(0, 100))
    while at < count:
        length = int(dice.integers(10, 41))
        found[at : at + length] = height
        at += length + int(4 * length * dice.uniform(0.5, 1.5))
    return found


def alternating(dice: Generator, count: int, height: float) -> Times:
    """Return two loads in turns, each for the same 10 to 100 queries."""
    length = math.exp(dice.uniform(math.log(10), math.log(100)))
    found: Times = height * ((np.arange(count) / length + 2 * dice.random()) % 2 < 1)
    return found


def offset(dice: Generator, count: int, spread: float) -> Times:
    """Return a level that differs from run to run."""
    return np.full(count, spread * dice.standard_normal())


#: Those whose verdicts must be false in 2% at most, and right in 95%.
ORDINARY = {
    "independent": Scenario(),
    "100 queries": Scenario(queries=(100, 100)),
    "10,000 queries": Scenario(queries=(10_000, 10_000)),
    "autocorrelation 0.5": Scenario(autocorrelation=0.5),
    "autocorrelation 0.95": Scenario(autocorrelation=0.95),
    "heavy tails": Scenario(tails=3),
    "outliers 5%": Scenario(outliers=0.05),
    "short warm-up 10%": Scenario(course=partial(warm_up, height=0.1, part=0.05)),
    "timer of 1 µs": Scenario(timer_ms=0.001),
    "unequal noise ×4": Scenario(variation_percent=(0.2, 0.7), unequal=4),
    "spread 0.3%": Scenario(spread_percent=0.3),
    "spread 0.5%": Scenario(spread_percent=0.5),
    "spread 1%": Scenario(spread_percent=1),
    "20 to 100 queries, spread 1%": Scenario(queries=(20, 100), spread_percent=1),
    "20 times shorter, spread 0.5%": Scenario(queries=(600, 2000), spread_percent=0.5, shorter=20),
}
DIFFICULT = {
    "spread 2%": Scenario(spread_percent=2),
    "spread 2%, uniform": Scenario(spread_percent=2, spread_kind="uniform"),
    "spread 2%, Student's t": Scenario(spread_percent=2, spread_kind="t"),
    "spread 1%, exponential": Scenario(spread_percent=1, spread_kind="exponential"),
    "spread 1%, two levels": Scenario(spread_percent=1, spread_kind="levels"),
    "spread 1%, 1 and 3 runs": Scenario(spread_percent=1, runs=(1, 3)),
    "spread 2%, 1 and 3 runs": Scenario(spread_percent=2, runs=(1, 3)),
    "autocorrelation 0.99": Scenario(autocorrelation=0.99),
    "random walk 2%": Scenario(course=partial(walk, most=0.02)),
    "random walk 6%": Scenario(course=partial(walk, most=0.06)),
    "drift 6%": Scenario(course=partial(drift, most=0.06)),
    "long warm-up 10%": Scenario(course=partial(warm_up, height=0.1, part=0.5)),
    "timer of 50 µs": Scenario(timer_ms=0.05),
    "timer of 50 µs, spread 1%": Scenario(timer_ms=0.05, spread_percent=1),
    "timer of 1 ms": Scenario(timer_ms=1),
    "clock step 5%": Scenario(course=partial(step, height=0.05)),
    "clock step 10%": Scenario(course=partial(step, height=0.1)),
    "throttling 15%": Scenario(course=partial(slow_down, height=0.15)),
    "throttling 15%, one side": Scenario(course=partial(slow_down, height=0.15), alone=True),
    "states 4%, dwell 50": Scenario(course=partial(states, height=0.04, dwell=50)),
    "states 4%, dwell 500": Scenario(course=partial(states, height=0.04, dwell=500)),
    "states 4%, dwell 5000": Scenario(course=partial(states, height=0.04, dwell=5000)),
    "20 to 40 queries, step 5%": Scenario(queries=(20, 40), course=partial(step, height=0.05)),
    "25 to 60 queries, step 10%": Scenario(queries=(25, 60), course=partial(step, height=0.1)),
    "25 to 60 queries, throttling 15%": Scenario(queries=(25, 60), course=partial(slow_down, height=0.15)),
    "25 to 60 queries, throttling 15%, one side": Scenario(
        queries=(25, 60), course=partial(slow_down, height=0.15), alone=True
    ),
    "3 to 9 queries, states 15%": Scenario(queries=(3, 9), course=partial(states, height=0.15, dwell=8)),
    "10 to 19 queries, step 10%": Scenario(queries=(10, 19), course=partial(step, height=0.1)),
    "20 to 25 queries, step 10%": Scenario(queries=(20, 25), course=partial(step, height=0.1)),
    "30 times shorter, warm-up 10%": Scenario(
        queries=(600, 2000), course=partial(first_queries, height=0.1, constant=100), shorter=30
    ),
    "bursts 20%": Scenario(queries=(200, 1500), course=partial(bursts, height=0.2)),
    "bursts 20%, one side": Scenario(queries=(200, 1500), course=partial(bursts, height=0.2), alone=True),
    "alternating 10%": Scenario(queries=(200, 1500), course=partial(alternating, height=0.1)),
    "alternating 10%, one side": Scenario(
        queries=(200, 1500), course=partial(alternating, height=0.1), alone=True
    ),
    "20 to 100 queries, modes 5%": Scenario(queries=(20, 100), course=partial(two_modes, height=0.05)),
    "modes 5%": Scenario(queries=(100, 400), course=partial(two_modes, height=0.05)),
    "sawtooth 4%": Scenario(queries=(100, 400), course=partial(sawtooth, height=0.04)),
    "long warm-up 10%, one side": Scenario(course=partial(warm_up, height=0.1, part=0.5), alone=True),
    "endless warm-up 10%, one side": Scenario(course=partial(warm_up, height=0.1, part=1.5), alone=True),
    "drift 6%, one side": Scenario(course=partial(drift, most=0.06), alone=True),
    "states 10%, dwell 50": Scenario(course=partial(states, height=0.1, dwell=50)),
    "states 4%, dwell 50, one side": Scenario(course=partial(states, height=0.04, dwell=50), alone=True),
    "sawtooth 4%, one side": Scenario(queries=(100, 400), course=partial(sawtooth, height=0.04), alone=True),
    "sawtooth 10%, one side": Scenario(queries=(100, 400), course=partial(sawtooth, height=0.1), alone=True),
    "sittings 0.5%": Scenario(queries=(20, 100), sitting_percent=0.5),
    "sittings 1%": Scenario(queries=(20, 100), sitting_percent=1),
    "sittings 1%, spread 0.5%": Scenario(queries=(20, 100), sitting_percent=1, spread_percent=0.5),
    "spread 2%, one side": Scenario(
        queries=(20, 100), course=partial(offset, spread=0.02), alone=True, variation_percent=(0.2, 1)
    ),
}
#: What no time shows: many runs end before the clock changes. Verdicts may be false more often.
HIDDEN = {
    "states 10%, dwell 500": Scenario(queries=(100, 500), course=partial(states, height=0.1, dwell=500)),
}
SCENARIOS = {**ORDINARY, **DIFFICULT, **HIDDEN}


def judge(name: str, runs: int, seed: int, number: int) -> tuple[str, str, bool, bool]:
    """Return the outcome of equal engines, that of different ones, and whether each interval holds.

    The second is "right" or "wrong" where there is a verdict.
    """
    effect = 1.1 if runs == 1 else 1.05
    ratio = effect if number % 2 else 1 / effect
    dice = np.random.default_rng([zlib.crc32(name.encode()), number, seed])
    baseline, candidate = SCENARIOS[name].pair(dice, runs)
    read, found = SCENARIOS[name].read, []
    for truth in (1.0, ratio):
        times = [[read(run) for run in baseline], [read(run * truth) for run in candidate]]
        verdict = compare_times(times[0], times[1], SETTINGS)
        interval = verdict.median_ratio
        found.append((verdict.verdict, interval is None or interval.low <= truth <= interval.high))
    (null, holds), (real, also_holds) = found
    right, wrong = ("slower", "faster") if ratio > 1 else ("faster", "slower")
    return null, {right: "right", wrong: "wrong", "no-change": "wrong"}.get(real, real), holds, also_holds


def main() -> None:
    """Print a line for each scenario and number of runs."""
    parser = argparse.ArgumentParser(description="Measure how often verdicts are right.")
    parser.add_argument("--pairs", type=int, default=1000)
    parser.add_argument("--cores", type=int, default=1)
    parser.add_argument("--runs", default="1,3", help="Numbers of runs of each side, such as 1,3.")
    parser.add_argument("--seed", type=int, default=0, help="Another one draws other times.")
    parser.add_argument(
        "scenarios", nargs="*", metavar="SCENARIO", help=", ".join(SCENARIOS).replace("%", "%%")
    )
    arguments = parser.parse_args()
    columns = ("false", "no change", "inconclusive", "found", "wrong", "covered")
    print(f"| {'':24} | runs | {' | '.join(columns)} |")
    print(f"|{'---|' * (len(columns) + 2)}")
    with ProcessPoolExecutor(arguments.cores) as pool:
        for name in arguments.scenarios or SCENARIOS:
            for runs in map(int, arguments.runs.split(",")):
                own = SCENARIOS[name].runs
                if own and runs != min(map(int, arguments.runs.split(","))):
                    continue
                results = list(
                    pool.map(partial(judge, name, runs, arguments.seed), range(arguments.pairs), chunksize=10)
                )
                null, real = (Counter(result[part] for result in results) for part in (0, 1))
                counts = (
                    null["faster"] + null["slower"],
                    null["no-change"],
                    null["inconclusive"],
                    real["right"],
                    real["wrong"],
                    sum(result[2] + result[3] for result in results) / 2,
                )
                shares = " | ".join(f"{100 * count / len(results):.1f}" for count in counts)
                print(f"| {name:24} | {f'{own[0]}, {own[1]}' if own else runs} | {shares} |", flush=True)


if __name__ == "__main__":
    main()
