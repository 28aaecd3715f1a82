"""How the tests of the command line run a command."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from site_captures import write_capture

from trexreport.cli import main
from trexreport.errors import MissingToolError
from trexreport.renderer.pdf import check_pdf_tools


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
def pdf_pair(tmp_path_factory):
    """Two captures of the same model with so few layers that their PDFs take little time."""
    try:
        check_pdf_tools()
    except MissingToolError as error:
        pytest.skip(str(error))
    folder = tmp_path_factory.mktemp("captures")
    times = {"before": 1.0, "after": 0.8}
    return tuple(write_capture(folder / name, name=name, ms=ms) for name, ms in times.items())


@pytest.fixture(scope="session")
def before(pdf_pair):
    return pdf_pair[0]


@pytest.fixture(scope="session")
def after(pdf_pair):
    return pdf_pair[1]


@pytest.fixture(scope="session")
def pdf_reports(pdf_pair, tmp_path_factory):
    """The reports of both, made once: before.pdf and after.pdf in a folder."""
    folder = tmp_path_factory.mktemp("reports")
    for name, capture in zip(("before", "after"), pdf_pair, strict=True):
        _write("report", capture, "-o", folder / f"{name}.pdf")
    return folder


@pytest.fixture(scope="session")
def pdf_comparison(pdf_pair, tmp_path_factory):
    """The comparison of both, made once."""
    path = tmp_path_factory.mktemp("comparison") / "compare.pdf"
    _write("compare", *pdf_pair, "-o", path)
    return path


def _write(*arguments):
    result = CliRunner().invoke(main, [str(each) for each in arguments])
    assert result.exit_code == 0, result.output
    assert f"{Path(arguments[-1]).name} (" in result.stderr
