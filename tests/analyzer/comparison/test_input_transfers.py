"""Input transfers of another length show inputs of another size, where no file states shapes."""

from __future__ import annotations

import pytest

from trexreport.analyzer.comparison.compare import compare
from trexreport.analyzer.comparison.compare_conditions import INPUT_TRANSFERS
from trexreport.reader import read_engine

NAME = INPUT_TRANSFERS


def write(folder, name, ms):
    lines = ["=== Performance summary ==="]
    lines += [
        f"{each}: min = {time} ms, max = {time} ms, mean = {time} ms, median = {time} ms"
        for each, time in (("Latency", 9), ("GPU Compute Time", 7), ("H2D Latency", ms))
    ]
    path = folder / name
    path.write_text("\n".join(lines))
    return read_engine(path)


@pytest.mark.parametrize(
    ("one", "other", "differs"), [(0.8, 1.5, True), (1.5, 1.6, False), (0.01, 0.04, False)]
)
def test_transfers_show_other_inputs(tmp_path, one, other, differs):
    engines = [write(tmp_path, "a.log", one), write(tmp_path, "b.log", other)]
    found = {each.name: each for each in compare(engines).conditions}
    assert (NAME in found) is differs
    if differs:
        assert found[NAME].values == ["0.800\u00a0ms", "1.50\u00a0ms"]
