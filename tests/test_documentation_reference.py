"""The reference pages list what exists: panels, errors, TREx's names, commands, decisions."""

from __future__ import annotations

import importlib.util
import inspect
import json
import re
from html import unescape
from pathlib import Path
from typing import get_args

import pytest
from click.testing import CliRunner

import trexreport
from trexreport.cli import main

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
SAMPLES = sorted(path.parent for path in (ROOT / "samples").glob("*/*.graph.json"))


#: Headings of the second level that are parts of the overview.
_FIRST_SCREEN = ("Top findings", "Slowest parts")


def page(name):
    return (DOCS / f"{name}.md").read_text("utf-8")


def headings(name):
    """Return level and text of each heading of a page."""
    return [(len(marks), text) for marks, text in re.findall(r"^(#+) (.*)$", page(name), re.MULTILINE)]


def titles_of(html):
    """Return (level, title) of what has a heading in a page: sections 2, panels and charts 3."""
    html = re.sub(r"<(script|dialog)\b.*?</\1>", "", html, flags=re.DOTALL)
    found = []
    for tag, content in re.findall(r"<(h2|h3|figcaption)\b[^>]*>(.*?)</\1>", html, re.DOTALL):
        title = " ".join(unescape(re.sub(r"<a .*?</a>|<[^>]*>", "", content, flags=re.DOTALL)).split())
        found.append((2 if tag == "h2" else 3, title))
    return found


def static_titles(templates, sources):
    """Return all titles in templates and in the sources of charts."""
    found = set()
    for template in templates:
        found.update(re.findall(r"<h3[^>]*>([^<{]+)<", template.read_text("utf-8")))
    for source in sources:
        text = source.read_text("utf-8")
        found.update(re.findall(r'Chart\(\s*"[\w-]+",\s*"\w+",\s*"([^"]+)"', text))
        found.update(re.findall(r'_over_time\(\s*[\w.]+, "([^"]+)"', text))
    return {unescape(title.replace("’", "'")) for title in found}


def documented(name):
    """Return a function that says whether a page has a heading for a title; "…" matches anything."""
    known = [re.compile(re.escape(text).replace("…", ".+")) for _, text in headings(name)]
    return lambda title: any(each.fullmatch(title.replace("’", "'")) for each in known)


def missing(name, titles):
    is_documented = documented(name)
    return sorted(title for title in titles if not is_documented(title))


def write(tmp_path, *arguments):
    path = tmp_path / "page.html"
    result = CliRunner().invoke(main, [*map(str, arguments), "-o", str(path)])
    assert result.exit_code == 0, result.output
    return path.read_text("utf-8")


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.name)
def test_every_panel_of_a_report_is_documented(sample, tmp_path):
    found = titles_of(write(tmp_path, "report", sample, "--charts", "static", "--isolated"))
    assert len(found) > 20
    assert missing("panels", {title for _, title in found}) == []
    sections = [title for level, title in found if level == 2 and title not in _FIRST_SCREEN]
    documented = [text for level, text in headings("panels") if level == 2]
    # The samples have no model, no verbose log, no trace and no file of another producer.
    for without in ("ONNX model", "Execution providers", "Kernels", "Accuracy", "Tactics"):
        documented.remove(without)
    assert documented == ["Overview", *sections]


def test_every_panel_of_a_comparison_is_documented(tmp_path):
    before, after, other = (
        ROOT / "samples" / name for name in ("resnet18-int8-before", "resnet18-int8-after", "detector-trt11")
    )
    found = titles_of(write(tmp_path, "compare", before, after, "--baseline-latency", "PyTorch=12ms"))
    more = titles_of(write(tmp_path, "compare", before, after, other))
    assert missing("comparison-panels", {title for _, title in (*found, *more)}) == []
    sections = [title for level, title in found if level == 2 and title != "External latencies"]
    documented = [text for level, text in headings("comparison-panels") if level == 2]
    assert documented == ["Verdict", *sections]


def test_every_cause_of_a_difference_is_documented():
    from trexreport.analyzer.analysis.compared_rows import HELPERS, Cause

    (text,) = re.findall(r"^### By cause\n(.*?)^### ", page("comparison-panels"), re.DOTALL | re.MULTILINE)
    named = re.findall(r"\*([^*]+)\*", text)
    listed = [*named[: named.index("same layers faster") + 1], "same layers slower", "same layers unchanged"]
    helpers, changes = named[named.index("reformats") :][:3], named[-5:]
    assert tuple(helpers) == HELPERS
    assert (*listed, *(f"{helper} {change}" for helper in helpers for change in changes)) == get_args(Cause)


def test_panels_that_no_sample_has_are_documented():
    templates, charts = ROOT / "templates", ROOT / "trexreport" / "renderer"
    of_reports = static_titles(
        sorted(templates.glob("*.j2")), sorted((charts / "charts" / "catalog").glob("*.py"))
    )
    assert {
        "GPU during the measurement",
        "GPU clocks",
        "Iteration times of the slowest layers",
    } <= of_reports
    assert missing("panels", of_reports) == []
    of_comparisons = static_titles(
        sorted((templates / "comparison").glob("*.j2")), sorted((charts / "comparison").glob("*.py"))
    )
    assert {"By module", "Time per item, by batch"} <= of_comparisons
    assert missing("comparison-panels", of_comparisons) == []


def test_a_panel_that_is_without_a_heading_is_found():
    assert missing("panels", {"Roofline of A100", "Where the wind blows"}) == ["Where the wind blows"]


