"""Whatever the files and settings contain, each format holds texts and nothing that acts."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from xml.etree import ElementTree as ET

import pydot
import pytest
from click.testing import CliRunner
from hostile_corpus import CLEAN, STRINGS, as_file_name, settings, write_capture
from output_parsers import (
    Inventory,
    active_markdown,
    csv_rows,
    is_formula,
    json_texts,
    mail_parts,
    markdown_shape,
    mentions,
    pdf_actions,
    policy_problems,
    strict_json,
    terminal_orders,
    xml_kinds,
)

from trexreport.cli import main

BEFORE, AFTER = "resnet18-int8-before", "resnet18-int8-after"
#: What a name that is longer or shorter than the harmless one may bring or take.
BY_LENGTH = {("a", "title"), ("span", "title"), ("code", "class"), ("td", "class")}
#: Formats of `check` that are files to the ends of their names; what is for GitHub is printed only.
CHECK_FILES = {"text": "txt", "json": "json", "sarif": "sarif", "junit": "xml", "markdown": "md"}
#: Names of the command line: no line of a shell holds a NUL, and "=" ends the name of a latency.
NAMES = [text.replace("\0", "") for text in STRINGS[::29]]


class World:
    """Two captures and a configuration in which all texts are of one kind, and what commands make of them."""

    def __init__(self, folder, texts, *, everything, every):
        self.folder = folder
        names = (
            ["<img src=x onerror=hx()>'\"&\u202e", "=1+1|[x](javascript:hx())"] if texts is STRINGS else "xy"
        )
        self.stems = [as_file_name(name) for name in names]
        self.captures = [
            write_capture(folder / stem, texts, sample=sample, everything=everything, stem=stem)
            for stem, sample in zip(self.stems, (BEFORE, AFTER), strict=True)
        ]
        self.settings = folder / "trexreport.toml"
        self.settings.write_text(settings(texts[::every]), "utf-8")
        self._made = {}

    def run(self, *arguments, codes=(0,)):
        key = tuple(map(str, arguments))
        if key not in self._made:
            result = CliRunner().invoke(main, list(key))
            assert result.exit_code in codes, result.output
            self._made[key] = result
        return self._made[key]

    def write(self, command, ending, *arguments, codes=(0,)):
        """Return what a command writes into a file of this ending."""
        path = self.folder / f"{command}.{ending}"
        if not path.exists():
            self.run(command, *arguments, "-o", path, codes=codes)
        return path.read_bytes()

    def report(self, ending, *more):
        return self.write("report", ending, self.captures[0], "--config", self.settings, "-q", *more)

    def lint(self, kind):
        return self.run(
            "lint", self.captures[0], "--config", self.settings, "--format", kind, codes=(0, 1)
        ).stdout

    def check(self, kind):
        about = (self.captures[0], "--baseline", self.captures[1], "--budget", self.settings)
        if kind not in CHECK_FILES:
            return self.run("check", *about, "--format", kind, codes=(0, 1)).stdout
        # One run writes all files: judging this budget takes most of the time.
        files = {each: self.folder / f"check.{ending}" for each, ending in CHECK_FILES.items()}
        if not files[kind].exists():
            outputs = (part for path in files.values() for part in ("-o", path))
            self.run("check", *about, *outputs, codes=(0, 1))
        return files[kind].read_text("utf-8")

    def compare(self, ending):
        latencies = (
            part for name in NAMES[:4] for part in ("--baseline-latency", f"{name.replace('=', ' ')}=12ms")
        )
        return self.write("compare", ending, *self.captures, *latencies)


@pytest.fixture(
    scope="module", params=["names", "everything", pytest.param("settings", marks=pytest.mark.slow)]
)
def worlds(request, tmp_path_factory):
    """The hostile world and the harmless one of the same shape."""
    everything = request.param == "everything"
    # All of them in one budget take a while to be judged.
    every = 1 if request.param == "settings" else 6
    folder = tmp_path_factory.mktemp(request.param)
    return [
        World(folder / name, texts, everything=everything, every=every)
        for name, texts in (("bad", STRINGS), ("good", CLEAN))
    ]


def assert_same_markup(pages, *, also=frozenset()):
    bad, good = (Inventory(page.decode("utf-8")) for page in pages)
    assert bad.active == []
    assert bad.kinds - good.kinds <= BY_LENGTH | also
    assert bad.comments == good.comments
    for tag in (
        "script",
        "style",
        "meta",
        "link",
        "base",
        "form",
        "dialog",
        "section",
        "h2",
        "input",
        "button",
    ):
        assert bad.counts.get(tag) == good.counts.get(tag), tag


def test_a_report_has_the_markup_of_a_harmless_one(worlds):
    assert_same_markup([world.report("html", "--charts", "static") for world in worlds])


def test_a_comparison_has_the_markup_of_a_harmless_one(worlds):
    assert_same_markup([world.compare("html") for world in worlds])


def test_the_policy_of_each_page_allows_its_own_texts_and_nothing_else(worlds, tmp_path):
    world = worlds[0]
    pages = [world.report("html", "--charts", "static").decode(), world.compare("html").decode()]
    world.run("report", world.captures[0], "-o", tmp_path / "x.html", "-q")
    world.run("site", world.folder, "-o", tmp_path / "site", "-q", "--compare", "previous", "--jobs", "1")
    files = [tmp_path / "x.html", *(tmp_path / "site").rglob("*.html")]
    assert len(files) > 5
    for page in (*pages, *(path.read_text("utf-8") for path in files)):
        assert policy_problems(page) == []
        assert "style" not in {name for _, name in Inventory(page).kinds}


def test_a_drawing_is_xml_with_the_markup_of_a_harmless_one(worlds):
    bad, good = (
        xml_kinds(world.write("draw", "svg", world.captures[0], "--edge-text", "shape,format"))
        for world in worlds
    )
    assert bad <= good
    root = ET.fromstring(worlds[0].write("draw", "svg"))  # noqa: S314 - our own output
    links = {value for each in root.iter() for name, value in each.attrib.items() if name.endswith("href")}
    assert links
    assert [link for link in links if not link.startswith("#")] == []


def test_dot_has_as_many_nodes_and_edges_as_a_harmless_one(worlds):
    bad, good = (world.write("draw", "dot", world.captures[0]) for world in worlds)
    assert not {b"URL=", b"href="} & set(bad.split())
    if shutil.which("dot"):
        drawn = [
            subprocess.run(["dot", "-Tplain"], input=each, capture_output=True, check=True)
            for each in (bad, good)
        ]
        bad_lines, good_lines = (
            [line.split()[0] for line in each.stdout.splitlines() if line] for each in drawn
        )
        assert {kind: bad_lines.count(kind) for kind in (b"node", b"edge")} == {
            kind: good_lines.count(kind) for kind in (b"node", b"edge")
        }
    else:
        (graph,) = pydot.graph_from_dot_data(bad.decode("utf-8"))
        assert graph.get_nodes()


OF_GITHUB = re.compile(r"Generated by |::(error|warning|notice) (file=[^,:\s][^,:]*,line=\d+,)?title=")


@pytest.mark.parametrize("make", [World.lint, World.check], ids=["lint", "check"])
def test_findings_and_budgets_act_nowhere(worlds, make):
    bad, good = worlds
    source, harmless = make(bad, "markdown"), make(good, "markdown")
    assert active_markdown(source) == []
    assert mentions(source) == []
    assert markdown_shape(source)["table_open"] == markdown_shape(harmless)["table_open"]
    assert xml_kinds(make(bad, "junit").encode()) <= xml_kinds(make(good, "junit").encode())
    for kind in ("json", "sarif"):
        text = make(bad, kind)
        assert text.isascii()
        strict_json(text.encode())
    assert terminal_orders(make(bad, "text")) == set()
    lines = make(bad, "github").splitlines()
    assert len(lines) > 1
    for line in lines:
        assert OF_GITHUB.match(line), line
        assert terminal_orders(line) == set()


@pytest.mark.parametrize("make", [World.lint, World.check], ids=["lint", "check"])
def test_sarif_is_valid(worlds, make):
    errors = pytest.importorskip("sarif_kit.validate").validation_errors
    assert errors(json.loads(make(worlds[0], "sarif"))) == []


def test_markdown_of_reports_and_comparisons_is_text(worlds):
    for bad, good in (
        [world.report("md") for world in worlds],
        [world.compare("md") for world in worlds],
    ):
        assert active_markdown(bad.decode()) == []
        assert mentions(bad.decode()) == []
        assert terminal_orders(bad.decode()) == set()
        assert markdown_shape(bad.decode())["heading_open"] == markdown_shape(good.decode())["heading_open"]


def test_json_is_json(worlds):
    world = worlds[0]
    for data in (
        world.report("json"),
        world.compare("json"),
        world.run("summary", world.captures[0], "--json").stdout.encode(),
        world.write("export", "json", world.captures[0]),
    ):
        assert data.isascii()
        assert any("onerror=hx()" in text for text in json_texts(strict_json(data)))


def test_tables_hold_no_formula(worlds):
    openpyxl = pytest.importorskip("openpyxl")
    world = worlds[0]
    rows = csv_rows(world.write("export", "csv", world.captures[0]))
    assert len(rows) == len(csv_rows(worlds[1].write("export", "csv", worlds[1].captures[0])))
    assert [cell for row in rows[1:] for cell in row if is_formula(cell)] == []
    world.write("export", "xlsx", world.captures[0])
    book = openpyxl.load_workbook(world.folder / "export.xlsx")
    kinds = {cell.data_type for sheet in book for row in sheet.iter_rows() for cell in row}
    assert kinds <= {"s", "n", "inlineStr"}


def test_a_terminal_gets_no_orders(worlds):
    world = worlds[0]
    for result in (
        world.run("summary", world.captures[0], "--config", world.settings),
        world.run("lint", world.captures[0], "--config", world.settings, "--verbose", codes=(0, 1)),
        world.run("check", world.captures[0], "--budget", world.settings, "--suggest"),
        world.run("report", world.captures[0], "-o", world.folder / "again.md", "--config", world.settings),
        world.run("compare", *world.captures),
    ):
        assert terminal_orders(result.output) == set()


# The names are in the PDF of all texts, too.
@pytest.mark.parametrize(
    "worlds",
    ["everything", *(pytest.param(each, marks=pytest.mark.slow) for each in ("names", "settings"))],
    indirect=True,
)
def test_a_pdf_does_nothing(worlds):
    assert pdf_actions(worlds[0].report("pdf")) == set()


def test_a_mail_has_the_headers_and_the_markup_of_a_harmless_one(worlds):
    mails = []
    for world in worlds:
        path = world.folder / "x.eml"
        if not path.exists():
            about = ("--to", "a@example.org", "--from", "b@example.org", "--config", world.settings)
            world.run("mail", world.captures[0], *about, "--eml", path)
        mails.append(mail_parts(path.read_bytes()))
    (bad, text, html), (good, _, harmless) = mails
    assert set(bad) == set(good)
    assert {bad["To"], bad["From"]} == {"a@example.org", "b@example.org"}
    assert terminal_orders(text.replace("\r\n", "\n")) == set()
    inventories = [Inventory(each) for each in (html, harmless)]
    assert inventories[0].active == []
    # A long name has a line of its own.
    assert inventories[0].kinds <= inventories[1].kinds | {("td", "colspan")}


def test_names_and_titles_of_the_command_line_are_texts(worlds, tmp_path):
    if worlds[0].folder.parent.name.startswith("everything"):
        pytest.skip("the command line is the same")
    folder = worlds[1].captures[0]
    plain = xml_kinds(worlds[1].write("draw", "svg", folder))
    for number, name in enumerate(NAMES):
        path = tmp_path / f"{number}.svg"
        worlds[1].run("draw", folder, "--name", name, "-o", path)
        assert xml_kinds(path.read_bytes()) <= plain
    page = tmp_path / "x.html"
    worlds[1].run("report", folder, "--name", NAMES[0], "--charts", "static", "-o", page, "-q")
    assert Inventory(page.read_text("utf-8")).active == []
