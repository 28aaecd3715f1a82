"""A file that is called as one of a capture, and holds nothing that is known, is noted."""

from __future__ import annotations

import json

import pytest

from trexreport.model import IMPOSSIBLE, Source
from trexreport.reader import assemble, read_engine
from trexreport.reader.capture import Capture

GRAPH = {"Layers": [{"Name": "a", "LayerType": "Reformat", "Inputs": [], "Outputs": []}], "Bindings": []}


@pytest.mark.parametrize("content", ["", "{}", "[" * 5000 + "]" * 5000, "not JSON"])
@pytest.mark.parametrize(("name", "is_noted"), [("profile_x.json", True), ("settings.json", False)])
def test_what_is_left_out_is_noted(tmp_path, content, name, is_noted):
    (tmp_path / "layers_x.json").write_text(json.dumps(GRAPH))
    (tmp_path / name).write_text(content)
    noted = [note for note in read_engine(tmp_path).notes if note.slug == "file-left-out"]
    assert [note.source for note in noted] == [name] * is_noted


@pytest.mark.parametrize(
    ("role", "document", "slug"),
    [
        (
            "counters",
            {"trexreport-kernel-counters": 1, "kernels": [{"name": "k", "dram_bytes": -1}]},
            IMPOSSIBLE,
        ),
        (
            "accuracy",
            {
                "trexreport-accuracy": 1,
                "format": "polygraphy-results",
                "files": ["r.json"],
                "tensors": [{"name": "t", "relative_error": -1}],
            },
            "accuracy-unknown",
        ),
    ],
)
def test_what_is_noted_of_counts_and_accuracy_is_kept(role, document, slug):
    sources = (
        Source("graph", "x.graph.json", json.dumps(GRAPH).encode()),
        Source(role, f"x.{role}.json", json.dumps(document).encode()),
    )
    assert slug in [note.slug for note in assemble(Capture("x", sources)).notes]
