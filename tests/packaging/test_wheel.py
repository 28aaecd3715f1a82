"""A wheel, installed into an empty environment, works from any folder."""

from __future__ import annotations

import re
import sys
import venv
from pathlib import Path

import pytest
from child import call, pip_of

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Build sdist and wheel, install the wheel, and return the environment's folder of programs."""
    folder = tmp_path_factory.mktemp("wheel")
    call(sys.executable, "-m", "build", "--outdir", folder / "dist", ROOT, cwd=folder)
    assert list((folder / "dist").glob("*.tar.gz"))
    wheel = next((folder / "dist").glob("*.whl"))
    venv.create(folder / "env")
    programs = folder / "env" / "bin"
    call(*pip_of(programs / "python"), "install", "--quiet", "--no-compile", wheel, cwd=folder)
    return programs


@pytest.mark.packaging
@pytest.mark.slow
def test_an_installed_wheel_makes_a_report_anywhere(installed, tmp_path):
    call(installed / "trexreport", "demo", "-o", "demo.html", cwd=tmp_path)
    call(installed / "trexreport", "summary", "demo.html", cwd=tmp_path)
    sample = ROOT / "samples" / "detector-trt11"
    call(installed / "trexreport", "report", sample, "-o", "other.html", cwd=tmp_path)
    assert (tmp_path / "demo.html").stat().st_size > 1_000_000
    imported = call(installed / "python", "-c", "import trexreport; print(trexreport.__file__)", cwd=tmp_path)
    assert str(installed.parent) in imported.stdout


@pytest.mark.packaging
@pytest.mark.slow
def test_the_description_needs_no_other_file(installed, tmp_path):
    script = "from importlib.metadata import metadata; print(metadata('trexreport').get_payload())"
    text = call(installed / "python", "-X", "utf8", "-c", script, cwd=tmp_path).stdout
    assert text.startswith("# trexreport\n")
    assert "trexreport report samples/resnet18-int8-before -o report.html" in text
    assert re.findall(r"\]\((?!https://)", text) == []
    assert text.rstrip().endswith("in its folder `docs`.")


@pytest.mark.packaging
@pytest.mark.slow
def test_the_wheel_has_what_is_needed_and_no_tests(installed):
    listing = call(*pip_of(installed / "python"), "show", "-f", "trexreport", cwd=installed).stdout
    assert "_assets/templates/report.html.j2" in listing
    assert "_assets/static/js/pages/report.js" in listing
    package = Path(__file__).resolve().parents[2] / "trexreport"
    # Tables, among others; compiled modules are not of the source.
    data = [each for each in package.rglob("*.*") if each.is_file() and each.suffix not in {".py", ".pyc"}]
    listed = {line.strip().replace("\\", "/") for line in listing.splitlines()}
    assert {f"trexreport/{each.relative_to(package).as_posix()}" for each in data} <= listed
    assert "trexreport/wording/texts.json" in listed
    assert "test_" not in listing
