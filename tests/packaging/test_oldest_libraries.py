"""What users need works with the oldest libraries that the package allows; the newest are everywhere else."""

from __future__ import annotations

import re
import sys
import venv
from pathlib import Path

import pytest
from child import call, pip_of

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]
EXTRAS = ("graphviz", "excel", "parquet", "pdf", "dask", "remote", "mcp")
_SECTIONS = "tests/browser/test_page_sections.py::test_"
#: What uses each library; what plotly's own part of a page does is seen in a browser only.
TESTS = {
    "click": ("tests/cli/test_completion.py", "tests/cli/test_vocabularies.py"),
    "jinja2": ("tests/renderer/test_html.py", "tests/renderer/test_findings_page.py"),
    "numpy": ("tests/analyzer/comparison/test_significance.py", "tests/cli/test_compare_command.py"),
    "pandas": ("tests/trex/test_engine_plan.py", "tests/test_layers.py"),
    "plotly": (
        "tests/renderer/charts",
        f"{_SECTIONS}every_chart_becomes_interactive_when_scrolled_to",
        f"{_SECTIONS}a_click_on_a_bar_selects_its_layer",
        f"{_SECTIONS}interactive_charts_follow_the_theme",
    ),
    "tomli": ("tests/test_configuration.py",),
    "rich": ("tests/cli/test_progress.py", "tests/renderer/short_document"),
    "pydot": ("tests/renderer/graph/test_dot.py", "tests/cli/test_draw.py"),
    "xlsxwriter": (
        "tests/renderer/test_export.py",
        "tests/renderer/workbook",
        "tests/trex/test_excel_summary.py",
    ),
    "pyarrow": ("tests/renderer/test_export.py",),
    "weasyprint": ("tests/cli/test_pdf.py",),
    "distributed": ("tests/site/test_site_workers.py",),
    "mcp": ("tests/assistant/test_mcp_server.py",),
    "fsspec": ("tests/site/test_site_urls.py",),
}


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
    venv.create(folder / "env")
    python = folder / "env" / "bin" / "python"
    # Compiled is what is imported, not all.
    quick = ("--quiet", "--disable-pip-version-check", "--no-compile")
    call(*pip_of(python), "install", *quick, "-c", constraints, "-e", f"{ROOT}[test]", cwd=folder)
    return python


def test_the_tests_of_each_library_are_there():
    paths = {test.partition("::")[0] for tests in TESTS.values() for test in tests}
    assert sorted(path for path in paths if not (ROOT / path).exists()) == []


@pytest.mark.packaging
@pytest.mark.slow
@pytest.mark.skipif(sys.version_info >= (3, 13), reason="the oldest numpy has no wheel for this Python")
def test_the_oldest_libraries_do(python):
    installed = call(*pip_of(python), "freeze", cwd=ROOT).stdout.lower()
    # A bound of 70 is version 70.0.
    assert [
        each for each in oldest() if not re.search(rf"^{re.escape(each)}(\.0)*$", installed, re.MULTILINE)
    ] == []
    options = ("-p", "no:cacheprovider", "-m", "not slow and not packaging and not engines")
    assert {each.partition("==")[0] for each in oldest()} <= TESTS.keys()
    tests = dict.fromkeys(test for each in TESTS.values() for test in each)
    stated = call(python, "-m", "pytest", *options, *tests, cwd=ROOT, timeout_s=1500).stdout
    assert re.search(r"\d+ passed", stated)
