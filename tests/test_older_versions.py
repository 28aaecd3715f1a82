"""What version 0.1 wrote is still read: reports, archives, sites and configurations.

`fixtures/version_0_1` was written by that version from the samples, by the commands that the tests name.
"""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from renamed_keys import CHANGED, figures, today

from trexreport.cli import main
from trexreport.configuration import read_configuration
from trexreport.reader import read_engine

OLD = Path(__file__).parent / "fixtures" / "version_0_1"
SAMPLES = Path(__file__).resolve().parents[1] / "samples"


def run(*words):
    result = CliRunner().invoke(main, [str(word) for word in words])
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.mark.parametrize(
    "written",
    [
        "resnet18-int8-before.html",  # report --charts static
        "detector-trt11.html",
        "transformer-trt10-myelin.pdf",  # report
        "resnet18-int8-after.trexa",  # archive
    ],
)
def test_a_report_or_archive_gives_the_layers_of_its_capture(written):
    old, new = read_engine(OLD / written), read_engine(SAMPLES / written.rpartition(".")[0])
    assert new.layers
    assert old.layers == new.layers
    assert old.queries == new.queries
    assert {source.name for source in old.sources} == {source.name for source in new.sources}


def test_an_archive_is_still_whole(tmp_path):
    run("verify", OLD / "resnet18-int8-after.trexa")
    run("extract", OLD / "resnet18-int8-after.trexa", "-o", tmp_path / "out")
    folders = list((SAMPLES / "resnet18-int8-after").iterdir())
    assert folders
    for file in folders:
        assert (tmp_path / "out" / file.name).read_bytes() == file.read_bytes()


def test_a_report_is_a_baseline():
    budget = OLD / "trexreport.toml"
    before, after = OLD / "resnet18-int8-before.html", SAMPLES / "resnet18-int8-after"
    found = json.loads(run("check", after, "--baseline", before, "--budget", budget, "--format", "json"))
    written = json.loads((OLD / "resnet18-int8-after.check.json").read_text())
    assert [each["value"] for each in found["outcomes"]] == [each["value"] for each in written["outcomes"]]


def test_a_pdf_of_a_comparison_gives_its_inputs(tmp_path):
    run("extract", OLD / "comparison.pdf", "-o", tmp_path / "out")
    files = [path for path in (tmp_path / "out").rglob("*") if path.is_file()]
    assert len(files) == 10


def test_a_site_is_gone_on_with(tmp_path):
    site, captures = tmp_path / "site", tmp_path / "captures"
    shutil.copytree(OLD / "site", site)
    for name in ("resnet18-int8-before", "resnet18-int8-after"):
        shutil.copytree(SAMPLES / name, captures / name)
    run("site", captures, "-o", site, "--jobs", 1)
    assert len(list((site / "engines").iterdir())) == 2


def test_a_configuration_is_read():
    found = read_configuration(OLD / "trexreport.toml")
    assert found.gpu == "NVIDIA A100 80GB PCIe"
    assert found.budget["reformats"] == 4


def test_every_figure_of_an_analysis_is_what_it_was(tmp_path):
    run("report", SAMPLES / "resnet18-int8-after", "-o", tmp_path / "new.json", "--isolated")
    old = figures(json.loads((OLD / "resnet18-int8-after.json").read_text()))
    old = {path: figure for path, figure in old.items() if not any(re.search(each, path) for each in CHANGED)}
    new = figures(json.loads((tmp_path / "new.json").read_text()))
    assert len(old) > 4000
    assert {path: new.get(today(path)) for path in old} == old
