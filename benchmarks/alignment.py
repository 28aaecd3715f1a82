"""Measure the alignment of engines: how well it finds known truth, and what it costs.

Usage: python benchmarks/alignment.py [LAYERS ...]

Truth comes from pairs of plans of the samples' generator, for each mutation with and without metadata; the
cost is CPU time of aligning two large plans, 2,000 and 20,000 layers long unless given. The second plan lacks
metadata, or all names too, so that every kind of evidence has to be used.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from trexreport.analyzer import Analysis, analyze
from trexreport.analyzer.analysis.alignment import Alignment
from trexreport.analyzer.comparison.align import align
from trexreport.analyzer.rules.registry import Registry
from trexreport.reader import read_engine

sys.path.insert(0, str(Path(__file__).parents[1] / "samples"))

from generator.large import llm_like, unet_like
from generator.models import Network, encoder, residual_network
from generator.pairs import MUTATIONS, Plan, make_pair, true_pairs

RUNS = 5
SEEDS = range(1, 6)


def analysis_of(graph: str) -> Analysis:
    """Return the analysis of a plan without other files, and without rules."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "plan.engine.graph.json"
        path.write_text(graph, "utf-8")
        return analyze(read_engine(path), registry=Registry(()))


def found_pairs(alignment: Alignment) -> set[tuple[int, int]]:
    """Return the pairs of layers of two engines that stand in one row."""
    return {
        (left, right)
        for row in alignment.rows
        for left in (*row.layers[0], *row.helpers[0])
        for right in (*row.layers[1], *row.helpers[1])
    }


def f1(left: Plan, right: Plan) -> float:
    """Return the harmonic mean of precision and recall over pairs of layers in one row."""
    found = found_pairs(align([analysis_of(plan.engine.graph_json()) for plan in (left, right)]))
    true = true_pairs(left.groups, right.groups)
    return 2 * len(found & true) / (len(found) + len(true))


def cpu_seconds(action: Callable[[], object]) -> float:
    """Return the median CPU time of several runs."""
    times = []
    for _ in range(RUNS):
        began = time.process_time()
        action()
        times.append(time.process_time() - began)
    return statistics.median(times)


def print_truth() -> None:
    """Print mean and least F1 of each mutation."""
    networks: dict[str, Network] = {"residual": residual_network(3), "encoder": encoder(6)}
    print(f"{'F1, mean (least)':<38}" + "".join(f"{name:>15}" for name in MUTATIONS))
    for part, rule in ((None, "at least half"), (0.0, "any operation")):
        for name, network in networks.items():
            for metadata in (True, False):
                for names in ("paths", "serial"):
                    cells = []
                    for mutation in MUTATIONS:
                        options = {} if part is None else {"part": part}
                        scores = [
                            f1(
                                *make_pair(
                                    network, mutation, metadata=metadata, names=names, seed=seed, **options
                                )
                            )
                            for seed in SEEDS
                        ]
                        cells.append(f"{statistics.mean(scores):.3f} ({min(scores):.3f})")
                    title = f"{name}, {'metadata' if metadata else 'none'}, {names}; {rule}"
                    print(f"{title:<44}" + "".join(f"{cell:>15}" for cell in cells))


def changed(graph: str, *, names: bool) -> str:
    """Return a plan without metadata, and with other names of layers and tensors if `names`."""
    document = json.loads(graph)
    numbers: dict[str, str] = {name: name for name in document["Bindings"]}
    for position, layer in enumerate(document["Layers"]):
        layer.pop("Metadata", None)
        if names:
            if not layer["Name"].startswith("__myl_"):
                layer["Name"] = f"__mye{position}_myl0_{position}"
            for tensor in (*layer["Inputs"], *layer["Outputs"]):
                tensor["Name"] = numbers.setdefault(tensor["Name"], f"__mye{len(numbers)}")
    return json.dumps(document)


def print_cost(sizes: list[int]) -> None:
    """Print CPU seconds for each kind of plan and size."""
    print(f"{'CPU seconds':<12} {'layers':>7} {'itself':>8} {'no metadata':>12} {'no names':>9}")
    for maker in (llm_like, unet_like):
        for size in sizes:
            files = maker(size)
            graph = next(data.decode() for name, data in files.items() if name.endswith("graph.json"))
            one = analysis_of(graph)
            others = [
                analysis_of(text) for text in (graph, changed(graph, names=False), changed(graph, names=True))
            ]
            costs = [cpu_seconds(lambda: align([one, other])) for other in others]  # noqa: B023
            print(
                f"{maker.__name__:<12} {size:>7} {costs[0]:>8.2f} {costs[1]:>12.2f} {costs[2]:>9.2f}",
                flush=True,
            )


def main() -> None:
    """Print how well alignment finds the truth, then what it costs."""
    print_truth()
    print_cost([int(argument) for argument in sys.argv[1:]] or [2000, 20000])


if __name__ == "__main__":
    main()
