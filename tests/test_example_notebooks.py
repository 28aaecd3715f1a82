"""The notebooks of docs/notebooks run on the bundled samples, keep no outputs, and are linked."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "notebooks"
NAMES = sorted(path.name for path in FOLDER.glob("*.ipynb"))


def read(name):
    return json.loads((FOLDER / name).read_text("utf-8"))


def run(name):
    """Run the code of a notebook as a kernel does, and return what its cells show."""
    namespace, shown = {"__name__": "__main__"}, []
    cells = [cell for cell in read(name)["cells"] if cell["cell_type"] == "code"]
    for number, cell in enumerate(cells):
        place = f"{name}, code cell {number}"
        tree = ast.parse("".join(cell["source"]), place)
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, place, "exec"), namespace)  # noqa: S102 - what a kernel does
        if last is not None:
            value = eval(compile(ast.Expression(last.value), place, "eval"), namespace)  # noqa: S307
            if value is not None:
                shown.append(value)
    return shown


def text_of(value):
    """Return what a notebook would show of a value; of a Plotly figure its data, without the library."""
    if hasattr(value, "to_plotly_json"):
        return value.to_json()
    return value._repr_html_()


def test_there_is_a_notebook_for_each_task():
    assert set(NAMES) >= {
        "accuracy-by-layer.ipynb",
        "coming-from-trex.ipynb",
        "compare-two-engines.ipynb",
        "kernels.ipynb",
        "look-at-an-engine.ipynb",
        "sweep-as-a-dataframe.ipynb",
        "why-int8-is-not-faster.ipynb",
    }


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_runs_and_shows_something(name, monkeypatch):
    monkeypatch.chdir(FOLDER)
    shown = run(name)
    assert len(shown) >= 3
    assert all(text_of(value) for value in shown)


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_keeps_no_outputs_and_is_written_in_one_form(name):
    document = read(name)
    assert (document["nbformat"], document["nbformat_minor"]) == (4, 5)
    assert document["metadata"] == {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    cells = document["cells"]
    assert [cell["id"] for cell in cells] == [f"cell-{number:02}" for number in range(1, len(cells) + 1)]
    assert cells[0]["source"][0].startswith("# ")
    assert {tuple(cell["metadata"]) for cell in cells} == {()}
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert {(cell["execution_count"], *cell["outputs"]) for cell in code} == {(None,)}
    assert (FOLDER / name).read_text("utf-8") == json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def test_all_notebooks_are_listed():
    page = (ROOT / "docs" / "notebooks.md").read_text("utf-8")
    assert sorted(re.findall(r"\(notebooks/([\w-]+\.ipynb)\)", page)) == NAMES


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_kernel_runs_it(name):
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    notebook = nbformat.read(FOLDER / name, as_version=4)
    nbformat.validate(notebook)
    nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": FOLDER}}).execute()
    outputs = [each for cell in notebook.cells for each in cell.get("outputs", ())]
    assert any("text/html" in each.get("data", {}) for each in outputs)
