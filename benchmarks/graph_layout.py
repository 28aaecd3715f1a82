"""Compare the layout engines: CPU time, crossings and width, on generated plans and on real engines.

Usage: python benchmarks/graph_layout.py [FOLDER]

FOLDER holds layer information of engines, as written by `trtexec --exportLayerInfo`, at any depth.
Crossings are those between drawn routes; pairs of edges that share a node do not count.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "renderer" / "graph" / "layout"))

from layout_plans import Plan, generated_plans
from layout_quality import count_crossings, foreign_boxes_crossed

from trexreport.renderer.graph.layout import ENGINES, Edge, Layout, Node, lay_out


def read_plan(path: Path) -> Plan | None:
    """Read the layers of an engine as nodes and its tensors as edges; None when there are none."""
    content = json.loads(path.read_text())
    layers = content.get("Layers", []) if isinstance(content, dict) else []
    if not layers or not isinstance(layers[0], dict):
        return None
    nodes: list[Node] = []
    edges: list[Edge] = []
    producer: dict[str, str] = {}
    for number, layer in enumerate(layers):
        key = f"{number} {layer['Name']}"
        for name in (tensor["Name"] for tensor in layer["Inputs"]):
            if name not in producer:
                producer[name] = f"input {name}"
                nodes.append(Node(producer[name], 120, 32))
            edges.append(Edge(str(len(edges)), producer[name], key))
        nodes.append(Node(key, 220, 56))
        producer.update((tensor["Name"], key) for tensor in layer["Outputs"])
    return nodes, edges


def cpu_seconds() -> float:
    """Return the CPU seconds of this process and of its children so far."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def timed(plan: Plan, engine: str) -> tuple[Layout, float]:
    """Lay out a plan; return the CPU seconds too."""
    began = cpu_seconds()
    layout = lay_out(*plan, engine, time_limit_s=60)
    return layout, cpu_seconds() - began


def main() -> None:
    """Print one line for each plan and the medians."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, help="folder with layer information of real engines")
    folder = parser.parse_args().folder
    plans = dict(generated_plans())
    for path in sorted(folder.rglob("*.json")) if folder else []:
        plan = read_plan(path)
        if plan:
            plans[path.parent.name] = plan
    crossings: dict[str, list[int]] = {engine: [] for engine in ENGINES}
    titles = "".join(f" | {engine + ' CPU s':>13} crossings   width  height thru" for engine in ENGINES)
    print(f"{'plan':32} nodes edges{titles}")
    for name, (nodes, edges) in plans.items():
        line = f"{name:32} {len(nodes):5} {len(edges):5}"
        for engine, counts in crossings.items():
            layout, seconds = timed((nodes, edges), engine)
            counts.append(count_crossings(edges, layout))
            through = len(foreign_boxes_crossed(nodes, edges, layout))
            line += f" | {seconds:13.3f} {counts[-1]:9} {layout.width:7.0f} {layout.height:7.0f} {through:4}"
        print(line, flush=True)
    for engine, counts in crossings.items():
        print(f"{engine}: crossings median {statistics.median(counts):g}, sum {sum(counts)}")


if __name__ == "__main__":
    main()