def test_the_errors_that_are_explained_exist():
    sources = "\n".join(
        path.read_text("utf-8")
        for folder in ("trexreport", "templates")
        for path in sorted((ROOT / folder).rglob("*.*"))
        if path.suffix in {".py", ".j2"}
    )
    sources = re.sub(r'"\s*\n\s*f?"', "", sources)
    (table,) = re.findall(r"^## Error messages\n(.*?)^## ", page("troubleshooting"), re.DOTALL | re.MULTILINE)
    stated = re.findall(r'^\| "([^"]+)" \|', table, re.MULTILINE)
    assert len(stated) > 12
    pieces = sources.replace("{source.role}", "profile")
    assert [text for text in stated if text not in pieces] == []


def section(text, heading):
    """Return what is below a heading."""
    (found,) = re.findall(rf"^## {heading}\n(.*?)^## ", text, re.DOTALL | re.MULTILINE)
    return found


def test_the_names_of_trex_have_those_counterparts():
    text = page("from-trex")
    public = re.findall(r"`trexreport\.(\w+)`", text)
    assert public
    assert set(public) <= {*trexreport.__all__, "trex"}
    from trexreport import trex

    modules = re.findall(
        r"`(\w+)`", "".join(re.findall(r"^\| (`.*?) \|", section(text, "Modules"), re.MULTILINE))
    )
    assert set(modules) == trex._MODULES
    before = ROOT / "samples" / "resnet18-int8-before" / "resnet18-int8-before.engine"
    plan = trexreport.EnginePlan(f"{before}.graph.json", f"{before}.profile.json")
    used = re.findall(r"`plan\.(\w+)", text)
    assert used
    assert [name for name in used if not hasattr(plan, name)] == []
    table = section(text, "Columns of the table")
    listed = [
        name
        for row in re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)
        for name in re.findall(r"`([^`]+)`", row)
    ]
    assert len(listed) > 12
    assert set(listed) <= set(plan.df.columns)
    convolutions = plan.get_layers_by_type("Convolution")
    attributes = set(re.findall(r"`(attr\.\w+)`", table))
    assert attributes
    assert attributes <= set(convolutions.columns)
    commands = re.findall(r"`trexreport (\w+)([^`]*)`", text)
    assert commands
    for command, options in commands:
        assert command in main.commands
        known = {name for each in main.commands[command].params for name in each.opts}
        assert set(re.findall(r"(?<!\S)-{1,2}[a-z-]+", options)) <= known, (command, options)


def test_the_rules_of_the_linters_exist():
    from trexreport.analyzer.rules.registry import built_in_rules

    codes = {rule.code for rule in built_in_rules()}
    named = set(re.findall(r"TRX\d{3}", page("from-trex") + page("troubleshooting")))
    assert named
    assert named <= codes


def test_the_python_page_has_every_public_name():
    text = page("python") + page("from-trex")
    assert [name for name in trexreport.__all__ if not name.startswith("_") and name not in text] == []
    signatures = re.findall(r"^\| `(\w+)\(([^)]*)\)`", page("python"), re.MULTILINE)
    assert len(signatures) > 5
    for name, signature in signatures:
        parameters = inspect.signature(getattr(trexreport, name)).parameters
        stated = re.findall(
            r"(\w+)(?:=|(?=,|$))", signature.replace("None", "").replace("True", "").replace("0", "")
        )
        assert set(stated) <= set(parameters), name


def test_the_commands_are_today_s():
    spec = importlib.util.spec_from_file_location("make_commands", DOCS / "make_commands.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.page(page("commands")) == page("commands"), "run: python docs/make_commands.py"
    assert all(f"\n## {name}\n" in page("commands") for name in main.commands)


def test_the_figures_of_the_first_report_are_true():
    section = page("first-report").partition("## 2. Look at a report")[2].partition("\n## 3.")[0]
    sample = ROOT / "samples" / "resnet18-int8-before"
    summary = CliRunner().invoke(main, ["summary", str(sample), "--isolated", "--json"])
    overview = json.loads(summary.output)
    first = overview["lint"]["findings"][0]
    shown = first["gain"]["sentence"].replace("\u00a0", " ")
    assert f"savings {shown}." in section
    shown = {
        f"{overview['latency']['end_to_end']['median_ms']:.3f} ms",
        f"{overview['latency']['end_to_end']['percentiles']['99']:.3f} ms",
        f"{overview['stability']['variation_percent']:.2f}%",
        re.search(r"\d\.\d+ ms", shown).group(),
    }
    assert set(re.findall(r"\d+\.\d+(?: ms|%)", section)) == shown
    assert overview["by_type"][1]["name"] == "Reformat"
    assert overview["by_type"][1]["share_percent"] > 20
    assert f'"{first["message"].rstrip(".")}' in section


def test_every_schema_is_listed():
    listed = set(re.findall(r"\]\(([\w.-]+\.schema\.json)\)", page("json")))
    assert listed == {path.name for path in DOCS.glob("*.schema.json")}


def test_every_decision_is_listed_by_its_title():
    folder = DOCS / "decisions"
    rows = [
        f"| {int(path.name[:4])} | [{path.read_text('utf-8').splitlines()[0][2:]}]({path.name}) |"
        for path in sorted(folder.glob("[0-9]*.md"))
    ]
    listed = re.findall(r"^\| \d.*$", (folder / "README.md").read_text("utf-8"), re.MULTILINE)
    assert listed == rows, "docs/decisions/README.md lists every decision"


def test_the_version_is_that_of_the_changelog():
    result = CliRunner().invoke(main, ["--version"])
    assert result.output == f"trexreport, version {trexreport.__version__}\n"
    newest = re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)[0]
    assert newest == trexreport.__version__
