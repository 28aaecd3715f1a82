"""The PDF as its readers see it: pages, bookmarks, tags, attached files; the same bytes every time."""

from __future__ import annotations

import builtins
import hashlib
import html
import io
import os
import re
import shutil
import socket
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from graph_plans import analysis_of, chain, decoder
from site_captures import write_capture

from trexreport.analyzer import analyze
from trexreport.errors import MissingToolError
from trexreport.model import Source
from trexreport.reader import assemble, read_engine
from trexreport.reader.capture import Capture
from trexreport.reader.report_file import read_report
from trexreport.renderer.pdf import check_pdf_tools, render_pdf
from trexreport.renderer.pdf.attachments import attached_inputs
from trexreport.renderer.pdf.graph_pages import graph_pages
from trexreport.renderer.pdf.report import report_page
from trexreport.renderer.pdf.writer import Drawings, write_pdf
from trexreport.visible import visible
from trexreport.wording.sections import section_sentence

SAMPLES = Path(__file__).parents[3] / "samples"
BEFORE = SAMPLES / "resnet18-int8-before"
SECTIONS = (
    "Findings",
    "Graph",
    "Latency",
    "Layers",
    "Precision",
    "Memory",
    "Roofline",
    "Reformats",
    "Timing",
    "Build options and device",
    "Input warnings",
    "Provenance",
    "Appendix A: complete graph",
    "Appendix B: all layers",
)
HOSTILE = [
    "</pre></section><img src=x onerror=alert(1)>",
    "{{7*7}}{% raw %}",
    '"><a href="http://example.org">',
    "<!--",
    "]]>",
    "\u202egnp.exe",
    "a\0b\x1b[31m",
    "\u2028\u2029",
    "\ud800",
    "x" * 100_000,
    "שכבת קונבולוציה/12",
    "طبقة الالتفاف 7",
    "卷积层/块.3/注意力",
    "🧠 conv",
    "e\u0301" * 50,
]

SVG = "http://www.w3.org/2000/svg"

pypdf = pytest.importorskip("pypdf")


@pytest.fixture(scope="module", autouse=True)
def _pango():
    try:
        check_pdf_tools()
    except MissingToolError as error:
        pytest.skip(str(error))


def rendered(path):
    engine = read_engine(path)
    return render_pdf(analyze(engine), engine.sources)


@pytest.fixture(scope="module")
def data():
    return rendered(BEFORE)


@pytest.fixture(scope="module")
def document(data):
    return pypdf.PdfReader(io.BytesIO(data))


@pytest.fixture(scope="module")
def texts(document):
    return [page.extract_text() for page in document.pages]


def outline(items, depth=0):
    for item in items:
        if isinstance(item, list):
            yield from outline(item, depth + 1)
        else:
            yield depth, item.title


def objects(document, kind, value):
    found = []
    for number in range(1, document.trailer["/Size"]):
        held = document.get_object(number)
        if isinstance(held, dict) and held.get(kind) == value:
            found.append(held)
    return found


def test_every_section_has_a_bookmark_and_findings_have_theirs_inside(document):
    marks = list(outline(document.outline))
    assert tuple(title for depth, title in marks if depth == 0) == SECTIONS
    analysis = analyze(read_engine(BEFORE))
    first = next(place for place, mark in enumerate(marks) if mark == (0, "Findings"))
    inside = [
        title for depth, title in marks[first + 1 : first + 1 + len(analysis.lint.findings)] if depth == 1
    ]
    assert len(inside) == len(analysis.lint.findings)
    assert any("Layers 0 to 36" in title for depth, title in marks if depth == 1)


def test_the_cover_answers_what_how_fast_where_and_what_to_do(texts):
    analysis = analyze(read_engine(BEFORE))
    cover = " ".join(texts[0].split())
    for words in (analysis.identity.name, analysis.identity.gpu, "Median latency", "Throughput"):
        assert words in cover
    assert "Time breakdown" in cover
    assert "Top findings" in cover
    assert analysis.lint.findings[0].message[:30] in cover
    assert " ".join(section_sentence(analysis, "latency").split())[:40] in cover


def test_the_contents_list_every_section(texts):
    cover = " ".join(texts[0].split())
    files = len(list(BEFORE.iterdir()))
    for words in ("1 input and 1 output; device, model", f"{files} files, attached to this PDF."):
        assert words in cover


