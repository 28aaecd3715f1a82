"""Fail if a command became slower: by its ratio to pandas, and by its growth with the plan.

Usage: python benchmarks/speed.py [--rounds N]

Seconds say little, as machines differ. The references are what one starts with otherwise: a Python process
that imports pandas, and one that reads, joins and groups the same 20,000 layers with pandas. What an older
processor does to one, it does to the other. A round runs each command once, and its reference before and
after. The least cost counts, of the command as of the reference: nothing makes a program faster than it is,
but another program on the machine makes a single run half as slow again. So what is within its limit is done,
and what is above is measured again in up to N rounds. The ratio of the medians is shown, too.
Limits are a third to a half more than what was measured when they were set: they catch a step, not a drift.
"""

from __future__ import annotations

import argparse
import compileall
import itertools
import math
import statistics
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from comparison import edited
from measuring import Cost, cost_of, trexreport, write_decoder

import trexreport as trexreport_package

TINY, SMALL, MEDIUM, LARGE = 70, 2_000, 1_309, 20_000
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


Costs = dict[str, list[Cost]]


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
    yield Work(f"report, {LARGE:,} layers", _report(large, output / "report.html"), READ, 6.7, 280)
    for name, most, most_mb in (("JSON", 12.0, 400), ("HTML", 15.5, 420)):
        command = [*compare, str(output / f"compare.{name.lower()}")]
        yield Work(f"comparison, {LARGE:,} layers, {name}", command, READ, most, most_mb)


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


def growth_of(small: Path, large: Path) -> tuple[list[Work], dict[str, list[str]]]:
    """Return what grows with the plan, and as its references the same of the small one."""
    on_small = {f"{name}, {SMALL:,} layers": command for name, command in growing(small).items()}
    works = [
        Work(f"{name}, growth to {LARGE:,} layers", command, reference, MOST_GROWTH)
        for (name, command), reference in zip(growing(large).items(), on_small, strict=True)
    ]
    return works, on_small


def measure(works: Sequence[Work], against: dict[str, list[str]], rounds: int) -> Costs:
    """Return what works and their references took: again, and once more, of those above their limits."""
    costs: Costs = defaultdict(list)
    left = list(works)
    for _ in range(rounds):
        for reference, group in itertools.groupby(left, key=lambda work: work.reference):
            costs[reference].append(cost_of(against[reference]))
            for work in group:
                costs[work.name].append(cost_of(work.command))
            costs[reference].append(cost_of(against[reference]))
        left = [work for work in left if not is_within(work, costs)]
        if not left:
            break
    return costs


def is_within(work: Work, costs: Costs) -> bool:
    """Return whether what was measured of a work is within its limits."""
    peak_mb = statistics.median(each.peak_mb for each in costs[work.name])
    return ratio(work, costs, min) <= work.most and peak_mb <= (work.most_mb or math.inf)


def ratio(work: Work, costs: Costs, statistic: Callable[[Iterable[float]], float]) -> float:
    """Return a statistic of the CPU time of a work, in times of that of its reference."""
    taken, of_reference = (
        statistic([each.cpu_s for each in costs[name]]) for name in (work.name, work.reference)
    )
    return taken / of_reference


def show(works: Sequence[Work], costs: Costs) -> None:
    """Print the ratio of each work to its reference."""
    print(f"{'':40} {'of the reference':>17} {'of medians':>11} {'peak':>8}  reference")
    for work in works:
        peak_mb = statistics.median(each.peak_mb for each in costs[work.name])
        least, median = (ratio(work, costs, statistic) for statistic in (min, statistics.median))
        shown = f"{least:9.2f} of {work.most:4.1f} {median:11.2f} {peak_mb:5.0f} MB"
        print(f"{work.name:40} {shown}  {work.reference}", flush=True)


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
        works = [*works_of_small(folder), *works_of_large(folder, large)]
        growth, on_small = growth_of(write_decoder(folder / str(SMALL), SMALL), large)
        works += growth
        costs = measure(works, references(large) | on_small, rounds)
    show(works, costs)
    broken = [work.name for work in works if not is_within(work, costs)]
    if broken:
        sys.exit(f"Slower than allowed: {', '.join(broken)}.")


if __name__ == "__main__":
    main()
