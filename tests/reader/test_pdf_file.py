"""Inputs in a PDF: found by their content, whatever else the file has and whichever program saved it."""

from __future__ import annotations

import hashlib
import json
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trexreport.errors import InputError
from trexreport.model import Source
from trexreport.reader.capture import Capture
from trexreport.reader.marks import is_pdf, is_report
from trexreport.reader.pdf_file import find_inputs, find_manifest, pack_manifest
from trexreport.reader.report_file import inputs_manifest, read_report

GRAPH = Source("graph", "x.graph.json", b'{"Layers": [], "Bindings": []}')
PROFILE = Source("profile", "x.profile.json", b'[{"count": 1}]')


def stream(number, content, *, packed=True, kind="/EmbeddedFile", length=None, end=b"\n"):
    data = zlib.compress(content, 9) if packed else content
    packing = b"/Filter /FlateDecode " if packed else b""
    stated = str(len(data)) if length is None else length
    return b"%d 0 obj\n<</Type %s %s/Params <</Size %d>>/Length %s>>\nstream%s%s\nendstream\nendobj\n" % (
        number,
        kind.encode(),
        packing,
        len(content),
        stated.encode(),
        end,
        data,
    )


def pdf(*streams):
    return b"%PDF-1.7\n%\xf0\x9f\x96\xa4\n" + b"".join(streams) + b"xref\n0 0\ntrailer\n<<>>\n%%EOF\n"


def report(sources=(GRAPH, PROFILE), **changes):
    manifest = {**inputs_manifest("engine x", tuple(sources), 2), **changes}
    contents = [source.data for source in sources] + [pack_manifest(manifest)]
    return pdf(*(stream(number, content) for number, content in enumerate(contents, 4)))


def refused(data):
    with pytest.raises(InputError) as error:
        read_report(data, "r.pdf")
    return str(error.value)


def test_a_report_gives_its_inputs_back():
    assert is_pdf(report())
    assert is_report(report())
    assert read_report(report(), "r.pdf") == Capture("engine x", (GRAPH, PROFILE), (), 2)


@given(
    st.lists(st.binary(max_size=3000), min_size=1, max_size=5),
    st.lists(st.binary(max_size=300), max_size=3),
    st.randoms(use_true_random=False),
    st.booleans(),
    st.sampled_from([b"\n", b"\r\n"]),
)
def test_any_bytes_in_any_order_are_found(contents, others, random, packed, end):
    sources = [Source("log", f"{number}.log", content) for number, content in enumerate(contents)]
    everything = [*contents, *others, pack_manifest(inputs_manifest("e", tuple(sources)))]
    random.shuffle(everything)
    data = pdf(*(stream(at, each, packed=packed, end=end) for at, each in enumerate(everything)))
    assert read_report(data, "r.pdf").sources == tuple(sources)


@pytest.mark.parametrize("content", [b'{"generator":"trexreport"', b'{"generator":"trexreport","files":1}'])
@pytest.mark.parametrize("packed", [False, True])
def test_an_input_that_begins_as_the_list_does_is_none(content, packed):
    source = Source("manifest", "x.engine.capture.json", content)
    manifest = pack_manifest(inputs_manifest("e", (source,)))
    data = pdf(*(stream(at, each, packed=packed) for at, each in enumerate((content, manifest))))
    assert read_report(data, "r.pdf").sources == (source,)


def test_two_files_of_one_content_are_both_there():
    twice = (GRAPH, Source("log", "copy.log", GRAPH.data))
    assert read_report(report(twice), "r.pdf").sources == twice


@pytest.mark.parametrize("length", ["7 0 R", "999999999999999999999", "0"])
def test_a_packed_stream_ends_where_it_ends(length):
    manifest = stream(5, pack_manifest(inputs_manifest("e", (GRAPH,))), length=length)
    assert read_report(pdf(stream(4, GRAPH.data, length=length), manifest), "r.pdf").sources == (GRAPH,)


def test_streams_of_other_kinds_are_no_inputs():
    manifest = stream(5, pack_manifest(inputs_manifest("e", (GRAPH,))))
    assert "x.graph.json is not in it" in refused(pdf(stream(4, GRAPH.data, kind="/XObject"), manifest))
    assert find_manifest(pdf(stream(4, pack_manifest({}), kind="/EmbeddedFiles"))) is None