def test_pages_are_numbered_and_headed(document, texts):
    count = len(document.pages)
    for number, text in enumerate(texts, 1):
        assert f"{number} of {count}" in text
    assert all("resnet18-int8-before" in text for text in texts)
    # Findings go on over several pages, and only the first has the heading itself.
    assert texts[1].count("Findings") == 2
    assert texts[2].count("Findings") == 1


def test_the_contents_name_the_right_pages(document, texts):
    places = {
        item.title: document.get_destination_page_number(item) + 1
        for item in document.outline
        if not isinstance(item, list)
    }
    contents = texts[0][texts[0].index("Summary") :]
    assert places
    for title, page in places.items():
        words = title.split(":")[0]
        line = contents[contents.index(f"\n{words}") :]
        assert re.match(rf"\n{words}(?s:.)*?\D{page}(\n|$)", line), title


def test_it_is_tagged_and_says_its_language(document):
    root = document.trailer["/Root"]
    assert root["/Lang"] == "en"
    assert root["/MarkInfo"]["/Marked"]
    assert root["/ViewerPreferences"]["/DisplayDocTitle"]
    figures = objects(document, "/S", "/Figure")
    assert len(figures) > 12
    assert all(len(str(figure["/Alt"])) > 10 for figure in figures)
    for kind in ("/H2", "/H3", "/Table", "/TH", "/P", "/Sect"):
        assert objects(document, "/S", kind), kind


def test_it_says_that_it_is_an_archive(document):
    metadata = document.trailer["/Root"]["/Metadata"].get_object().get_data()
    assert b'pdfaid:part="3"' in metadata
    assert b'pdfaid:conformance="B"' in metadata
    assert document.trailer["/Root"]["/OutputIntents"]
    assert not objects(document, "/S", "/JavaScript")
    fonts = objects(document, "/Type", "/FontDescriptor")
    assert fonts
    assert all(any(key.startswith("/FontFile") for key in font) for font in fonts)


def test_it_carries_its_inputs(document, data):
    carried = {name: contents[0] for name, contents in document.attachments.items()}
    assert carried.pop("trexreport.inputs.json").startswith(b'{"generator":"trexreport"')
    assert carried == {path.name: path.read_bytes() for path in BEFORE.iterdir()}
    associated = document.trailer["/Root"]["/AF"]
    assert len(associated) == len(carried) + 1
    assert all(each.get_object()["/AFRelationship"] == "/Source" for each in associated)
    assert read_report(data, "r.pdf").sources == read_engine(BEFORE).sources


def test_inputs_are_found_after_another_program_has_saved_the_file_again(data):
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(data))
    writer.compress_identical_objects()
    again = io.BytesIO()
    writer.write(again)
    assert again.getvalue() != data
    assert read_report(again.getvalue(), "r.pdf").sources == read_engine(BEFORE).sources


def test_equal_names_of_inputs_become_different_names_of_attachments():
    sources = [
        Source("log", "x.log", b"1"),
        Source("log", "X.log", b"2"),
        Source("log", "trexreport.inputs.json", b""),
    ]
    analysis = analysis_of([])
    names = [each.name for each in attached_inputs(analysis, sources)]
    assert names == ["x.log", "2.X.log", "2.trexreport.inputs.json", "trexreport.inputs.json"]


