"""Measure all that users wait for, beside what they would do otherwise, and write it as a page.

Usage: python benchmarks/performance.py [-o docs/performance.md] [LAYERS ...]

Each command is a process of its own. CPU seconds count, of it and all its children, as medians over rounds in
which sizes and commands take turns, so that a busy machine slows all alike and the ratios can be believed.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import statistics
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from measuring import REAL_ENGINE, VISITS, Cost, TooLongError, cost_of, trexreport, visit, write_decoder
from speed import IMPORT, PANDAS, READ, references, works_of_large, works_of_small

HERE = Path(__file__).parent
SIZES = (70, 2_000, 20_000)
ROUNDS = 3
#: No user waits longer for a drawing.
LONGEST_S = 120.0
COMMANDS = ("report", "lint", "compare", "draw", "report -o x.pdf")
#: What the time at 20,000 layers may be of that at 2,000.
MOST_GROWTH = 12

PLAIN_TABLE = f"{PANDAS}frame.to_html(sys.argv[3])\n"
#: Another way to what a command gives, and the command that it is compared with.
OTHERS = {"Graphviz dot": "draw", "pandas json_normalize": "lint", "pandas to_html": "report"}
Costs = dict[str, list[Cost | None]]


class Capture(NamedTuple):
    """What is measured, and where its outputs go."""

    title: str
    folder: Path
    outputs: Path

    @property
    def inputs(self) -> list[Path]:
        """Return the layers and their times."""
        patterns = ("*.graph.json", "layers*.json"), ("*.profile.json", "profile*.json")
        return [next(path for one in each for path in sorted(self.folder.glob(one))) for each in patterns]

    def commands(self) -> Iterator[tuple[str, list[str]]]:
        """Yield what is measured, under its name."""
        quiet = ("--quiet", "--force", "-o")
        outputs, python = self.outputs, [sys.executable, "-c"]
        layers_and_times = [str(path) for path in self.inputs]
        yield "report", trexreport("report", self.folder, *quiet, outputs / "report.html")
        yield "lint", trexreport("lint", self.folder)
        yield (
            "compare",
            trexreport("compare", self.folder, self.folder, "--force", "-o", outputs / "compare.html"),
        )
        yield "draw", trexreport("draw", self.folder, "--force", "-o", outputs / "graph.svg")
        yield "report -o x.pdf", trexreport("report", self.folder, *quiet, outputs / "report.pdf")
        yield "pandas json_normalize", [*python, PANDAS, *layers_and_times]
        yield "pandas to_html", [*python, PLAIN_TABLE, *layers_and_times, str(outputs / "table.html")]
        if shutil.which("dot"):
            cost_of(trexreport("draw", self.folder, "--force", "-o", outputs / "graph.dot"))
            yield "Graphviz dot", ["dot", "-Tsvg", f"-o{outputs / 'dot.svg'}", str(outputs / "graph.dot")]


def measure(captures: Sequence[Capture]) -> dict[str, Costs]:
    """Return the costs of each capture by command; None for what took too long."""
    costs: dict[str, Costs] = {capture.title: defaultdict(list) for capture in captures}
    for number in range(ROUNDS):
        for capture in captures:
            for name, command in capture.commands():
                measured = costs[capture.title][name]
                if None in measured:
                    continue
                print(f"round {number + 1}: {capture.title}, {name}", file=sys.stderr, flush=True)
                try:
                    measured.append(cost_of(command, LONGEST_S))
                except TooLongError:
                    measured.append(None)
    return costs


def median(costs: Sequence[Cost | None]) -> Cost | None:
    """Return the medians; None if one took too long, or nothing was measured."""
    whole = [cost for cost in costs if cost]
    if not whole or len(whole) < len(costs):
        return None
    return Cost(*(statistics.median(column) for column in zip(*whole, strict=True)))


def ratio(costs: Sequence[Cost | None], others: Sequence[Cost | None]) -> str:
    """Return how many times as much CPU time some take as others in the same rounds: the median."""
    times = [each.cpu_s / other.cpu_s for each, other in zip(costs, others, strict=False) if each and other]
    return f"{statistics.median(times):.2g} ×" if times else "–"


def work_rows(folder: Path, large: Path) -> Iterator[list[str]]:
    """Yield what `make check-speed` holds: the cost of each work, and its ratio to its reference."""
    folder.mkdir()
    works = [*works_of_small(folder), *works_of_large(folder, large)]
    costs: dict[str, list[Cost | None]] = defaultdict(list)
    for number in range(ROUNDS):
        for name, command in (references(large) | {work.name: work.command for work in works}).items():
            print(f"round {number + 1}: {name}", file=sys.stderr, flush=True)
            costs[name].append(cost_of(command))
    for name in (IMPORT, READ):
        yield [name, shown(median(costs[name])), "", ""]
    for work in works:
        measured, reference = costs[work.name], costs[work.reference]
        yield [work.name, shown(median(measured)), ratio(measured, reference), work.reference]


def shown(cost: Cost | None) -> str:
    """Return a cost as a cell."""
    return "–" if cost is None else f"{cost.cpu_s:.1f} s, {cost.peak_mb:.0f} MB"


def other_rows(costs: dict[str, Costs]) -> Iterator[list[str]]:
    """Yield each other way, what it takes, what trexreport takes, and their ratio."""
    for name, ours in OTHERS.items():
        for title, each in costs.items():
            if each[name]:
                cost = median(each[name])
                other = shown(cost) if cost else f"not done after {LONGEST_S:.0f} s"
                row = [f"{name}, {title} layers", other, f"`{ours}`: {shown(median(each[ours]))}"]
                yield [*row, ratio(each[ours], each[name])]


def browser_rows(captures: Sequence[Capture]) -> Iterator[list[str]]:
    """Yield how the reports feel."""
    for capture in captures:
        measured = visit(capture.outputs / "report.html")
        if measured:
            times = (f"{measured[name]:.0f} ms" for name in ("paint", "ready", "search", "sort"))
            yield [capture.title, *times, *(f"{measured[name]:.0f}" for name in ("scroll", "pan"))]


def size_rows(captures: Sequence[Capture]) -> Iterator[list[str]]:
    """Yield the sizes of what is read and written."""
    for capture in captures:
        names = ("report.html", "report.pdf", "compare.html", "table.html")
        files = (path for path in capture.folder.iterdir() if path.is_file())
        sizes = [sum(path.stat().st_size for path in files)]
        sizes += ((capture.outputs / name).stat().st_size for name in names)
        yield [capture.title, *(f"{size / 1e6:.1f} MB" for size in sizes)]


def machine() -> str:
    """Return what this was measured on."""
    model = platform.processor() or platform.machine()
    information = Path("/proc/cpuinfo")
    if information.exists():
        lines = (line.partition(":") for line in information.read_text().splitlines())
        model = next((value.strip() for key, _, value in lines if key.strip() == "model name"), model)
    libraries = ", ".join(f"{name} {version(name)}" for name in ("numpy", "pandas", "plotly", "weasyprint"))
    return f"{model}, {os.cpu_count()} cores, Python {platform.python_version()}, {libraries}"


def render(captures: Sequence[Capture], costs: dict[str, Costs], works: list[list[str]]) -> str:
    """Return the page."""
    small, large = captures[-2].title, captures[-1].title
    heads = [f"`{name}`" for name in COMMANDS]
    environment = Environment(
        loader=FileSystemLoader(HERE),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 - it is Markdown, of our own figures
    )
    return environment.get_template("performance.md.j2").render(
        machine=machine(),
        rounds=ROUNDS,
        visits=VISITS,
        most_growth=MOST_GROWTH,
        small=small,
        large=large,
        command_heads=["Layers", *heads],
        command_rows=[[title, *(shown(median(each[c])) for c in COMMANDS)] for title, each in costs.items()],
        other_rows=list(other_rows(costs)),
        work_rows=works,
        growth_heads=["", *heads],
        growth_rows=[["CPU time", *(ratio(costs[large][c], costs[small][c]) for c in COMMANDS)]],
        browser_rows=list(browser_rows(captures)),
        size_rows=list(size_rows(captures)),
    )


def main() -> None:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("layers", nargs="*", type=int, default=SIZES, help="sizes of the synthetic plans")
    parser.add_argument("-o", "--output", type=Path, default=HERE.parent / "docs" / "performance.md")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folders = {size: write_decoder(Path(name, str(size)), size) for size in arguments.layers}
        if REAL_ENGINE.is_dir():
            folders[1_309] = REAL_ENGINE
        captures = [
            Capture(f"{size:,}", folders[size], Path(name, f"{size}.out")) for size in sorted(folders)
        ]
        for capture in captures:
            capture.outputs.mkdir()
        costs = measure(captures)
        works = list(work_rows(Path(name, "works"), folders[arguments.layers[-1]]))
        arguments.output.write_text(render(captures, costs, works), "utf-8")
    print(f"Wrote {arguments.output}.")


if __name__ == "__main__":
    main()