def test_a_pdf_of_others_is_refused():
    assert "r.pdf is a PDF that carries no inputs" in refused(pdf())
    assert "is a PDF that carries no inputs" in refused(pdf(stream(4, b'{"generator":"another"}')))


@pytest.mark.parametrize("entry", [b"/Encrypt 12 0 R", b"/Encrypt<</Filter/Standard>>"])
def test_an_encrypted_pdf_is_distinguished_from_one_without_inputs(entry):
    scrambled = bytes(each ^ 0x5A for each in zlib.compress(b"x" * 99))
    data = pdf(stream(4, scrambled, packed=False)).replace(b"<<>>", b"<<" + entry + b">>")
    assert refused(data) == (
        "r.pdf is encrypted, so that its attached files can't be read. "
        "Save it without a password, or use the original capture."
    )


def test_a_pdf_without_its_end_is_called_cut_off():
    data = report()
    assert "r.pdf is cut off" in refused(data[: data.index(b"/EmbeddedFile")])
    # Complete attachments are read, even if others are missing.
    assert read_report(data[:-20], "r.pdf").sources == (GRAPH, PROFILE)


def test_changed_and_missing_inputs_are_named():
    changed = report().replace(zlib.compress(GRAPH.data, 9), zlib.compress(GRAPH.data + b" ", 9))
    assert "x.graph.json is not in it as it was attached" in refused(changed)
    files = [{**inputs_manifest("e", (GRAPH,))["files"][0], "sha256": "0" * 64}]
    assert "x.graph.json is not in it as it was attached" in refused(report(files=files))
    long = [{**files[0], "name": "a" * 5000 + ".graph.json"}]
    assert len(refused(report(files=long))) < 250


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"size": -1}, "no possible size"),
        ({"size": 2**40}, "no possible size"),
        ({"sha256": None}, "is not in it"),
        ({"sha256": ["x"]}, "is not in it"),
    ],
)
def test_an_impossible_list_is_refused(entry, message):
    files = [{**inputs_manifest("e", (GRAPH,))["files"][0], **entry}]
    assert message in refused(report(files=files))


def test_a_name_leads_into_no_folder():
    files = [{**inputs_manifest("e", (GRAPH,))["files"][0], "name": "../../etc/x.json"}]
    assert read_report(report((GRAPH,), files=files), "r.pdf").sources[0].name == "x.json"


def test_a_bomb_is_not_unpacked():
    bomb = zlib.compress(b"\0" * 300_000_000, 9)
    data = report().replace(zlib.compress(GRAPH.data, 9), bomb)
    import tracemalloc

    tracemalloc.start()
    assert "is not in it" in refused(data)
    assert tracemalloc.get_traced_memory()[1] < 20_000_000
    tracemalloc.stop()


def test_an_endless_list_is_not_unpacked():
    endless = pack_manifest({"engine": " " * 200_000_000})
    assert len(find_manifest(pdf(stream(4, endless)))) == 4 * 2**20


@given(st.data())
def test_damage_is_refused_or_harmless(data):
    content = bytearray(report())
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    cut = bytes(content[: data.draw(st.integers(0, len(content)))])
    try:
        found = read_report(cut, "r.pdf").sources
    except InputError:
        return
    assert {source.data for source in found} <= {GRAPH.data, PROFILE.data}


def test_only_what_is_asked_for_is_returned():
    wanted = hashlib.sha256(GRAPH.data).hexdigest()
    assert find_inputs(report(), {wanted: len(GRAPH.data)}) == {wanted: GRAPH.data}
    assert find_inputs(report(), {wanted: 1}) == {}
    other = Source("log", "x.log", bytes(len(GRAPH.data)))
    assert find_inputs(report((GRAPH, other)), {wanted: len(GRAPH.data)}) == {wanted: GRAPH.data}
    assert find_inputs(report(), {}) == {}


def test_the_list_is_plain_text():
    assert json.loads(pack_manifest({"engine": "é\ud800"})) == {
        "generator": "trexreport",
        "engine": "é\ud800",
    }
