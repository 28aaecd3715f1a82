"""Time the data of large graphs against Graphviz, on plans of the generator.

Usage: python benchmarks/graph_data.py [--runs N] [--limit SECONDS] [--whole]

For each plan: CPU seconds, children included, of blocks and page data (what the report computes, as JSON),
of Graphviz segment by segment, and with --whole of Graphviz on the whole graph, stopped after the limit.
Medians over the runs, taken in turns so that a busy machine slows all alike.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "samples"))

from generator.large import llm_like, unet_like
from graph_layout import cpu_seconds

from trexreport.analyzer import Analysis, analyze
from trexreport.analyzer.blocks import divide
from trexreport.garbage import collection_paused
from trexreport.reader import read_engine
from trexreport.renderer.graph.composing import compose
from trexreport.renderer.graph.layout import Edge, Layout, Node, lay_out
from trexreport.renderer.graph.layout.graphviz import DotEngine, LayoutFailedError
from trexreport.renderer.graph.picture import size_of
from trexreport.renderer.graph.viewer_data import viewer_data

SIZES = (2_000, 20_000)
PLANS: dict[str, Callable[[int], dict[str, bytes]]] = {"llm": llm_like, "unet": unet_like}


def read_plan(files: dict[str, bytes]) -> Analysis:
    """Return the analysis of a generated capture."""
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files.items():
            Path(folder, name).write_bytes(content)
        return analyze(read_engine(folder))


@collection_paused()  # as analyze() and the report do
def page_data(analysis: Analysis) -> int:
    """Do what the report does; return the bytes of JSON."""
    divided = replace(analysis, blocks=divide(analysis.layers, analysis.tensors))
    return len(json.dumps(viewer_data(divided), separators=(",", ":")))


def graph_of(analysis: Analysis) -> tuple[list[Node], list[Edge]]:
    """Return boxes and arrows of the whole engine."""
    picture = compose(analysis)
    nodes = [Node(box.key, *size_of(box)) for box in picture.boxes]
    return nodes, [Edge(str(n), each.source, each.target, each.back) for n, each in enumerate(picture.arrows)]


def whole_dot(analysis: Analysis, limit_s: float) -> Layout | None:
    """Lay out everything at once with Graphviz; None if it takes too long."""
    try:
        return DotEngine(limit_s)(*graph_of(analysis))
    except LayoutFailedError:
        return None


def main() -> None:
    """Print a line for each plan, then the growth."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--limit", type=float, default=60.0)
    parser.add_argument("--whole", action="store_true", help="time Graphviz on the whole graph too")
    options = parser.parse_args()
    medians: dict[tuple[str, int], float] = {}
    for name, make in PLANS.items():
        for size in SIZES:
            analysis = read_plan(make(size))
            ways: dict[str, Callable[[], object]] = {
                "ours": lambda plan=analysis: page_data(plan),
                "dot by segment": lambda plan=analysis: lay_out(*graph_of(plan), "dot", options.limit),
            }
            if options.whole:
                ways["whole dot"] = lambda plan=analysis: whole_dot(plan, options.limit)
            times: dict[str, list[float]] = {way: [] for way in ways}
            for _ in range(options.runs):
                for way, work in ways.items():
                    before = cpu_seconds()
                    done = work()
                    times[way].append(cpu_seconds() - before if done is not None else float("inf"))
            medians[name, size] = statistics.median(times["ours"])
            print(f"{name} {size:6} layers, {page_data(analysis) / 1e3:6.0f} kB:", end="")
            for way, found in times.items():
                median = statistics.median(found)
                print(f"  {way} {median:.2f} s ({median / medians[name, size]:.1f} x)", end="")
            print(flush=True)
    for name in PLANS:
        print(f"{name}: growth {medians[name, SIZES[1]] / medians[name, SIZES[0]]:.1f} x for 10 x the layers")


if __name__ == "__main__":
    main()
