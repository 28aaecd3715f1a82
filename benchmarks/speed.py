"""Fail if a command became slower: by its ratio to a reference workload, and by its growth with the plan.

Usage: python benchmarks/speed.py [--rounds N]

Seconds say little, as machines differ. The reference is plain Python that reads the same plan several times;
what an older processor does to one, it does to the other. Each round runs everything once, in turns. The
least cost of the rounds counts, of the command as of the reference: nothing makes a program faster than it
is, but another program on the machine makes a single run half as slow again.
Limits are half as much again as what was measured when they were set: they catch a step, not a drift.
"""

from __future__ import annotations

import argparse
import compileall
import sys
import tempfile
from pathlib import Path

from measuring import cost_of, trexreport, write_decoder

import trexreport as trexreport_package

SMALL, LARGE = 2_000, 20_000
#: Growth is far below its limit: it needs no more.
ROUNDS_OF_LARGE = 2
#: CPU time of each command on the small plan, as a multiple of the reference: the upper limit.
MOST = {"report": 2.6, "lint": 0.7, "compare": 2.0, "draw": 1.1, "pdf": 7.5}
#: CPU time on the large plan, in times of that on the small one.
MOST_GROWTH = 12.0

REFERENCE = """
import collections, json, re, sys
text = open(sys.argv[1]).read()
for _ in range(20):
    layers = json.loads(text)["Layers"]
    words = collections.Counter(word for each in layers for word in re.findall("[a-z]+", each["Name"]))
    ordered = sorted(layers, key=lambda each: (each["LayerType"], each["Name"]))
    json.dumps(ordered, indent=1)
"""


def commands(capture: Path) -> dict[str, list[str]]:
    """Return what is measured of a capture."""
    output = capture.with_suffix(".out")
    output.mkdir(exist_ok=True)
    return {
        "report": trexreport("report", capture, "--quiet", "--force", "-o", output / "report.html"),
        "lint": trexreport("lint", capture),
        "compare": trexreport("compare", capture, capture, "--force", "-o", output / "compare.html"),
        "draw": trexreport("draw", capture, "--force", "-o", output / "graph.svg"),
        "pdf": trexreport("report", capture, "--quiet", "--force", "-o", output / "report.pdf"),
    }


def measure(folder: Path, rounds: int) -> tuple[dict[str, float], dict[str, float]]:
    """Return the ratio of each command to the reference, and its growth with the plan."""
    small, large = (write_decoder(folder / str(size), size) for size in (SMALL, LARGE))
    reference = [sys.executable, "-c", REFERENCE, str(next(small.glob("*.graph.json")))]
    of_small = {"reference": reference, **commands(small)}
    cost_s = _least_costs_s(of_small, rounds)
    cost_large_s = _least_costs_s(commands(large), min(rounds, ROUNDS_OF_LARGE))
    return {name: cost_s[name] / cost_s["reference"] for name in cost_large_s}, {
        name: each_s / cost_s[name] for name, each_s in cost_large_s.items()
    }


def _least_costs_s(of_commands: dict[str, list[str]], rounds: int) -> dict[str, float]:
    """Return the least CPU time of each command, in seconds."""
    costs_s = [{name: cost_of(each).cpu_s for name, each in of_commands.items()} for _ in range(rounds)]
    return {name: min(each[name] for each in costs_s) for name in of_commands}


def main() -> None:
    """Print each ratio with its limit; end with 1 if one is above."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    # pip compiles what it installs; in a checkout, Python may be set not to write bytecode.
    compileall.compile_dir(Path(trexreport_package.__file__).parent, quiet=1)
    with tempfile.TemporaryDirectory() as folder:
        ratios, growths = measure(Path(folder), parser.parse_args().rounds)
    print(f"{'':10} {'of the reference':>20} {'growth':>18}")
    broken = []
    for name, ratio in ratios.items():
        print(f"{name:10} {ratio:9.2f} of {MOST[name]:5.1f} {growths[name]:12.1f} of {MOST_GROWTH:g}")
        if ratio > MOST[name] or growths[name] > MOST_GROWTH:
            broken.append(name)
    if broken:
        sys.exit(f"Slower than allowed: {', '.join(broken)}.")


if __name__ == "__main__":
    main()
