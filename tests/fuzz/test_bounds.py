"""Files designed to exhaust time or memory: each is read or refused with little of both."""

from __future__ import annotations

import io
import json
import zipfile
import zlib

import pytest
from limits import SECONDS_PER_MB, processor_seconds

from trexreport.archive import verify
from trexreport.archive.write import ArchiveContents, write_archive
from trexreport.cli import main
from trexreport.collector.workspace import _fact
from trexreport.errors import InputError, TrexReportError
from trexreport.model import Source
from trexreport.reader import (
    file_names,
    graph_file,
    json_text,
    marks,
    pdf_file,
    read_engine,
    report_file,
    zip_file,
)
from trexreport.reader.graph_file import is_graph, read_graph
from trexreport.reader.input_packing import pack_input
from trexreport.reader.json_text import parse_json
from trexreport.reader.latency_file import read_latencies
from trexreport.reader.locate import locate
from trexreport.reader.trtexec_log import read_trtexec_log

MB = 2**20
LOG = "&&&& RUNNING TensorRT.trtexec [TensorRT v100400] # trtexec\n[03/01/2025-10:00:03] [I] "
LAYER = {"Name": "a", "LayerType": "b", "Inputs": [], "Outputs": []}


def repeated(text: str, size: int = MB // 4) -> str:
    return text * (size // len(text))


#: Texts that no document is in; each once took time that grew with the square of its length.
ENDLESS = {
    "a text of escaped quotes that is cut off": '{"a": "' + repeated('\\"'),
    "a text of backslashes that is cut off": '{"a": "' + repeated("\\\\") + "\\",
    "quotes": repeated('"'),
    "beginnings with damage at the end": '{"a":[\n' * 400
    + repeated("1,")
    + "1 !!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!",
    "beginnings with bare nan and damage": '{"a":[\n' * 400
    + repeated("nan,")
    + "1 !!!!!!!!!!!!!!!!!!!!!!!!!!!!!!",
    "lists": repeated("["),
    "objects": repeated('{"a":'),
    "lines of lists": repeated('["\n'),
    "digits": "[" + repeated("9"),
    "white space": repeated(" \n"),
    "halves of characters": '["' + repeated("\\ud800"),
}


@pytest.mark.parametrize("name", ENDLESS)
def test_a_text_without_a_document_is_refused_soon(name):
    with processor_seconds(SECONDS_PER_MB / 4), pytest.raises(InputError):
        parse_json(ENDLESS[name], "x.json", is_graph)


def test_a_text_is_read_a_few_times_for_its_beginnings(monkeypatch):
    read = 0

    decoder_of = json_text._decoder

    def counting(*args):
        decoder = decoder_of(*args)
        raw_decode = decoder.raw_decode

        def counted(text, idx=0):
            nonlocal read
            try:
                return raw_decode(text, idx)
            except json.JSONDecodeError as error:
                read += error.pos - idx
                raise

        decoder.raw_decode = counted
        return decoder

    monkeypatch.setattr(json_text, "_decoder", counting)
    text = ENDLESS["beginnings with damage at the end"]
    with pytest.raises(InputError):
        parse_json(text, "x.json", is_graph)
    assert 0 < read < 12 * len(text)


PIECES = (
    *(
        "=== x",
        "percentile(",
        " ",
        "\t",
        "[I] ",
        "&&&& RUNNING TensorRT.trtexec ",
        "\x1b[",
        "\x1b]",
        "a:",
        "1.0 ",
    ),
    *(", mean = ", "=== Profile (1 iterations )", "Input build shape: x=1x", "   ", "\r", "[TRT] [TRT] "),
)


@pytest.mark.parametrize("piece", PIECES)
def test_a_log_of_anything_is_read_soon(piece):
    with processor_seconds(SECONDS_PER_MB / 4):
        read_trtexec_log(LOG + repeated(piece, MB // 8), "x.log")
        read_trtexec_log(LOG + repeated(f"{piece}\n[03/01/2025-10:00:03] [I] ", MB // 8), "x.log")


def lint_of(folder, *options):
    with pytest.raises(SystemExit) as ended:
        main.main(["lint", str(folder), "--isolated", "--fail-on", "never", *options])
    return ended.value.code


def test_names_without_end_are_looked_at_soon(capture):
    name = "{ForeignNode[a/" + repeated("...") + "b"
    folder = capture(
        graph={"Layers": [{**LAYER, "Name": name, "TacticName": repeated("_f16f16_")}]},
        log=LOG.replace("# trtexec", "# trtexec " + repeated("--memPoolSize=")),
    )
    with processor_seconds(4 * SECONDS_PER_MB):
        assert lint_of(folder) == 0


MANY_SHAPES = ",".join(f"a:{number}" for number in range(1, 9_000))


@pytest.mark.parametrize(
    "shapes",
    [*(repeated(each, MB // 16) for each in ("x", "a:", "1x", "+", "a:1+", "a:1,", "'")), MANY_SHAPES],
    ids=lambda text: text[:9],
)
def test_shapes_without_end_are_looked_at_soon(capture, shapes):
    command = f"# trtexec --shapes={shapes}"
    folder = capture(graph={"Layers": [LAYER]}, log=LOG.replace("# trtexec", command))
    with processor_seconds(SECONDS_PER_MB / 4):
        assert read_engine(folder).layers


def test_what_a_layer_made_of_many_says_of_its_ends():
    from trexreport.analyzer.rules.engine.trx902_myelin_regions import _inside

    class Layer:
        origins = ()

        def __init__(self, name):
            self.name = name

    assert _inside(Layer("{ForeignNode[a...b...c]}")) == {"First node": "a...b", "Last node": "c"}
    for name in ("{ForeignNode[...b]}", "{ForeignNode[a...]}", "{ForeignNode[ab]}", "{ForeignNode[a...b", ""):
        assert _inside(Layer(name)) == {}


def test_a_name_of_a_file_is_looked_at_soon(tmp_path):
    path = tmp_path / f"{'layer_info' * 22}x.graph.json"
    path.write_text(json.dumps({"Layers": [LAYER]}))
    with processor_seconds(SECONDS_PER_MB):
        assert [source.role for source in locate([path]).sources] == ["graph"]


@pytest.mark.parametrize(
    "name", ["layer_info", "layerinfo", "trt_engine_info", "_layers_", "layer_information", "graph", "engine"]
)
def test_a_generic_file_name_is_replaced_by_that_of_the_folder(tmp_path, name):
    (tmp_path / f"{name}.json").write_text(json.dumps({"Layers": [LAYER]}))
    assert locate([tmp_path / f"{name}.json"]).name == tmp_path.name


@pytest.mark.parametrize("is_closed", [True, False])
def test_a_report_of_beginnings_of_lists_is_refused_soon(is_closed):
    opening = '<script type="application/json" id="trexreport-inputs">'
    data = marks.REPORT_MARK + repeated(opening).encode() + b"</script>" * is_closed
    with processor_seconds(SECONDS_PER_MB / 4), pytest.raises(InputError):
        report_file.read_report(data, "x.html")


def test_thousands_of_equal_names_are_made_distinct_quickly():
    with processor_seconds(SECONDS_PER_MB / 4):
        names = file_names.distinct_names(["a"] * 30_000, taken=["3.A"])
    assert names[:3] == ["a", "2.a", "4.a"]
    assert len({name.casefold() for name in names}) == len(names)


def zipped(members) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return stream.getvalue()


def test_many_small_members_are_a_bomb_too():
    each = b"[" * (9 * MB)
    data = zipped([(f"{index}.json", each) for index in range(2)])
    with pytest.raises(InputError, match="unpacks to more than a capture can hold"):
        zip_file.read_zip(io.BytesIO(data), "x.tea")


def archive_of(sources, **changes) -> bytes:
    """Return an archive whose list says something else than trexreport wrote."""
    stream = io.BytesIO()
    write_archive(stream, ArchiveContents("x", sources))
    with zipfile.ZipFile(stream) as archive:
        members = {info.filename: archive.read(info) for info in archive.infolist()}
    manifest = json.loads(members[marks.ARCHIVE_LIST])
    for key, change in changes.items():
        manifest[key] = change(manifest[key])
    members[marks.ARCHIVE_LIST] = json.dumps(manifest).encode()
    return zipped(members.items())


GRAPH = Source("graph", "x.graph.json", json.dumps({"Layers": [LAYER]}).encode())


def test_an_archive_whose_members_are_a_bomb_together_is_refused(tmp_path):
    sources = [Source("log", f"{index}.log", b" " * (9 * MB)) for index in range(2)]
    path = tmp_path / "x.trexa"
    path.write_bytes(archive_of((GRAPH, *sources)))
    for read in (lambda: locate([path]), lambda: verify(path)):
        with pytest.raises(InputError, match="its members unpack to far more than it can hold"):
            read()


def test_an_archive_that_lists_a_file_again_and_again_is_refused(tmp_path):
    path = tmp_path / "x.trexa"
    path.write_bytes(archive_of((GRAPH,), files=lambda files: files * 2000))
    for read in (lambda: locate([path]), lambda: verify(path)):
        with pytest.raises(InputError, match="its list names a file twice"):
            read()


def pdf_of(streams) -> bytes:
    objects = [
        b"%d 0 obj << /Type /EmbeddedFile /Filter /FlateDecode /Length %d >>\nstream\n%s\nendstream\nendobj\n"
        % (number, len(packed), packed)
        for number, packed in enumerate(map(zlib.compress, streams), 1)
    ]
    return b"%PDF-1.7\n" + b"".join(objects)


@pytest.fixture
def unpacked(monkeypatch):
    """What is unpacked of PDFs, stream by stream."""
    unpacked = []
    content = pdf_file._content

    def counted(*arguments):
        unpacked.append(content(*arguments))
        return unpacked[-1]

    monkeypatch.setattr(pdf_file, "_content", counted)
    return unpacked


def test_a_pdf_unpacks_to_no_more_than_it_can_hold(unpacked):
    data = pdf_of([b" " * (7 * MB)] * 4)
    assert pdf_file.find_inputs(data, {"no such hash": 512 * MB}) == {}
    assert sum(map(len, unpacked)) == 16 * MB


def test_lists_of_inputs_that_are_none_are_unpacked_in_bounds(unpacked):
    endless = pdf_file.pack_manifest({})[:-1] + b" " * (5 * MB)
    assert pdf_file.find_manifest(pdf_of([endless] * 9)).startswith(b'{"generator"')
    assert sum(map(len, unpacked)) < 17 * MB
    assert pdf_file.find_inputs(pdf_of([b"abc"]), {Source("", "", b"abc").sha256: 3})


def report_of(packed_size: int) -> bytes:
    """Return a report that carries the given number of zero bytes."""
    source = Source("log", "x.log", bytes(packed_size))
    manifest = report_file.inputs_manifest("x", (source,))
    return (
        marks.REPORT_MARK
        + b'<script type="application/json" id="trexreport-inputs">%s</script>'
        % json.dumps(manifest).encode()
        + b'<script type="application/xz;base64" id="trexreport-input-0">%s</script>'
        % pack_input(source.data).encode()
    )


def test_a_report_unpacks_to_no_more_than_it_can_hold():
    assert report_file.read_report(report_of(MB), "x.html").sources[0].data == bytes(MB)
    with pytest.raises(InputError, match="no possible size"):
        report_file.read_report(report_of(17 * MB), "x.html")


def test_more_layers_tensors_and_records_than_any_engine_has_are_refused(monkeypatch):
    monkeypatch.setattr(graph_file, "MAX_LAYERS", 10)
    monkeypatch.setattr(graph_file, "_MOST_TENSORS", 20)
    monkeypatch.setattr(json_text, "_MOST_RECORDS", 100)
    layer = {**LAYER, "Inputs": [{}, {}]}
    assert len(read_graph(json.dumps({"Layers": [layer] * 10}), "x").layers) == 10
    for layers in ([layer] * 11, [{**layer, "Outputs": [{}]}] * 10, ["a"] * 11, [{"Constants": [{}] * 21}]):
        with pytest.raises(InputError, match="more layers or tensors than an engine can"):
            read_graph(json.dumps({"Layers": layers}), "x")
    with pytest.raises(InputError, match="more than an engine's file can"):
        read_graph(json.dumps([*["a"] * 5, *[[]] * 101]), "x")


@pytest.mark.parametrize(
    "text", ["latency_s\n1e308\n", "latency_ms\n1\n1e300\n", "latency_ns\n5e-324\n", "time_ms\n0\n"]
)
def test_times_that_nothing_takes_are_refused(tmp_path, text):
    path = tmp_path / "times.csv"
    path.write_text(text)
    with pytest.raises(InputError, match="of its times number"):
        read_latencies([f"PyTorch={path}"])
    with pytest.raises(TrexReportError, match="not a time that anything takes"):
        read_latencies(["PyTorch=1e300ms"])


def test_a_manifest_of_nothing_but_brackets_says_nothing(tmp_path):
    path = tmp_path / "m.engine.capture.json"
    path.write_text("[" * 100_000)
    assert _fact(path, "engine", "sha256") is None


def test_the_limit_holds():
    with pytest.raises(AssertionError, match="processor's time"), processor_seconds(0.05):
        sum(1 for _ in range(10**10))


def test_a_carried_file_whose_name_no_system_takes():
    page = report_of(1).replace(b"x.log", b"\\ud800")
    assert report_file.read_report(page, "x.html").sources[0].name == "\ufffd"
