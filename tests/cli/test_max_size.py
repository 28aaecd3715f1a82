"""`trexreport report --max-size`."""

from __future__ import annotations

import pytest

from trexreport.resources import resource_folder

SAMPLE = resource_folder("samples") / "resnet18-int8-before"


def test_it_fits_and_says_what_is_left_out(run, tmp_path):
    result = run("report", SAMPLE, "-o", "x.html", "--max-size", "550kB")
    assert (tmp_path / "x.html").stat().st_size <= 550_000
    assert "Left out to fit: interactive charts." in result.output
    assert "KiB)" in result.output
    assert "Left out to fit 550\u00a0kB: " in (tmp_path / "x.html").read_text()
    run("summary", "x.html")
    assert "Left out" not in run("report", SAMPLE, "-o", "x.html", "--max-size", "10MB").output


@pytest.mark.parametrize("ending", ["html", "json", "md"])
def test_what_can_not_fit_is_not_written(run, tmp_path, ending):
    output = run("report", SAMPLE, "-o", f"x.{ending}", "--max-size", "100", code=2).output
    assert "even without everything that can be left out" in output
    assert not (tmp_path / f"x.{ending}").exists()


def test_a_summary_is_shortened(run, tmp_path):
    run("report", SAMPLE, "-o", "x.md", "--max-size", "3000")
    assert (tmp_path / "x.md").stat().st_size <= 3000


@pytest.mark.parametrize("size", ["", "0", "-1", "10XB", "1e3", "MB", "١MB", "0.0001"])
def test_what_is_no_size(run, size):
    assert "is not a size" in run("report", SAMPLE, "-o", "x.html", f"--max-size={size}", code=2).output
