"""How the tests of the command line run a command."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from trexreport.cli import main
from trexreport.errors import MissingToolError
from trexreport.renderer.pdf import check_pdf_tools

SAMPLES = Path(__file__).parents[2] / "samples"


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Return a function that runs a command in an empty folder and checks its exit code."""
    monkeypatch.chdir(tmp_path)

    def invoke(*arguments, code=0):
        result = CliRunner().invoke(main, [str(each) for each in arguments])
        if result.exit_code != code:
            raise AssertionError(f"exit {result.exit_code}: {result.output}") from result.exception
        return result

    return invoke


@pytest.fixture(scope="session")
def pdf_pair():
    """Two samples of the same model, of which PDFs can be made here."""
    try:
        check_pdf_tools()
    except MissingToolError as error:
        pytest.skip(str(error))
    return SAMPLES / "resnet18-int8-before", SAMPLES / "resnet18-int8-after"


@pytest.fixture(scope="session")
def pdf_reports(pdf_pair, tmp_path_factory):
    """The reports of both samples, made once: before.pdf and after.pdf in a folder."""
    folder = tmp_path_factory.mktemp("reports")
    for name, capture in zip(("before", "after"), pdf_pair, strict=True):
        _write("report", capture, "-o", folder / f"{name}.pdf")
    return folder


@pytest.fixture(scope="session")
def pdf_comparison(pdf_pair, tmp_path_factory):
    """The comparison of both samples, made once."""
    path = tmp_path_factory.mktemp("comparison") / "compare.pdf"
    _write("compare", *pdf_pair, "-o", path)
    return path


def _write(*arguments):
    result = CliRunner().invoke(main, [str(each) for each in arguments])
    assert result.exit_code == 0, result.output
    assert f"{Path(arguments[-1]).name} (" in result.stderr
