"""A second way to match layers is tried only where there are few pairs of open ones."""

from __future__ import annotations

import json
import random

import pytest

from trexreport.analyzer import analyze
from trexreport.analyzer.comparison import align_flow
from trexreport.analyzer.comparison.align import align
from trexreport.reader import read_engine


def plan(folder, layers, seed):
    """Return the analysis of layers of one look that read any of those before them."""
    rng = random.Random(seed)

    def tensor(name):
        return {"Name": name, "Dimensions": [1, 8, 8, 8], "Format/Datatype": "Row major linear FP32"}

    names, written = ["in"], []
    for at in range(layers):
        read = rng.sample(names[-9:], min(len(names), rng.randint(1, 4)))
        name = f"s{seed}_{at}"
        written.append(
            {
                "Name": f"{name}_of_{seed}",
                "LayerType": "PointWise",
                "Inputs": [tensor(each) for each in read],
                "Outputs": [tensor(name)],
            }
        )
        names.append(name)
    path = folder / f"{seed}.graph.json"
    path.write_text(json.dumps({"Layers": written, "Bindings": ["in", names[-1]]}))
    return analyze(read_engine(path))


@pytest.mark.parametrize(("most", "is_tried"), [(30 * 60, True), (100, False)])
def test_many_pairs_of_open_layers_are_matched_in_one_way(tmp_path, monkeypatch, most, is_tried):
    tried = []
    monkeypatch.setattr(align_flow, "_MAX_TRIED", most)
    monkeypatch.setattr(align_flow, "spread", lambda *given: tried.append(given))
    align([plan(tmp_path, 30, 1), plan(tmp_path, 60, 2)])
    assert bool(tried) is is_tried
