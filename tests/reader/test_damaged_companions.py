"""A file that is called as one of a capture, and holds nothing that is known, is noted."""

from __future__ import annotations

import json

import pytest

from trexreport.reader import read_engine

GRAPH = {"Layers": [{"Name": "a", "LayerType": "Reformat", "Inputs": [], "Outputs": []}], "Bindings": []}


@pytest.mark.parametrize("content", ["", "{}", "[" * 5000 + "]" * 5000, "not JSON"])
@pytest.mark.parametrize(("name", "is_noted"), [("profile_x.json", True), ("settings.json", False)])
def test_what_is_left_out_is_noted(tmp_path, content, name, is_noted):
    (tmp_path / "layers_x.json").write_text(json.dumps(GRAPH))
    (tmp_path / name).write_text(content)
    noted = [note for note in read_engine(tmp_path).notes if note.slug == "file-left-out"]
    assert [note.source for note in noted] == [name] * is_noted
