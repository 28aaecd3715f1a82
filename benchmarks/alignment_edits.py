"""Measure how well alignment finds the layers of an engine again after edits of its plan with known truth.

Usage: python benchmarks/alignment_edits.py [--parts 10,40] [--seeds N] [--jobs N] [--each] [--other]
    [FOLDER ...]

Plans are those of the samples' generator, and every plan in the folders. Each is edited in every way at 10%
and 40% of its layers, with its metadata, with metadata that is renamed too, and without, and aligned with
itself before the edits. With --other, plans and edits are those that alignment was not developed on. F1 is
over pairs of layers that compute; "alone" are layers which only one side has by the result, though the other
has them by the truth.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from copy import deepcopy
from functools import partial
from pathlib import Path
from random import Random

from trexreport.analyzer import Analysis, analyze
from trexreport.analyzer.comparison.align import align
from trexreport.analyzer.rules.registry import Registry
from trexreport.reader import read_engine

sys.path.insert(0, str(Path(__file__).parents[1] / "samples"))

from generator.edit_kinds import EDITS, METADATA, score
from generator.edits import Edited, drop_metadata
from generator.large import llm_like, unet_like
from generator.models import encoder, residual_network
from generator.other_edits import OTHER_EDITS, other_plans
from generator.pairs import make_pair


def analysis_of(text: str) -> Analysis:
    """Return the analysis of a plan without rules."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "plan.engine.graph.json"
        path.write_text(text, "utf-8")
        return analyze(read_engine(path), registry=Registry(()), with_blocks=False)


def scores(one: Analysis, plan: Edited) -> tuple[float, int]:
    """Return F1 of an alignment with an edited plan, and how many layers it wrongly leaves alone."""
    rows = align([one, analysis_of(plan.text())]).rows
    return score(plan, [(row.layers[0], row.layers[1]) for row in rows])


def generated() -> Iterator[tuple[str, str]]:
    """Yield the name and the text of plans of our own."""
    for title, network in (("cnn", residual_network(3)), ("encoder", encoder(6))):
        for names in ("paths", "serial"):
            yield (
                f"{title} {names}",
                make_pair(network, "renamed", metadata=True, names=names)[0].engine.graph_json(),
            )
    for title, files in (("decoder", llm_like(400)), ("unet", unet_like(300))):
        yield title, next(data.decode() for name, data in files.items() if name.endswith("graph.json"))


def plans_in(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the plans in a folder and the folders in it."""
    for path in sorted(folder.rglob("*.json")):
        text = path.read_text("utf-8", "replace")
        if '"Layers"' in text[:1000]:
            yield path.parent.name, text


def of_plan(
    item: tuple[str, str], other: bool, parts: Sequence[float], seeds: int
) -> list[tuple[str, str, str, float, float, int]]:
    """Return plan, edit, metadata, part, F1 and layers left alone, for all edits of one plan."""
    name, text = item
    original = Edited.of(text)
    has = any(isinstance(layer, dict) and layer.get("Metadata") for layer in original.layers)
    names_only = isinstance(original.layers[0], str)
    results = []
    for mode in METADATA if has else ("none",):
        base = deepcopy(original)
        if mode == "none":
            drop_metadata(base)
        one = analysis_of(base.text())
        for title, edit in (OTHER_EDITS if other else EDITS).items():
            if names_only and not title.endswith(("stage", "anywhere")) and title != "insert":
                continue
            for part in parts:
                for seed in range(seeds):
                    plan = deepcopy(base)
                    edit(plan, Random(f"{name}{title}{part}{seed}"), part, mode == "renamed")
                    f1, alone = scores(one, plan)
                    results.append((name, title, mode, part, f1, alone))
    return results


def main() -> None:
    """Print mean and least F1 and the layers left alone, for each edit and part."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--parts", default="10,40")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--each", action="store_true", help="print every score below 0.98")
    parser.add_argument("--other", action="store_true", help="other plans and edits")
    given = parser.parse_args()
    edits = OTHER_EDITS if given.other else EDITS
    parts = [int(part) / 100 for part in given.parts.split(",")]
    plans = [
        *(other_plans() if given.other else generated()),
        *(plan for folder in given.folders for plan in plans_in(folder)),
    ]
    began = time.perf_counter()
    with ProcessPoolExecutor(given.jobs) as pool:
        results = [
            each
            for found in pool.map(partial(of_plan, other=given.other, parts=parts, seeds=given.seeds), plans)
            for each in found
        ]
    print(f"{len(plans)} plans, {len(results)} pairs, {time.perf_counter() - began:.0f} s")
    print(
        f"{'F1, mean (least), layers left alone':<38}"
        + "".join(f"{mode + ' ' + format(part, '.0%'):>22}" for mode in METADATA for part in parts)
    )
    for title in edits:
        cells = []
        for mode in METADATA:
            for part in parts:
                some = [each for each in results if each[1:4] == (title, mode, part)]
                f1s = [each[4] for each in some]
                alone = sum(each[5] for each in some)
                cells.append(f"{statistics.mean(f1s):.3f} ({min(f1s):.3f}) {alone:>5}" if f1s else "-")
        print(f"{title:<38}" + "".join(f"{cell:>22}" for cell in cells))
    below = sorted((each for each in results if each[4] < 0.98), key=lambda each: each[4])
    print(f"below 0.98: {len(below)}; mean F1 {statistics.mean(each[4] for each in results):.4f}")
    if given.each:
        for each in below:
            print(f"{each[4]:.3f} {each[5]:>4}  {each[3]:.0%} {each[1]:<22} {each[2]:<8} {each[0]}")


if __name__ == "__main__":
    main()
