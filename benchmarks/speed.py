"""Fail if a command became slower: by its ratio to pandas, and by its growth with the plan.

Usage: python benchmarks/speed.py [--rounds N]

Seconds say little, as machines differ. The references are what one starts with otherwise: a Python process
that imports pandas, and one that reads, joins and groups the same 20,000 layers with pandas. What an older
processor does to one, it does to the other. Each round runs everything once, in turns. The least cost of the
rounds counts, of the command as of the reference: nothing makes a program faster than it is, but another
program on the machine makes a single run half as slow again. The ratio of the medians is shown, too.
Limits are half as much again as what was measured when they were set: they catch a step, not a drift.
"""

from __future__ import annotations

import argparse
import compileall
import statistics
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from comparison import edited
from measuring import Cost, cost_of, trexreport, write_decoder

import trexreport as trexreport_package

TINY, SMALL, MEDIUM, LARGE = 70, 2_000, 1_309, 20_000
#: Large ones and growth are far below their limits, or cost what they cost: they need no more.
ROUNDS_OF_LARGE = 2
#: CPU time on the large plan, in times of that on the small one.
MOST_GROWTH = 12.0

IMPORT, READ = "import pandas", "pandas, 20,000 layers"
PANDAS = """
import json, sys
import pandas as pd
layers, times = (json.load(open(path)) for path in sys.argv[1:3])
times = pd.json_normalize([each for each in times if "name" in each])
frame = pd.json_normalize(layers["Layers"]).merge(times, left_on="Name", right_on="name", how="left")
print(frame.groupby("LayerType")["averageMs"].sum())
"""


class Work(NamedTuple):
    """What is measured.

    Attributes:
        name: What is made, of how many layers.
        command: How.
        reference: What its CPU time is divided by.
        most: The upper limit of that ratio.
        most_mb: The upper limit of its memory, if it has one.
    """

    name: str
    command: list[str]
    reference: str
    most: float
    most_mb: float | None = None


def references(large: Path) -> dict[str, list[str]]:
    """Return the commands that others are compared with."""
    python = [sys.executable, "-c"]
    inputs = [str(next(large.glob(pattern))) for pattern in ("*.graph.json", "*.profile.json")]
    return {IMPORT: [*python, "import pandas"], READ: [*python, PANDAS, *inputs]}


def works_of_small(folder: Path) -> Iterator[Work]:
    """Yield what is compared with the import of pandas."""
    tiny = write_decoder(folder / str(TINY), TINY)
    medium = write_decoder(folder / str(MEDIUM), MEDIUM)
    output = folder / "small"
    output.mkdir()
    report, static = _report(tiny, output / "report.html"), ("--charts", "static")
    yield Work(f"report, {TINY} layers, static charts", [*report, *static], IMPORT, 1.2)
    yield Work(f"report, {TINY} layers, interactive charts", report, IMPORT, 1.9)
    yield Work(f"lint, {TINY} layers", trexreport("lint", tiny), IMPORT, 0.7)
    yield Work(f"PDF, {MEDIUM:,} layers", _report(medium, output / "report.pdf"), IMPORT, 12.0)


def works_of_large(folder: Path, large: Path) -> Iterator[Work]:
    """Yield what is compared with what pandas takes to read as many layers."""
    pair = edited(LARGE, folder / "pair")
    output = folder / "large"
    output.mkdir()
    compare = trexreport("compare", *pair, "--force", "-o")
    yield Work(f"report, {LARGE:,} layers", _report(large, output / "report.html"), READ, 8.0, 300)
    yield Work(f"comparison, {LARGE:,} layers, JSON", [*compare, str(output / "compare.json")], READ, 13.0)
    yield Work(f"comparison, {LARGE:,} layers, HTML", [*compare, str(output / "compare.html")], READ, 21.0)


def growing(capture: Path) -> dict[str, list[str]]:
    """Return the commands whose growth with the plan is measured."""
    output = capture.with_suffix(".out")
    output.mkdir()
    return {
        "report": _report(capture, output / "report.html"),
        "lint": trexreport("lint", capture),
        "compare": trexreport("compare", capture, capture, "--force", "-o", output / "compare.html"),
        "draw": trexreport("draw", capture, "--force", "-o", output / "graph.svg"),
        "pdf": _report(capture, output / "report.pdf"),
    }


def measure(commands: dict[str, list[str]], rounds: int) -> dict[str, list[Cost]]:
    """Return what each command took in each round."""
    costs: dict[str, list[Cost]] = defaultdict(list)
    for _ in range(rounds):
        for name, command in commands.items():
            costs[name].append(cost_of(command))
    return costs


def check_ratios(works: Sequence[Work], costs: dict[str, list[Cost]]) -> list[str]:
    """Print the ratio of each work to its reference; return those above their limits."""
    print(f"{'':40} {'of the reference':>17} {'of medians':>11} {'peak':>8}  reference")
    broken = []
    for work in works:
        ratio, ratio_of_medians = (
            statistic(each.cpu_s for each in costs[work.name])
            / statistic(each.cpu_s for each in costs[work.reference])
            for statistic in (min, statistics.median)
        )
        peak_mb = statistics.median(each.peak_mb for each in costs[work.name])
        shown = f"{ratio:9.2f} of {work.most:4.1f} {ratio_of_medians:11.2f} {peak_mb:5.0f} MB"
        print(f"{work.name:40} {shown}  {work.reference}", flush=True)
        if ratio > work.most or peak_mb > (work.most_mb or float("inf")):
            broken.append(work.name)
    return broken


def check_growth(folder: Path, rounds: int, large: Path) -> list[str]:
    """Print how each command grows with the plan; return those above the limit."""
    small = write_decoder(folder / str(SMALL), SMALL)
    of_small, of_large = (measure(growing(capture), rounds) for capture in (small, large))
    print(f"\nfrom {SMALL:,} to {LARGE:,} layers")
    broken = []
    for name, costs in of_small.items():
        growth = min(each.cpu_s for each in of_large[name]) / min(each.cpu_s for each in costs)
        print(f"{name:40} {growth:9.1f} of {MOST_GROWTH:g}", flush=True)
        if growth > MOST_GROWTH:
            broken.append(f"growth of {name}")
    return broken


def _report(capture: Path, output: Path) -> list[str]:
    return trexreport("report", capture, "--quiet", "--force", "-o", output)


def main() -> None:
    """Print each ratio with its limit; end with 1 if one is above."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    # pip compiles what it installs; in a checkout, Python may be set not to write bytecode.
    compileall.compile_dir(Path(trexreport_package.__file__).parent, quiet=1)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        large = write_decoder(folder / str(LARGE), LARGE)
        small_works, large_works = list(works_of_small(folder)), list(works_of_large(folder, large))
        against = references(large)
        costs = measure({IMPORT: against[IMPORT]} | {each.name: each.command for each in small_works}, rounds)
        costs |= measure(
            {READ: against[READ]} | {each.name: each.command for each in large_works},
            min(rounds, ROUNDS_OF_LARGE),
        )
        broken = check_ratios([*small_works, *large_works], costs)
        broken += check_growth(folder, min(rounds, ROUNDS_OF_LARGE), large)
    if broken:
        sys.exit(f"Slower than allowed: {', '.join(broken)}.")


if __name__ == "__main__":
    main()
