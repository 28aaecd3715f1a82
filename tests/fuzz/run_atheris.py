"""Fuzz a reader with coverage: `python tests/fuzz/run_atheris.py TARGET [options of libFuzzer]`."""

from __future__ import annotations

import importlib
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
with atheris.instrument_imports(include=list(INSTRUMENTED)):
    for name in INSTRUMENTED:
        importlib.import_module(name)

from targets import TARGETS, Bench, seeds_of  # noqa: E402 - what they import is instrumented by now


def main() -> None:
    """Feed a target until the time is over or something breaks; libFuzzer writes down what broke it."""
    target, *options = sys.argv[1:]
    folder = Path(tempfile.mkdtemp(prefix="trexreport-fuzz-"))
    bench = Bench(folder)
    corpus = folder / "corpus"
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


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in TARGETS:
        sys.exit(f"Targets: {', '.join(TARGETS)}.")
    main()
