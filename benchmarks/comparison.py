"""Measure what comparing two engines costs: CPU time of the whole command, how it grows, what it is made of.

Usage: python benchmarks/comparison.py [LAYERS ...]

The pairs are synthetic: a decoder against itself and against one of which a tenth of the layers are renamed,
of another precision, split or fused, and two builds of an encoder that differ in what is fused, in precision,
in reformats and in order. They have 2,000 and 20,000 layers unless given. The whole is a fresh
process, from reading the captures to writing the comparison as JSON; its parts are measured in this one.
Sizes take turns, so that a machine that others use slows both alike and the growth can be believed.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import TypeVar

from trexreport.analyzer import analyze
from trexreport.analyzer.comparison.align import align
from trexreport.analyzer.comparison.compare import compare
from trexreport.garbage import collection_paused
from trexreport.reader import read_engine
from trexreport.renderer.json_document import render_json

sys.path.insert(0, str(Path(__file__).parents[1] / "samples"))

from generator import edits
from generator.capture import capture_files
from generator.edits import Edited
from generator.engine import Engine, Work
from generator.large import llm_like
from generator.models import encoder
from generator.pairs import make_pair
from generator.transformer import decoder_run

RUNS = 5
PARTS = ("read", "analyze", "align", "rest", "JSON")
#: The encoder's layers in a block as the first plan fuses them, about.
LAYERS_PER_BLOCK = 20
QUERIES = 113
#: Of the layers of an edited decoder, what each of four edits changes.
EACH_PART = 0.025

Result = TypeVar("Result")
Maker = Callable[[int, Path], tuple[Path, Path]]


def same(layers: int, folder: Path) -> tuple[Path, Path]:
    """Write a decoder once; it is compared with itself."""
    path = _written(llm_like(layers), folder / "a")
    return path, path


def edited(layers: int, folder: Path) -> tuple[Path, Path]:
    """Write a decoder, and the same with a tenth of its layers changed; new layers have no times."""
    files = llm_like(layers)
    name = next(name for name in files if name.endswith(".graph.json"))
    plan, random = Edited.of(files[name].decode()), Random(layers)
    edits.rename(plan, edits.some(plan, random, EACH_PART), edits.RENAMES["stage"])
    for at in edits.some(plan, random, EACH_PART):
        for use in (*plan.layers[at]["Inputs"], *plan.layers[at]["Outputs"]):
            use["Format/Datatype"] = use["Format/Datatype"].replace("Half", "Float").replace("FP16", "FP32")
    edits.split(plan, random, EACH_PART)
    edits.merge(plan, random, EACH_PART)
    return _written(files, folder / "a"), _written(files | {name: plan.text().encode()}, folder / "b")


def rebuilt(layers: int, folder: Path) -> tuple[Path, Path]:
    """Write two builds of an encoder."""
    network = encoder(-(-layers // LAYERS_PER_BLOCK))
    plans = make_pair(network, "mixed", metadata=True)
    first, second = (
        _written(_measured(name, plan.engine, seed), folder / name)
        for seed, (name, plan) in enumerate(zip("ab", plans, strict=True))
    )
    return first, second


def _measured(name: str, engine: Engine, seed: int) -> dict[str, bytes]:
    """Return a capture in which every layer takes the time of its traffic."""
    layers = tuple(replace(layer, work=Work()) for layer in engine.layers)
    return capture_files(name, replace(engine, layers=layers), decoder_run("encoder.onnx", seed, QUERIES))


def _written(files: dict[str, bytes], folder: Path) -> Path:
    folder.mkdir(parents=True)
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return folder


def whole_s(pair: Sequence[Path], output: Path) -> float:
    """Return the CPU time of the command."""
    command = [sys.executable, "-m", "trexreport", "compare", *map(str, pair), "-o", str(output), "--force"]
    before = os.times()
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    after = os.times()
    if done.returncode:
        # A negative code is the signal that ended it: -9 where the machine ran out of memory.
        sys.exit(f"compare ended with {done.returncode}: {done.stderr.strip() or 'it stated nothing'}")
    return after.children_user + after.children_system - before.children_user - before.children_system


def parts_s(pair: Sequence[Path]) -> list[float]:
    """Return the CPU time of each of `PARTS`."""
    times = []

    def timed(action: Callable[[], Result]) -> Result:
        began = time.process_time()
        result = action()
        times.append(time.process_time() - began)
        return result

    engines = timed(lambda: [read_engine(path) for path in pair])
    analyses = timed(lambda: [analyze(engine, with_blocks=False) for engine in engines])
    timed(lambda: align(analyses))
    comparison = timed(lambda: compare(engines, analyses=analyses))
    timed(lambda: render_json(comparison))
    times[3] -= times[2]
    return times


def measure(title: str, make: Maker, sizes: Sequence[int]) -> None:
    """Print a line for each size, and how the whole grows from the first to the last."""
    with tempfile.TemporaryDirectory() as folder:
        pairs = {size: make(size, Path(folder) / str(size)) for size in sizes}
        output = Path(folder) / "comparison.json"
        rounds = [{size: whole_s(pair, output) for size, pair in pairs.items()} for _ in range(RUNS)]
        for size, pair in pairs.items():
            whole = statistics.median(each[size] for each in rounds)
            parts = (f"{each:>8.2f}" for each in parts_s(pair))
            print(f"{title:<10} {size:>7} {whole:>8.2f}", *parts, flush=True)
    growth = statistics.median(each[sizes[-1]] / each[sizes[0]] for each in rounds)
    print(f"{title:<10} {sizes[-1] / sizes[0]:.3g} times the layers: {growth:.1f} times the CPU time")


def main() -> None:
    """Print the cost of each kind of pair and size."""
    sizes = [int(argument) for argument in sys.argv[1:]] or [2000, 20000]
    print(f"CPU seconds{'layers':>7} {'whole':>8}", *(f"{part:>8}" for part in PARTS))
    with collection_paused():  # as in the command
        measure("same", same, sizes)
        measure("edited", edited, sizes)
        measure("rebuilt", rebuilt, sizes)


if __name__ == "__main__":
    main()
