"""Compare how our drawings read with Graphviz's: crossings, routes through boxes, width, on the same graphs.

Usage: python benchmarks/graph_quality.py [FOLDER]

FOLDER holds captures of real engines, one folder each; those of more than 300 layers are left out. Beside
them stand ten generated plans. Crossings are those between drawn routes; pairs of edges that share a node do
not count.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "renderer" / "graph" / "layout"))

from graph_layout import timed
from layout_plans import Plan, generated_plans
from layout_quality import count_crossings, foreign_boxes_crossed

from trexreport.analyzer import analyze
from trexreport.errors import InputError
from trexreport.reader import read_engine
from trexreport.renderer.graph.composing import compose
from trexreport.renderer.graph.layout import ENGINES, Edge, Node
from trexreport.renderer.graph.picture import size_of

MOST_LAYERS = 300


def read_pictures(folder: Path) -> Iterator[tuple[str, Plan]]:
    """Return what is drawn of each engine in a folder."""
    for path in sorted(each for each in folder.iterdir() if each.is_dir()):
        try:
            analysis = analyze(read_engine(path))
        except InputError:
            continue
        if len(analysis.layers) <= MOST_LAYERS and analysis.tensors:
            picture = compose(analysis)
            nodes = [Node(box.key, *size_of(box)) for box in picture.boxes]
            edges = [
                Edge(str(number), arrow.source, arrow.target, arrow.back)
                for number, arrow in enumerate(picture.arrows)
            ]
            yield path.name, (nodes, edges)


def main() -> None:
    """Print a line for each plan, then medians and sums."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, help="folder with captures of real engines")
    folder = parser.parse_args().folder
    plans = list(generated_plans().items())
    plans += list(read_pictures(folder)) if folder else []
    crossings: dict[str, list[int]] = {engine: [] for engine in ENGINES}
    print(f"{'plan':34} boxes edges" + "".join(f" | {each:>8} crossings thru  width" for each in ENGINES))
    for name, plan in plans:
        line = f"{name:34} {len(plan[0]):5} {len(plan[1]):5}"
        for engine, counts in crossings.items():
            layout, seconds = timed(plan, engine)
            counts.append(count_crossings(plan[1], layout))
            through = len(foreign_boxes_crossed(*plan, layout))
            line += f" | {seconds:6.2f} s {counts[-1]:9} {through:4} {layout.width:6.0f}"
        print(line, flush=True)
    for engine, counts in crossings.items():
        print(f"{engine}: crossings median {statistics.median(counts):g}, sum {sum(counts)}")


if __name__ == "__main__":
    main()
