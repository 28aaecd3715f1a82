"""Check reports of several phases: what they are read from, and each document of them."""

from __future__ import annotations

import html
import json
import shutil
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest

from trexreport.analyzer import analyze
from trexreport.errors import InputError, UsageError
from trexreport.pipeline.captures import CaptureInput, read_with_runs
from trexreport.pipeline.comparisons import ComparisonInput
from trexreport.pipeline.phase_reports import make_phases_report
from trexreport.pipeline.phases import choose_phases
from trexreport.pipeline.reports import ReportFormat
from trexreport.pipeline.settings import Settings
from trexreport.reader import read_engine
from trexreport.reader.report_file import extract_report
from trexreport.renderer.html_options import HtmlOptions
from trexreport.renderer.pdf.phases import _prefixed, _style
from trexreport.resources import resource_folder
from trexreport.wording.sections import section_sentence

DOCS = Path(__file__).parents[2] / "docs"
STATIC = ReportFormat("html", HtmlOptions(interactive_charts=False))
NAMES = {"prefill": "resnet18-int8-before", "decode": "resnet18-int8-after"}


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Two small captures without the times of queries, which would take the most time here."""
    folder = tmp_path_factory.mktemp("phases")
    for name, sample in NAMES.items():
        (folder / name).mkdir()
        for role in ("graph", "profile"):
            file = f"{sample}.engine.{role}.json"
            text = (resource_folder("samples") / sample / file).read_text()
            (folder / name / file).write_text(text.replace("layer1", "confidential"))
    return folder


@pytest.fixture(scope="module")
def options(folders):
    return tuple(f"{name}={folders / name}" for name in NAMES)


def made(options, kind="html", times=("prefill=1", "decode=128"), **capture):
    phases = choose_phases(CaptureInput((), **capture), options, times)
    format_ = replace(STATIC, kind=kind)
    return make_phases_report(phases.title, phases.read(), Settings(), format_)[1].data


@pytest.fixture(scope="module")
def page(options):
    return made(options)


def test_the_page_holds_style_and_script_once(page):
    assert page.count(b"<style>") == 1
    assert page.count(b'id="trexreport-script-report"') == 1
    assert page.count(b'id="trexreport-phase-') == 2
    assert b"128" in page
    assert b"prefill + decode" in page


def test_the_page_is_an_input(page, options, tmp_path):
    file = tmp_path / "set.html"
    file.write_bytes(page)
    assert list(extract_report(file)) == ["prefill", "decode"]
    phases = choose_phases(CaptureInput((str(file),)), (), ())
    assert phases.times == {"prefill": 1, "decode": 128}
    again = make_phases_report(phases.title, phases.read(), Settings(), STATIC)[1].data
    assert again == page
    with pytest.raises(InputError, match="report of several phases"):
        read_engine(file)
    with pytest.raises(UsageError):
        phases.read([str(file)])


def test_redaction_reaches_every_phase(options, page, tmp_path):
    from trexreport.redaction.kinds import parse_redaction

    assert b"confidential" in made(options, "json")
    assert b"confidential" not in made(options, "json", redaction=parse_redaction("names"))
    file = tmp_path / "set.html"
    file.write_bytes(page)
    phases = choose_phases(CaptureInput((str(file),), redaction=parse_redaction("names")), (), ())
    names = [layer.name for each in phases.read() for layer in each.engine.layers]
    assert len(names) > 50
    assert not [name for name in names if "confidential" in name]
    assert phases.title == "prefill + decode"


@pytest.fixture
def listed(folders, tmp_path):
    """A set whose list has a name to redact, and a count."""
    for name in NAMES:
        shutil.copytree(folders / name, tmp_path / name)
    phases = [{"name": "zorblax", "path": "prefill", "times": 3}, {"name": "decode", "path": "decode"}]
    list_ = {"schema": "trexreport-phases", "schema_version": 1, "phases": phases}
    (tmp_path / "trexreport-phases.json").write_text(json.dumps(list_))
    return str(tmp_path)


@pytest.mark.parametrize("as_option", [True, False])
def test_names_that_a_set_states_are_redacted(listed, as_option):
    from trexreport.redaction.kinds import parse_redaction

    capture = CaptureInput(() if as_option else (listed,), redaction=parse_redaction("names"))
    phases = choose_phases(capture, (listed,) if as_option else (), ("zorblax=5",))
    first, second = (phase.name for phase in phases.phases)
    assert first != "zorblax"
    assert (second, phases.times) == ("decode", {first: 5})
    assert "zorblax" not in phases.title


def test_a_name_that_the_user_states_stays(options):
    from trexreport.redaction.kinds import parse_redaction

    path = options[0].partition("=")[2]
    phases = choose_phases(CaptureInput((), redaction=parse_redaction("names")), (f"zorblax={path}",), ())
    assert phases.title == "zorblax"


def test_the_list_of_a_folder_counts_with_phase_too(listed):
    assert choose_phases(CaptureInput(()), (listed,), ()).times == {"zorblax": 3}


def test_json_is_as_its_schema_says(options):
    document = json.loads(made(options, "json"))
    jsonschema.validate(document, json.loads((DOCS / "phases.schema.json").read_text()))
    together = document["together"]
    assert together["measure"] == "layers"
    assert [each["times"] for each in together["phases"]] == [1, 128]
    assert together["total_ms"] == pytest.approx(
        document["analyses"][0]["latency"]["layer_sum_ms"]
        + 128 * document["analyses"][1]["latency"]["layer_sum_ms"]
    )


def test_markdown_names_each_phase(options):
    text = made(options, "md", times=()).decode()
    assert "There is no total" in text
    assert "## prefill" in text
    assert "## decode" in text


@pytest.mark.parametrize(
    ("named", "counts", "paths", "message"),
    [
        (("a",), (), (), "not NAME=PATH"),
        (("=x",), (), (), "not NAME=PATH"),
        (("a=x",), ("b=1",), (), "there is no phase 'b'"),
        (("a=x",), ("a=-1",), (), "not NAME=N"),
        (("a=x",), ("a=99999999999999",), (), "above 1,000,000,000"),
        (("a=x", "b=y"), ("a=0", "b=0"), (), "Every phase runs 0 times"),
        (("a=x",), ("a=1", "a=2"), (), "given twice"),
        (("a=x",), (), ("y",), "Both a path and --phase"),
        ((), ("a=1",), ("y",), "for reports of several phases"),
    ],
)
def test_options_that_mean_nothing(named, counts, paths, message):
    with pytest.raises(UsageError, match=message):
        choose_phases(CaptureInput(paths), named, counts)


def test_files_of_one_engine_are_refused():
    with pytest.raises(UsageError, match="--log is for one engine"):
        choose_phases(CaptureInput((), files={"log": "x"}), ("a=x",), ())
    with pytest.raises(UsageError, match="--metric is for one engine"):
        choose_phases(CaptureInput((), metrics={"top1": 1.0}), ("a=x",), ())


def test_the_cover_of_a_pdf_shows_each_phase_as_the_page_does(options, monkeypatch):
    pytest.importorskip("weasyprint", exc_type=(ImportError, OSError))
    pages = []
    monkeypatch.setattr(
        "trexreport.renderer.pdf.phases.write_pdf", lambda page, *_: pages.append(page) or b""
    )
    monkeypatch.setattr("trexreport.renderer.pdf.phases.report_page", lambda *_, **__: "<body></body>")
    made(options, "pdf")
    cover = pages[0].partition('<section id="phases">')[2].partition("</section>")[0]
    for analysis in (analyze(each.engine) for each in choose_phases(CaptureInput(()), options, ()).read()):
        assert section_sentence(analysis, "latency") in html.unescape(cover)
    assert "Savings" in cover
    assert "residual Adds mix quantized and floating-point values" in cover
    assert cover.count('<td class="page">') == 2


@pytest.mark.slow
def test_a_pdf_has_every_phase_and_is_an_input(options, tmp_path):
    pytest.importorskip("weasyprint", exc_type=(ImportError, OSError))
    file = tmp_path / "set.pdf"
    file.write_bytes(made(options, "pdf"))
    phases = choose_phases(CaptureInput((str(file),)), (), ())
    assert phases.times == {"prefill": 1, "decode": 128}
    assert [each.name for each in phases.read()] == ["prefill", "decode"]
    assert list(extract_report(file)) == ["prefill", "decode"]


def test_names_of_elements_are_distinct_on_paper():
    body = '<h2 id="a" class="b"><a href="#a" aria-labelledby="a c">id="a"</a><a href="x#a">'
    assert _prefixed(body, "p1-") == (
        '<h2 id="p1-a" class="b"><a href="#p1-a" aria-labelledby="p1-a p1-c">id="a"</a><a href="x#a">'
    )
    assert "#p0-findings,#p1-findings" in _style(2)


def test_what_is_no_set_is_left_to_the_report(folders):
    assert choose_phases(CaptureInput((str(folders / "prefill"),)), (), ()) is None


def test_weights_that_no_file_states_are_marked(tmp_path):
    from trexreport.wording.memory import memory_amounts

    tensors = {side: [{"Name": side, "Dimensions": [4, 4]}] for side in ("Inputs", "Outputs")}
    convolution = {
        "Name": "a",
        "LayerType": "Convolution",
        "Weights": {"Type": "Half", "Count": 6},
        **tensors,
    }
    region = {"Name": "b", "LayerType": "gemm", **tensors}
    (tmp_path / "x.graph.json").write_text(json.dumps({"Layers": [convolution, region], "Bindings": []}))
    phases = choose_phases(CaptureInput(()), (f"a={tmp_path}",), ())
    report, sized = make_phases_report(phases.title, phases.read(), Settings(), STATIC)
    stated = memory_amounts(report.analyses[0].memory)["weights"]
    assert stated.endswith("(1 layer does not state theirs)")
    assert stated.encode() in sized.data


def test_an_error_names_the_phase_as_several_have_files_of_one_name(folders, tmp_path):
    for name in ("old", "new"):
        for phase in NAMES:
            (tmp_path / name / phase).mkdir(parents=True)
            graph = next((folders / phase).glob("*.graph.json")).read_text()
            is_cut = (name, phase) == ("new", "decode")
            (tmp_path / name / phase / "model.graph.json").write_text(graph[:2000] if is_cut else graph)
    options = tuple(f"{phase}={tmp_path / 'new' / phase}" for phase in NAMES)
    with pytest.raises(InputError, match=r"^decode: model\.graph\.json is cut off"):
        choose_phases(CaptureInput(()), options, ()).read()
    paths = tuple(str(tmp_path / name / "decode") for name in ("old", "new"))
    with pytest.raises(InputError, match=r"new/decode: model\.graph\.json is cut off"):
        ComparisonInput(paths).compare(Settings(), ["md"], [])
    with pytest.raises(InputError, match=r"new/decode: model\.graph\.json is cut off"):
        read_with_runs(CaptureInput(paths[:1]), paths[1:], [])
    with pytest.raises(InputError, match=r"^\S+/absent does not exist"):
        read_with_runs(CaptureInput(paths[:1]), [str(tmp_path / "absent")], [])
