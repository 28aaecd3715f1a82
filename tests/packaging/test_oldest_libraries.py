"""What users need works with the oldest libraries that the package allows; the newest are everywhere else."""

from __future__ import annotations

import re
import sys
import venv
from pathlib import Path

import pytest
from child import call

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]
EXTRAS = ("graphviz", "excel", "parquet", "pdf", "dask", "remote")
#: What reads, writes and draws with each of the libraries; pages in a browser for plotly.js.
TESTS = (
    *("tests/model", "tests/archive", "tests/mail", "tests/test_engine_plan.py", "tests/site"),
    *("tests/cli/test_commands.py", "tests/cli/test_compare_command.py", "tests/cli/test_draw.py"),
    *("tests/cli/test_pdf.py", "tests/cli/test_lint_commands.py", "tests/renderer/test_html.py"),
    *("tests/renderer/charts", "tests/browser/test_page_sections.py"),
)


def oldest():
    """Return the lower bound of each library that this Python gets, as constraints."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    optional = project["optional-dependencies"]
    wanted = [*project["dependencies"], *(each for extra in EXTRAS for each in optional[extra])]
    if sys.version_info >= (3, 11):
        wanted = [each for each in wanted if "python_version < '3.11'" not in each]
    return [re.sub(r">=([\d.]+).*", r"==\1", each) for each in wanted]


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    """Return the Python of an environment that has the oldest libraries."""
    folder = tmp_path_factory.mktemp("oldest")
    constraints = folder / "constraints.txt"
    constraints.write_text("\n".join(oldest()))
    venv.create(folder / "env", with_pip=True)
    python = folder / "env" / "bin" / "python"
    install = (python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    call(*install, "-c", constraints, "-e", f"{ROOT}[test]", cwd=folder)
    return python


@pytest.mark.packaging
@pytest.mark.slow
@pytest.mark.skipif(sys.version_info >= (3, 13), reason="the oldest numpy has no wheel for this Python")
def test_the_oldest_libraries_do(python):
    installed = call(python, "-m", "pip", "freeze", cwd=ROOT).stdout.lower()
    # A bound of 70 is version 70.0.
    assert [
        each for each in oldest() if not re.search(rf"^{re.escape(each)}(\.0)*$", installed, re.MULTILINE)
    ] == []
    options = ("-p", "no:cacheprovider", "-m", "not slow and not packaging and not engines")
    stated = call(python, "-m", "pytest", *options, *TESTS, cwd=ROOT, timeout_s=1500).stdout
    assert re.search(r"\d+ passed", stated)