def test_the_same_inputs_give_the_same_bytes_in_every_process(tmp_path):
    capture = write_capture(tmp_path / "net")
    script = (
        "import sys, hashlib\n"
        "from trexreport.analyzer import analyze\n"
        "from trexreport.reader import read_engine\n"
        "from trexreport.renderer.pdf import render_pdf\n"
        "engine = read_engine(sys.argv[1])\n"
        "print(hashlib.sha256(render_pdf(analyze(engine), engine.sources)).hexdigest())"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo", "LC_ALL": "C"}
    environment.pop("SOURCE_DATE_EPOCH", None)
    made = subprocess.run(
        [sys.executable, "-c", script, str(capture)],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert made.stdout.strip() == hashlib.sha256(rendered(capture)).hexdigest()


@pytest.mark.parametrize(
    ("epoch", "date"),
    [
        ("1700000000", "D:20231114221320"),
        ("", "D:19800101000000"),
        ("soon", "D:19800101000000"),
        ("-1", "D:19800101000000"),
        ("99999999999999", "D:19800101000000"),
    ],
)
def test_dates_are_those_that_the_environment_states(monkeypatch, epoch, date):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", epoch)
    data = write_pdf("<html lang=en><title>x</title><p>x", Drawings(), attached_inputs(analysis_of([]), []))
    document = pypdf.PdfReader(io.BytesIO(data))
    assert document.metadata["/CreationDate"].startswith(date)
    assert document.metadata["/ModDate"].startswith(date)
    file = objects(document, "/Type", "/EmbeddedFile")[0]
    assert file["/Params"]["/CreationDate"].startswith(date)


def test_all_layers_are_in_the_appendix(texts):
    last = texts[-1]
    assert analyze(read_engine(BEFORE)).layers
    for layer in analyze(read_engine(BEFORE)).layers:
        assert layer.name[:30].replace(" ", "") in last.replace(" ", "")


def test_a_drawing_is_no_larger_than_its_page():
    analysis = analysis_of(decoder(12))
    drawings = Drawings()
    report_page(analysis, drawings, frozenset(), carries_inputs=False)
    assert drawings.contents
    for svg in drawings.contents.values():
        width, height = (
            float(re.search(rf'<svg[^>]* {name}="([\d.]+)"', svg.decode()).group(1))
            for name in ("width", "height")
        )
        assert width <= 1008
        assert height <= 900
        assert "<title>" not in svg.decode(), "paper has no tooltips"


def test_links_lead_to_places_that_exist():
    analysis = analyze(read_engine(BEFORE))
    page = report_page(analysis, Drawings(), frozenset(), carries_inputs=True)
    ids = set(re.findall(r' id="([^"]+)"', page))
    links = set(re.findall(r' href="#([^"]*)"', page))
    assert len(links) > 20
    # The links beside a finding and beside a heading are those of the screen; the style leaves them out.
    assert {link for link in links if link not in ids} <= {"overview"}


def test_a_large_engine_draws_a_part_and_says_so():
    analysis = analysis_of(decoder(150))
    page = report_page(analysis, Drawings(), frozenset(), carries_inputs=False)
    assert "those of the slowest blocks, and of repeated blocks only the first" in page
    assert "Appendix A: graph, in parts" in page
    assert page.count('class="lines"') == -(-len(analysis.layers) // 58)


def test_hostile_names_are_text_and_nothing_else(tmp_path):
    analysis = analysis_of(chain([name for name in HOSTILE for _ in range(2)]))
    data = render_pdf(analysis, [Source("log", "\u202e</x>\udc80.log", b"x")])
    document = pypdf.PdfReader(io.BytesIO(data))
    if shutil.which("pdftotext"):
        (tmp_path / "x.pdf").write_bytes(data)
        made = subprocess.run(["pdftotext", tmp_path / "x.pdf", "-"], capture_output=True, check=True)
        text = made.stdout.decode()
        for words in ("<img src=x onerror=alert(1)>", "{{7*7}}", "卷积层/块.3/注意力", "gnp.exe", "a␀b␛[31m"):
            assert words in text
        assert "\u202e" not in text
    for page in document.pages:
        for annotation in page.get("/Annots") or []:
            assert "/A" not in annotation.get_object(), "a link leads out of the document"
    assert read_report(data, "r.pdf").sources[0].data == b"x"


@pytest.mark.parametrize("content", [{}, {"graph": b'{"Layers": [], "Bindings": ["in"]}'}])
def test_an_engine_without_layers_has_a_report_too(content):
    log = b"[I] TensorRT version: 10.3.0\n[I] Selected Device: NVIDIA A100\n"
    sources = (Source("log", "x.log", log), *(Source(role, "g", each) for role, each in content.items()))
    analysis = analyze(assemble(Capture("e", sources)))
    document = pypdf.PdfReader(io.BytesIO(render_pdf(analysis, sources)))
    text = " ".join(" ".join(page.extract_text() for page in document.pages).split())
    assert "no layer information" in text
    assert "Appendix" not in text


def test_nothing_is_fetched(monkeypatch):
    def refuse(*arguments, **options):
        raise AssertionError("something was fetched")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    page = (
        '<html lang=en><title>x</title><link rel=stylesheet href="http://example.org/a.css">'
        '<link rel=attachment href="file:///etc/hostname">'
        '<p>text</p><img src="http://example.org/a.png" alt=a><img src="file:///etc/hostname" alt=b>'
    )
    document = pypdf.PdfReader(io.BytesIO(write_pdf(page, Drawings())))
    assert "text" in document.pages[0].extract_text()
    assert not document.attachments


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (
            OSError("cannot load library 'libpango-1.0-0': libpango-1.0-0: cannot open shared object file"),
            ["libpango-1.0-0 can't be loaded", "apt install libpango-1.0-0 libpangoft2-1.0-0", "report.html"],
        ),
        (OSError("broken"), ["a library of Pango can't be loaded", "apt install"]),
        (ImportError("No module named 'weasyprint'"), ["WeasyPrint", "pip install 'trexreport[pdf]'"]),
    ],
)
def test_what_is_missing_is_stated_in_one_line(monkeypatch, error, words):
    imported = builtins.__import__

    def fail(name, *arguments, **options):
        if name == "weasyprint":
            raise error
        return imported(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", fail)
    with pytest.raises(MissingToolError) as raised:
        render_pdf(analysis_of([]), [])
    assert "\n" not in str(raised.value)
    assert all(word in str(raised.value) for word in words)
    assert raised.value.exit_code == 4


def test_a_missing_library_is_reported_in_one_line_and_nothing_else():
    script = """if True:
        import sys
        import cffi
        load = cffi.FFI.dlopen
        def fail(self, name, *flags):
            if "pango" in str(name):
                raise OSError(f"cannot load library '{name}': no such file")
            return load(self, name, *flags)
        cffi.FFI.dlopen = fail
        from trexreport.cli import main
        main(["report", "nowhere", "-o", "-", "--format", "pdf"])
    """
    made = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert made.returncode == 4
    assert made.stdout == ""
    assert made.stderr.startswith("Error: PDF needs the libraries of Pango: ")
    assert made.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "name",
    [
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("a100-resnet18-qat", "controlnet-trt8.6")),
        "names-only-bert",
        "torchtrt-alexnet-runonacc",
    ],
)
def test_a_real_engine_has_a_pdf_that_gives_it_back(engines_folder, name):
    engine = read_engine(engines_folder / name)
    data = render_pdf(analyze(engine), engine.sources)
    assert read_report(data, "r.pdf").sources == engine.sources
    document = pypdf.PdfReader(io.BytesIO(data))
    assert document.outline[0].title == "Findings"
    drawn = name != "names-only-bert"
    titles = [mark[1] for mark in outline(document.outline)]
    assert any(title.startswith("Appendix A") and "graph" in title for title in titles) == drawn


