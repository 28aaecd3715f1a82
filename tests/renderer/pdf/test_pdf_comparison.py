"""The comparison as PDF: what it says, what it carries, and that it stays readable with many engines."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hostile_captures import hostile_capture
from site_captures import write_capture

from trexreport.analyzer import analyze
from trexreport.analyzer.comparison.compare import compare
from trexreport.errors import InputError, MissingToolError
from trexreport.model import ExternalLatency
from trexreport.reader import read_engine
from trexreport.reader.file_names import folder_names
from trexreport.reader.report_file import read_carried, read_report
from trexreport.renderer.comparison.html import render_comparison_html
from trexreport.renderer.pdf import check_pdf_tools, render_comparison_pdf
from trexreport.renderer.pdf.comparison import MAX_COLUMNS, comparison_page
from trexreport.renderer.pdf.writer import Drawings
from trexreport.wording.comparison import signed_ms, why
from trexreport.wording.verdict import reason_sentences

SAMPLES = Path(__file__).parents[3] / "samples"
BEFORE, AFTER = SAMPLES / "resnet18-int8-before", SAMPLES / "resnet18-int8-after"
SECTIONS = (
    "Breakdown of the difference",
    "Expected vs. measured speedup",
    "Aligned layers",
    "Key figures",
    "Operators and modules",
    "Precision and tactics",
    "Findings",
    "Graph",
    "Test conditions",
    "Provenance",
    "Appendix A: complete graph",
    "Appendix B: all rows, times in ms",
)

pypdf = pytest.importorskip("pypdf")


@pytest.fixture(scope="module", autouse=True)
def _pango():
    try:
        check_pdf_tools()
    except MissingToolError as error:
        pytest.skip(str(error))


def compared(*paths, others=(), **options):
    """The comparison of captures, their analyses and their inputs."""
    engines = [read_engine(path) for path in paths]
    return compared_engines(engines, others=others, **options)


def compared_engines(engines, others=(), **options):
    analyses = [analyze(engine) for engine in engines]
    comparison = compare(engines, analyses=analyses, others=others, **options)
    return comparison, analyses, [engine.sources for engine in engines]


def page_of(comparison, analyses, focus=None):
    return comparison_page(comparison, analyses, Drawings(), focus)


def flat(text):
    return " ".join(text.split())


def in_one_line(text):
    """The text without spaces and line breaks, which a PDF puts where lines wrap."""
    return re.sub(r"\s", "", text)


@pytest.fixture(scope="module")
def pair():
    return compared(BEFORE, AFTER)


@pytest.fixture(scope="module")
def data(pair):
    return render_comparison_pdf(*pair)


@pytest.fixture(scope="module")
def document(data):
    return pypdf.PdfReader(io.BytesIO(data))


@pytest.fixture(scope="module")
def texts(document):
    return [page.extract_text() for page in document.pages]


def test_every_section_has_a_bookmark_in_order(document):
    assert tuple(each.title for each in document.outline if not isinstance(each, list)) == SECTIONS


def test_the_cover_has_the_verdict_its_reason_and_its_cause(pair, texts):
    engine = pair[0].engines[1]
    cover = in_one_line(texts[0])
    assert engine.verdict.verdict == "faster"
    for words in ("faster", engine.name, *reason_sentences(engine.verdict), why(pair[0], 1)):
        assert in_one_line(words) in cover


def test_pages_are_numbered_headed_and_tagged(document, texts):
    assert len(texts) > 3
    for number, text in enumerate(texts, 1):
        assert f"{number} of {len(texts)}" in text
        assert "resnet18-int8-after vs. resnet18-int8-before" in flat(text)
    root = document.trailer["/Root"]
    assert root["/Lang"] == "en"
    assert root["/MarkInfo"]["/Marked"]
    assert b'pdfaid:part="3"' in root["/Metadata"].get_object().get_data()


def test_the_appendix_has_every_row_once(pair, texts):
    comparison = pair[0]
    lines = "".join(texts[next(at for at, text in enumerate(texts) if SECTIONS[-1] in flat(text)) :])
    numbers = [int(found) for found in re.findall(r"^ *(\d+) {2}", lines, re.MULTILINE)]
    assert numbers == list(range(len(comparison.rows)))
    for row in comparison.rows:
        assert in_one_line(signed_ms(row.sides[1].difference_ms)) in in_one_line(lines)


def test_links_lead_to_places_that_exist():
    comparison, analyses, _ = compared(BEFORE, AFTER)
    at, row = next(
        (at, row) for at, row in enumerate(comparison.rows) if all(side.members for side in row.sides)
    )
    sides = []
    for number, side in enumerate(row.sides):
        first = replace(side.members[0], precision=f"precision {number}")
        sides.append(replace(side, members=[first, *side.members[1:]]))
    comparison.rows[at] = replace(row, sides=sides)
    page = page_of(comparison, analyses)
    assert 'href="#lines-0"' in page, "of the row whose precisions differ"
    ids = set(re.findall(r' id="([^"]+)"', page))
    links = set(re.findall(r' href="#([^"]*)"', page))
    assert len(links) > 10
    assert {link for link in links if link not in ids} == set()


def test_it_says_what_the_page_says(pair):
    paper = flat(re.sub(r"<[^>]+>", " ", page_of(*pair[:2])))
    comparison, analyses, _ = pair
    html = render_comparison_html(comparison, analyses).decode()
    shown = re.search(r'<table class="figures-table[^>]*>.*?</table>', html, re.DOTALL).group()
    assert flat(re.sub(r"<[^>]+>", " ", shown)) in paper
    changes = (*comparison.engines[1].new_findings, *comparison.engines[1].resolved_findings)
    checked = [change.code for change in changes if change.checked]
    assert checked
    assert [code for code in checked if code not in paper] == []
    assert "click" not in paper


def test_it_carries_the_inputs_of_every_engine(document, data):
    carried, is_comparison = read_carried(data, "c.pdf")
    assert is_comparison
    assert [each.sources for each in carried] == [read_engine(path).sources for path in (BEFORE, AFTER)]
    assert len(document.attachments) == sum(len(each.sources) for each in carried) + 1
    assert not any("/" in name for name in document.attachments), "programs would have to make folders"


def test_it_is_no_input_itself_and_says_what_to_do(data):
    with pytest.raises(InputError, match="2 engines") as raised:
        read_report(data, "c.pdf")
    assert "trexreport extract c.pdf" in raised.value.hint


def test_engines_of_one_name_and_equal_files_are_kept_apart(tmp_path):
    capture = write_capture(tmp_path / "net")
    comparison, analyses, sources = compared(capture, capture, names=["CON", "con"])
    carried, _ = read_carried(render_comparison_pdf(comparison, analyses, sources), "c.pdf")
    assert [each.sources for each in carried] == [tuple(given) for given in sources]
    assert folder_names([each.name for each in carried]) == ["CON_", "2.con_"]


def test_the_same_engines_give_the_same_bytes(tmp_path):
    captures = [write_capture(tmp_path / f"{ms}", ms=ms) for ms in (1.0, 1.2)]
    one, other = (render_comparison_pdf(*compared(*captures)) for _ in range(2))
    assert one == other


def many(count):
    engine = read_engine(BEFORE)
    return compared_engines([replace(engine, name=f"engine number {at:02d}") for at in range(count)])


def test_of_many_engines_tables_have_a_few_columns_and_every_row():
    count = MAX_COLUMNS + 3
    comparison, analyses, _ = many(count)
    page = page_of(comparison, analyses, focus=count - 1)
    heads = [re.findall(r"engine number \d\d", head) for head in re.findall(r"<thead>.*?</thead>", page)]
    assert max(map(len, heads)) == MAX_COLUMNS
    assert any(f"engine number {count - 1:02d}" in head for head in heads)
    figures = re.search(r'<table class="figures-table[^>]*>.*?</table>', page, re.DOTALL).group()
    assert len(re.findall(r"engine number", figures)) == count
    assert f"The HTML report has all {count}." in page
    assert "The page in HTML" not in page_of(*many(MAX_COLUMNS)[:2])


def test_the_blocks_that_differ_most_are_drawn_of_a_large_engine(monkeypatch):
    monkeypatch.setattr("trexreport.renderer.pdf.graph_pages._MAX_DRAWN_LAYERS", 10)
    comparison, analyses, _ = compared(BEFORE, AFTER)
    page = page_of(comparison, analyses)
    assert "those of the blocks whose times differ most" in page
    assert "Appendix A: graph, in parts" in page
    monkeypatch.undo()
    assert "Appendix A: complete graph" in page_of(comparison, analyses)


def test_the_contents_list_files_and_of_a_graph_without_blocks():
    comparison, analyses, sources = compared(BEFORE, AFTER)
    count = sum(map(len, sources))
    page = comparison_page(comparison, analyses, Drawings(), files=count)
    assert f"{count} files, attached to this PDF." in page
    assert "trexreport extract compare.pdf" in page
    assert "attached to this PDF" not in page_of(comparison, analyses)
    assert "trexreport extract compare.pdf" not in page_of(comparison, analyses)


def test_rows_that_only_engines_without_a_column_have_are_left_out():
    engine = read_engine(BEFORE)
    other = read_engine(SAMPLES / "transformer-trt10-myelin")
    engines = [replace(engine, name=f"e{at}") for at in range(MAX_COLUMNS)] + [other]
    comparison, analyses, _ = compared_engines(engines)
    page = page_of(comparison, analyses)
    lines = [line for text in re.findall(r"<pre>(.*?)</pre>", page, re.DOTALL) for line in text.split("\n")]
    wanted = [row for row in comparison.rows if any(side.members for side in row.sides[:MAX_COLUMNS])]
    assert 0 < len(wanted) < len(comparison.rows)
    assert len(lines) == len(wanted)


def test_one_engine_against_what_is_none():
    eager = ExternalLatency("PyTorch eager", ((12.3,),))
    page = page_of(*compared(BEFORE, others=[eager])[:2])
    assert "PyTorch eager" in page
    assert re.findall(r'<section id="([^"]+)"', page) == ["overview", "figures", "provenance"]
    assert "Appendix" not in page
    contents = page.split('<section id="figures"')[0]
    assert [name for name in SECTIONS if name in contents] == ["Key figures", "Provenance"]


HOSTILE = [
    "</pre></section><img src=x onerror=alert(1)>",
    '"><a href="http://example.org">',
    "{{7*7}}",
    "\u202egnp.exe\ud800",
    "../../etc/passwd",
    "x" * 5000,
    "卷积层/块.3/注意力",
]


def test_hostile_names_are_text_and_nothing_else(tmp_path):
    captures = [hostile_capture(tmp_path / str(at), text) for at, text in enumerate(HOSTILE)]
    given = compared(*captures, names=[text[:300] for text in HOSTILE])
    data = render_comparison_pdf(*given)
    document = pypdf.PdfReader(io.BytesIO(data))
    for page in document.pages:
        for annotation in page.get("/Annots") or []:
            assert "/A" not in annotation.get_object(), "a link leads out of the document"
    shown = page_of(*given[:2])
    assert "<img src=x" not in shown
    for words in ("&lt;img src=x onerror=alert(1)&gt;", "{{7*7}}", "../../etc/passwd", "卷积层"):
        assert words in shown
    carried, _ = read_carried(data, "c.pdf")
    assert [each.sources for each in carried] == [tuple(sources) for sources in given[2]]
    folders = folder_names([each.name for each in carried])
    assert all(re.fullmatch(r"[\w()+=@,-][\w.()+=@,-]*", folder) for folder in folders)
    assert len(set(folders)) == len(HOSTILE)


@pytest.mark.parametrize(
    "names",
    [
        pytest.param(("a100-resnet18-fp16", "a100-resnet18-qat"), marks=pytest.mark.slow),
        ("names-only-bert", "names-only-bert"),
        pytest.param(("controlnet-trt8.6", "thor-driving-transformer-trt10"), marks=pytest.mark.slow),
    ],
)
def test_real_engines_have_a_pdf_that_gives_them_back(engines_folder, names):
    given = compared(*(engines_folder / name for name in names))
    data = render_comparison_pdf(*given)
    assert [each.sources for each in read_carried(data, "c.pdf")[0]] == [tuple(each) for each in given[2]]
