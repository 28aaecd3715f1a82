"""Captures inside reports, whole, damaged and hostile."""

from __future__ import annotations

import base64
import json
import lzma
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trexreport.analyzer.analysis.contradictions import ALL_GROUPS, contradicted
from trexreport.errors import InputError
from trexreport.model import Source
from trexreport.reader import read_engine
from trexreport.reader.capture import Capture
from trexreport.reader.input_packing import pack_input
from trexreport.reader.marks import is_report
from trexreport.reader.report_file import inputs_manifest, read_report

GRAPH = json.dumps({"Layers": [{"Name": "a", "LayerType": "Conv", "Inputs": [], "Outputs": []}]}).encode()
PROFILE = json.dumps([{"name": "a", "timeMs": 1, "averageMs": 1, "percentage": 100}]).encode()
SOURCES = (Source("graph", "x.graph.json", GRAPH), Source("profile", "x.profile.json", PROFILE))


def report(sources, **changes):
    manifest = {**inputs_manifest("engine x", tuple(sources)), **changes}
    page = [b'<!doctype html><meta name="generator" content="trexreport 0.1">']
    page.append(
        b'<script type="application/json" id="trexreport-inputs">%s</script>' % json.dumps(manifest).encode()
    )
    for index, source in enumerate(sources):
        content = pack_input(source.data).encode()
        page.append(
            b'<script type="application/xz;base64" id="trexreport-input-%d">%s</script>' % (index, content)
        )
    return b"\n".join(page)


def refused(data):
    with pytest.raises(InputError) as caught:
        read_report(data, "x")
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_report_gives_its_inputs_back(tmp_path):
    data = report(SOURCES)
    assert is_report(data)
    assert read_report(data, "r.html") == Capture("engine x", SOURCES, (), 0)
    (tmp_path / "r.html").write_bytes(data)
    engine = read_engine(tmp_path / "r.html")
    assert (engine.name, engine.sources, engine.is_profiled) == ("engine x", SOURCES, True)


@given(st.binary(max_size=300))
def test_any_input_comes_back_byte_for_byte(data):
    source = Source("log", "x.log", data)
    assert read_report(report([source]), "r.html").sources == (source,)


def test_packing_is_the_same_each_time():
    assert pack_input(GRAPH) == pack_input(GRAPH)
    assert lzma.decompress(base64.b64decode(pack_input(GRAPH))) == GRAPH


def test_an_edited_report_is_stated_to_be():
    data = report(SOURCES).replace(
        pack_input(GRAPH).encode(), pack_input(GRAPH.replace(b'"a"', b'"b"')).encode()
    )
    carried = read_report(data, "r.html")
    sources, notes = carried.sources, carried.notes
    assert sources[0].data == GRAPH.replace(b'"a"', b'"b"')
    assert [note.slug for note in notes] == ["report-edited"]


def test_figures_of_an_edited_report_are_not_known(tmp_path):
    path = tmp_path / "r.html"
    path.write_bytes(report(SOURCES))
    assert read_engine(path).contradictions == ()
    edited = pack_input(GRAPH.replace(b'"a"', b'"b"')).encode()
    path.write_bytes(report(SOURCES).replace(pack_input(GRAPH).encode(), edited))
    (found,) = read_engine(path).contradictions
    assert found.code == "edited-inputs"
    assert found.message.endswith("is not what was embedded: its hash does not fit.")
    assert set(ALL_GROUPS) == {group for group in ALL_GROUPS if contradicted([found], [group])}


def test_an_edited_list_of_inputs_is_stated_to_be():
    assert not read_report(report(SOURCES), "r.html").notes
    fewer = inputs_manifest("engine x", tuple(SOURCES))["files"][:1]
    for change in ({"engine": "another"}, {"optimization_profile": 1}, {"files": fewer}, {"sha256": 7}):
        (note,) = read_report(report(SOURCES, **change), "r.html").notes
        assert note.slug == "report-edited"
        assert note.message.startswith("The list of inputs in r.html is not what was written")
    # Reports of the first version have none.
    older = report(SOURCES).replace(
        b'"sha256": "%s"}</script>' % inputs_manifest("engine x", tuple(SOURCES))["sha256"].encode(),
        b'"x": ""}</script>',
    )
    assert b'"x": ""' in older
    assert not read_report(older, "r.html").notes


def test_names_in_reports_lead_nowhere():
    data = report([Source("graph", "../../x.json", GRAPH)])
    assert read_report(data, "r.html").sources[0].name == "x.json"


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"size": -1}, "no possible size"),
        ({"size": -2}, "no possible size"),
        ({"size": None}, "no possible size"),
        ({"size": 10**30}, "no possible size"),
        ({"size": 2**29 + 1}, "no possible size"),
        ({"size": 2**28}, "no possible size"),
    ],
)
def test_impossible_sizes_in_a_report(entry, message):
    files = inputs_manifest("x", SOURCES)["files"]
    assert message in refused(report(SOURCES, files=[{**files[0], **entry}]))


def test_a_report_that_carries_too_much():
    files = [{"role": "log", "name": "x", "size": 2**29, "sha256": ""}] * 5
    assert "carries more than a capture can hold" in refused(report(SOURCES, files=files))


def test_a_bomb_in_a_report():
    bomb = pack_input(b"[" * 20_000_000).encode()
    data = report(SOURCES).replace(pack_input(GRAPH).encode(), bomb)
    carried = read_report(data, "r.html")
    sources, notes = carried.sources, carried.notes
    assert len(sources[0].data) == len(GRAPH) + 1
    assert [note.slug for note in notes] == ["report-edited"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (b"trexreport-inputs", b"other", "carries no inputs"),
        (b'{"engine"', b"{engine", "list of inputs is unreadable"),
        (b'{"engine"', b'[1, {"engine"', "list of inputs is unreadable"),
        (b'id="trexreport-input-1"', b'id="x"', "one of its inputs is missing"),
        (pack_input(GRAPH).encode(), b"AAAA", "can't be unpacked"),
        (pack_input(GRAPH).encode(), b"A", "can't be unpacked"),
        (b'"files": [', b'"files": 3, "f": [', "carries no inputs"),
    ],
)
def test_a_damaged_report(old, new, message):
    data = report(SOURCES)
    assert old in data
    assert message in refused(data.replace(old, new))


def test_a_cut_off_report():
    data = report(SOURCES)
    assert "is missing" in refused(data[:-20])


@settings(max_examples=200)
@given(st.integers(0, 2**32))
def test_any_damage_to_a_report_is_an_error_or_noted(seed):
    chance = random.Random(seed)
    data = bytearray(report(SOURCES))
    for _ in range(chance.randint(1, 4)):
        data[chance.randrange(len(data))] = chance.randrange(256)
    try:
        carried = read_report(bytes(data), "r.html")
        sources, notes = carried.sources, carried.notes
    except InputError:
        return
    assert notes or {source.data for source in sources} <= {GRAPH, PROFILE}


def test_a_page_without_inputs_may_be_a_comparison():
    data = report(SOURCES).replace(b"trexreport-inputs", b"other")
    assert "carries no inputs, as an HTML comparison, a page of a site" in refused(data)
