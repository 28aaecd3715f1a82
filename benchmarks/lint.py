"""Measure what the rules cost: CPU time of reading, analyzing and linting, and of each rule.

Usage: python benchmarks/lint.py [LAYERS ...]

The plans are LLM-like ones of the samples' generator; 2,000 and 20,000 layers unless given.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from trexreport.analyzer import Analysis, analyze
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.lint import lint
from trexreport.analyzer.rules.registry import Registry, built_in_rules
from trexreport.garbage import collection_paused
from trexreport.reader import read_engine

MAKE_SAMPLES = Path(__file__).parents[1] / "samples" / "make_samples.py"
RUNS = 5


def cpu_seconds(action: Callable[[], object]) -> float:
    """Return the median CPU time of several runs."""
    times = []
    for _ in range(RUNS):
        began = time.process_time()
        action()
        times.append(time.process_time() - began)
    return statistics.median(times)


def slowest_rules(analysis: Analysis, most: int = 8) -> list[tuple[float, str]]:
    """Return CPU time and code of the slowest rules."""
    context = Context(analysis)
    times = []
    for rule in built_in_rules():
        if all(context.has(need) for need in rule.needs):
            thresholds = {each.name: each.default for each in rule.thresholds}
            times.append((cpu_seconds(lambda: list(rule.check(context, **thresholds))), rule.code))  # noqa: B023
    return sorted(times, reverse=True)[:most]


def measure(sizes: list[int]) -> None:
    """Print a line for each size, and the slowest rules of the last."""
    print(
        f"{'layers':>8} {'read':>8} {'analyze':>8} {'lint':>8} {'both':>8}  (CPU seconds, medians of {RUNS})"
    )
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, str(MAKE_SAMPLES), "--llm", str(size), "-o", folder]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            capture = next(Path(folder).iterdir())
            read = cpu_seconds(lambda: read_engine(capture))  # noqa: B023
            engine = read_engine(capture)
        nothing = Registry(())
        analyzed = cpu_seconds(lambda: analyze(engine, registry=nothing, with_blocks=False))  # noqa: B023
        analysis = analyze(engine, registry=nothing, with_blocks=False)
        rules = Registry(built_in_rules())
        linted = cpu_seconds(lambda: lint(analysis, rules))  # noqa: B023
        seconds = (read, analyzed, linted, analyzed + linted)
        print(f"{len(analysis.layers):>8}", *(f"{each:>8.2f}" for each in seconds))
    print(
        "slowest rules: "
        + ", ".join(f"{code} {1e3 * seconds:.0f} ms" for seconds, code in slowest_rules(analysis))
    )


def main() -> None:
    """Print a line for each size, and the slowest rules of the last."""
    with collection_paused():  # as in the command
        measure([int(argument) for argument in sys.argv[1:]] or [2000, 20000])


if __name__ == "__main__":
    main()
