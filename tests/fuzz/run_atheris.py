"""Fuzz readers with coverage: `python tests/fuzz/run_atheris.py TARGET[,TARGET] [options of libFuzzer]`."""

from __future__ import annotations

import importlib
import os
import sys
import tempfile
from pathlib import Path

import atheris

INSTRUMENTED = (
    "trexreport.reader",
    "trexreport.reader.onnx",
    "trexreport.archive",
    "trexreport.configuration",
)
# Where the generators of inputs are.
sys.path.insert(0, str(Path(__file__).parents[1]))
with atheris.instrument_imports(include=list(INSTRUMENTED)):
    for name in INSTRUMENTED:
        importlib.import_module(name)

from targets import OF_CAPTURES, TARGETS, Bench, seeds_of  # noqa: E402 - their imports are instrumented


def fuzz(target: str, bench: Bench, options: list[str]) -> None:
    """Feed a target until the time is over or something breaks; libFuzzer writes down what broke it."""
    corpus = bench.folder / f"corpus {target}"
    corpus.mkdir()
    for number, data in enumerate(seeds_of(bench, target)):
        (corpus / f"seed-{number}").write_bytes(data)
    turn = 0

    def feed(data: bytes) -> None:
        nonlocal turn
        turn += 1
        TARGETS[target](bench, data, turn)

    atheris.Setup([sys.argv[0], "-timeout=60", "-rss_limit_mb=2000", *options, str(corpus)], feed)
    atheris.Fuzz()


def main() -> None:
    """Fuzz the targets one after another, each in a child process, as libFuzzer ends its own."""
    targets, *options = sys.argv[1:]
    bench = Bench(Path(tempfile.mkdtemp(prefix="trexreport-fuzz-")))
    # What takes seconds is done once, before there are children: good files, and imports.
    bench.containers  # noqa: B018 - a property that writes them
    for turn in range(len(OF_CAPTURES)):
        bench.feed_capture({}, turn)
    for target in targets.split(","):
        print(f"Target: {target}", file=sys.stderr, flush=True)
        child = os.fork()
        if not child:
            fuzz(target, bench, options)
        _, status = os.waitpid(child, 0)
        if status:
            sys.exit(f"{target} broke.")


if __name__ == "__main__":
    if len(sys.argv) < 2 or not set(sys.argv[1].split(",")) <= TARGETS.keys():
        sys.exit(f"Targets: {', '.join(TARGETS)}.")
    main()