def test_the_first_sheet_leaves_room_for_its_heading_and_speaks_of_nothing_that_paper_lacks():
    drawings = Drawings()
    pages = graph_pages(analysis_of(chain([f"conv{i}" for i in range(60)])), drawings)
    sheet, legend = (
        float(re.search(r'<svg[^>]* height="([\d.]+)"', drawings.contents[address].decode()).group(1))
        for address in (
            re.search('src="([^"]+)"', each).group(1)
            for each in (pages["sheet_drawings"][0], pages["legend"])
        )
    )
    assert sheet + legend <= 820
    assert not any(b"tooltip" in svg or b"click" in svg for svg in drawings.contents.values())


def _characters_of_every_category():
    """Return all characters that separate or control, and two of each other general category."""
    by_category = {}
    for character in map(chr, range(sys.maxunicode + 1)):
        by_category.setdefault(unicodedata.category(character), []).append(character)
    assert len(by_category) == 30
    return [
        character
        for category, characters in by_category.items()
        for character in (characters if category in ("Zs", "Zl", "Zp", "Cc") else characters[:2])
    ]


@pytest.mark.parametrize("style", ["width: 1em", "white-space: pre-wrap", "white-space: nowrap"])
def test_a_name_of_any_character_is_laid_out(style):
    names = [
        form.format(visible(character))
        for character in _characters_of_every_category()
        for form in ("{0}", "a {0} b", " {0}{0}")
    ]
    lines = "".join(f'<p style="{style}">{html.escape(name)}</p>' for name in names)
    drawings = Drawings()
    drawn = drawings.add(f'<svg xmlns="{SVG}" width="9" height="9"><text>a \u2029 b</text></svg>', "")
    page = f"<!DOCTYPE html><html lang=en><title>t</title>{lines}{drawn}"
    assert write_pdf(page, drawings).startswith(b"%PDF")


def test_names_break_between_their_parts():
    name = "/layer1/<wbr>layer1.0/<wbr>conv1/<wbr>_input_quantizer/<wbr>QuantizeLinear"
    style = "<style>a { overflow-wrap: anywhere } p { width: 5cm }</style>"
    page = f"<html lang=en><title>x</title>{style}<p><a href='#x'>{name}</a>"
    text = pypdf.PdfReader(io.BytesIO(write_pdf(page, Drawings()))).pages[0].extract_text()
    assert text.split() == ["/layer1/layer1.0/conv1/", "_input_quantizer/", "QuantizeLinear"]
