"""The modules of a page become one script that means the same."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from trexreport.renderer import scripts
from trexreport.renderer.scripts import page_script, parse_module

JS = Path(__file__).parents[2] / "static/js"
PAGES = sorted(path.stem for path in (JS / "pages").glob("*.js"))


def _joined(monkeypatch, files, page="report"):
    """Join modules given as texts by path."""
    monkeypatch.setattr(scripts, "resource_text", lambda _, name: files[name.removeprefix("js/")])
    scripts._module.cache_clear()
    try:
        return page_script.__wrapped__(page)
    finally:
        scripts._module.cache_clear()


def test_every_page_has_a_script():
    assert {"report", "large_report", "comparison", "large_comparison", "site_index"} <= set(PAGES)
    for page in PAGES:
        script = page_script(page)
        assert not re.search(r"^(?:import|export)\b", script, re.MULTILINE), page


def test_every_module_is_in_a_page():
    texts = "".join(page_script(page) for page in PAGES)
    modules = [path for path in sorted(JS.rglob("*.js")) if path.name != "starter.js"]
    assert len(modules) > 50
    for path in modules:
        module = parse_module(path.relative_to(JS).as_posix(), path.read_text("utf-8"))
        assert module.text in texts, path


def test_a_module_comes_after_those_that_it_imports(monkeypatch):
    files = {
        "pages/report.js": (
            'import { twice } from "../a/twice.js";\nimport { two } from "../two.js";\n\ntwice(two);\n'
        ),
        "a/twice.js": (
            'import { two } from "../two.js";\n\nexport function twice(x) {\n  return two * x;\n}\n'
        ),
        "two.js": (
            "// A number.\n\n/**\n * Two.\n * @type {number}\n */\nexport const two = 2; // as stated\n"
            "/** @type {number} */ (two);\nlet x = /** @type {any} */ (two);\n/** Last. */\n"
        ),
    }
    assert _joined(monkeypatch, files) == (
        '(() => {\n"use strict";\nconst two = 2; // as stated\n(two);\nlet x = (two);\n'
        "function twice(x) {\nreturn two * x;\n}\ntwice(two);\n})();\n"
    )


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ("export const a = 1;\nconst b = 2;\n", "other.js and pages/report.js both declare b"),
        ("export const a = 1;\nclass b {}\n", "other.js and pages/report.js both declare b"),
        ("export const a = 1;\nasync function b() {}\n", "other.js and pages/report.js both declare b"),
        ("const a = 1;\n", "pages/report.js: other.js does not export a"),
        (
            'import { b } from "./pages/report.js";\nexport const a = 1;\n',
            "modules import each other: pages/report.js -> other.js -> pages/report.js",
        ),
        ('import { x } from "x";\nexport const a = 1;\n', "other.js: x is not a relative path"),
        ('import x from "./x.js";\nexport const a = 1;\n', "other.js: this can't be joined: import x"),
        ("export const a = 1;\nexport default a;\n", "other.js: this can't be joined: export default a"),
        ("const a = 1;\nexport { a };\n", "other.js: this can't be joined: export { a }"),
        ("export const a = 1;\nconst { c } = a;\n", r"other.js: this can't be joined: const { c } = a"),
    ],
)
def test_what_cannot_be_joined_is_an_error(monkeypatch, other, message):
    files = {
        "pages/report.js": 'import { a } from "../other.js";\n\nexport const b = a;\n',
        "other.js": other,
    }
    with pytest.raises(ValueError, match=re.escape(message)):
        _joined(monkeypatch, files)


@pytest.mark.parametrize("page", PAGES)
def test_the_joined_script_is_valid(page, tmp_path):
    node = shutil.which("node")
    if not node:
        pytest.skip("needs Node")
    path = tmp_path / "script.cjs"
    path.write_text(page_script(page), "utf-8")
    subprocess.run([node, "--check", path], check=True)
