"""A site that was brought up to date is the site that is made at once."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import onnx
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import helper
from site_captures import build, files_of, write_capture

#: What happens to a capture between two runs: it gets a time, is damaged, or goes.
CHANGES = st.tuples(st.sampled_from("abcd"), st.sampled_from([1.0, 1.2, "damaged", "gone"]))


def apply(folder, change):
    name, what = change
    place = folder / f"run-{name}"
    if what == "gone":
        shutil.rmtree(place, ignore_errors=True)
    elif what == "damaged":
        write_capture(place)
        (place / "net.engine.graph.json").write_text("{")
    else:
        write_capture(place, ms=what, seed=ord(name), date=f"2024-05-0{'abcd'.index(name) + 1}T10:00:00Z")


@settings(max_examples=6)
@given(st.lists(st.lists(CHANGES, min_size=1, max_size=4), min_size=1, max_size=3))
def test_bringing_up_to_date_gives_the_same_as_making_again(rounds):
    with tempfile.TemporaryDirectory() as name:
        top = Path(name)
        write_capture(top / "captures" / "run-z", seed=9, date="2024-04-01T10:00:00Z")
        for changes in rounds:
            for change in changes:
                apply(top / "captures", change)
            build(top / "captures", top / "site", comparisons="previous")
        build(top / "captures", top / "again", comparisons="previous")
        assert files_of(top / "site") == files_of(top / "again")
        assert build(top / "captures", top / "site", comparisons="previous").made == 0


def write_model(path, kind):
    nodes = [helper.make_node(kind, [before], [after], name) for name, before, after in ("0xy", "1yz")]
    for node in nodes:
        node.name = f"conv{node.name}"
    graph = helper.make_graph(nodes, "g", [], [])
    onnx.save(helper.make_model(graph), path)


def test_a_model_that_comes_or_changes_makes_its_page_again(tmp_path):
    capture = tmp_path / "captures" / "run"
    write_capture(capture, seed=9)
    assert build(tmp_path / "captures", tmp_path / "site").made == 1
    for kind in ("Conv", "ConvTranspose"):
        write_model(capture / "any.onnx", kind)
        assert build(tmp_path / "captures", tmp_path / "site").made == 1
        (page,) = (tmp_path / "site" / "engines").glob("*.html")
        assert '<section id="model"' in page.read_text("utf-8")
        assert build(tmp_path / "captures", tmp_path / "site").made == 0
    build(tmp_path / "captures", tmp_path / "again")
    assert files_of(tmp_path / "site") == files_of(tmp_path / "again")
