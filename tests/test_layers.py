"""Who may import whom, and what may not be imported before it is needed."""

from __future__ import annotations

import ast
import graphlib
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "trexreport"

#: Part of the package to what it may import besides itself.
ALLOWED = {
    "model": (),
    # A message of its says how many engines a comparison holds.
    "reader": ("model", "errors", "garbage", "input_file", "numbers", "remembered", "resources"),
    # The settings of the rules are checked beside the rules, who alone know their thresholds.
    "analyzer": ("model", "docstrings", "errors", "garbage", "numbers", "resources", "toml_table", "wording"),
    # Logs and tegrastats have one reader; the collector asks it for versions, and the table of settings for
    # near misses. A capture has the structure of its model as reports carry it.
    "collector": (
        "reader.accuracy.limits",
        "reader.error_causes",
        "reader.first_cause",
        "reader.onnx",
        "reader.json_text",
        "reader.log_text",
        "reader.setup_facts",
        "reader.tegrastats",
        "reader.trtexec_lines",
        "reader.trtexec_log",
        "reader.ultralytics",
        "errors",
        "input_file",
        "numbers",
        "output",
        "resources",
        "toml_table",
        "visible",
        "__version__",
    ),
    # It copies an engine that may be larger than memory to where `output` puts whole files only.
    "archive": ("model", "reader", "errors", "input_file", "output", "__version__"),
    # It rewrites the files of a capture between finding and reading them.
    "redaction": ("model", "reader", "errors"),
    # It is given finished texts and files.
    "mail": ("errors", "input_file", "visible", "__version__"),
    "configuration": ("errors", "input_file", "toml_table"),
    "toml_table": ("errors", "visible"),
    # Sentences about facts, for every output.
    "wording": (
        "analyzer.analysis",
        "analyzer.thresholds",
        "model",
        "numbers",
        "resources",
        "site.entries",
        "site.history",
        "site.steps",
    ),
    # The page offers the GPUs of the table for its roofline.
    "renderer": (
        "analyzer.analysis",
        "analyzer.roofline.peaks",
        "model",
        "reader.file_names",
        "reader.pdf_file",
        "reader.input_packing",
        "reader.report_file",
        "wording",
        "errors",
        "garbage",
        "remembered",
        "resources",
        "numbers",
        "visible",
        "__version__",
    ),
    # It knows the whole way from inputs and configuration to bytes; none of the stages knows it.
    "pipeline": (
        "model",
        "reader",
        "analyzer",
        "renderer",
        "redaction",
        "mail",
        "configuration",
        "output",
        "errors",
        # A message of its names the phases of a set.
        "numbers",
        # The settings of verdicts are checked where options and configuration become one.
        "toml_table",
    ),
    # A site goes from captures to pages; every page is made by the pipeline.
    # It answers with documents of the renderer, and finds captures as a site does.
    "assistant": (
        "model",
        "analyzer",
        "renderer",
        "wording",
        "pipeline",
        "site",
        "errors",
        "numbers",
        "urls",
        "visible",
        "__version__",
    ),
    "site": (
        "model",
        "reader",
        "analyzer",
        "renderer",
        "redaction",
        "pipeline",
        "output",
        "garbage",
        "errors",
        "numbers",
        "urls",
        "visible",
        "__version__",
        "wording",
    ),
    "docstrings": (),
    "lazy_dataclass": ("dataclass_methods",),
    "dataclass_methods": (),
    "regex": (),
    "urls": (),
    "errors": ("urls",),
    "input_file": (),
    "garbage": (),
    "remembered": (),
    "numbers": (),
    "visible": (),
    "resources": (),
    "step_summary": (),
}
#: What belongs to the language of the package, so that any part may use it.
EVERYWHERE = ("lazy_dataclass", "regex")
#: Imports of the result types by way of the package that exports them.
RESULT_TYPES = {"trexreport.analyzer.Analysis"}

HEAVY = {
    "pandas",
    "plotly",
    "weasyprint",
    "tensorrt",
    "pynvml",
    "cuda",
    "pydot",
    "jinja2",
    "mcp",
    "anyio",
    "numpy",
    "xlsxwriter",
    "pyarrow",
    "distributed",
    "fsspec",
}


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def modules() -> dict[str, ast.Module]:
    """Return every module of the package by name."""
    return {module_name(path): ast.parse(path.read_text("utf-8")) for path in sorted(PACKAGE.rglob("*.py"))}


@cache
def imported(tree: ast.AST) -> list[str]:
    """Return what a module imports, each name in full: "trexreport.errors.InputError"."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports hide who imports whom"
            found += [f"{node.module}.{alias.name}" for alias in node.names]
    return found


def home(name: str) -> str:
    """Return the module of an imported name."""
    while name not in modules() and "." in name:
        name = name.rpartition(".")[0]
    return name


def is_within(name: str, part: str) -> bool:
    return name == f"trexreport.{part}" or name.startswith(f"trexreport.{part}.")


@pytest.mark.parametrize("part", ALLOWED)
def test_a_part_imports_only_what_it_may(part):
    offenses = {
        (module, home(name))
        for module, tree in modules().items()
        if is_within(module, part)
        for name in imported(tree)
        if name.split(".")[0] == "trexreport"
        and name not in RESULT_TYPES
        and not any(is_within(name, allowed) for allowed in (part, *EVERYWHERE, *ALLOWED[part]))
    }
    assert offenses == set()


def test_nothing_is_allowed_that_is_not_needed():
    imports = {
        part: {
            name for module, tree in modules().items() if is_within(module, part) for name in imported(tree)
        }
        for part in ALLOWED
    }
    needless = {
        (part, allowed)
        for part, others in ALLOWED.items()
        for allowed in others
        if not any(is_within(name, allowed) for name in imports[part])
    }
    assert needless == set()


def test_of_the_analyzer_only_rules_use_wording():
    """A rule is one unit of check and text; everything else yields facts alone."""
    users = {
        module
        for module, tree in modules().items()
        if is_within(module, "analyzer") and any(is_within(name, "wording") for name in imported(tree))
    }
    assert users
    assert {module for module in users if not is_within(module, "analyzer.rules")} == set()


def test_no_module_imports_the_command_line():
    users = {
        module
        for module, tree in modules().items()
        for name in imported(tree)
        if is_within(name, "cli") and not is_within(module, "cli")
    }
    assert users <= {"trexreport.__main__"}


def test_no_imports_go_in_a_circle():
    """Not even inside functions or for types: modules that need each other are one."""
    graph = {
        # The package itself imports nothing before it is used.
        module: {home(name) for name in imported(tree)} & modules().keys() - {module, "trexreport"}
        for module, tree in modules().items()
    }
    assert graph["trexreport.site.build"]
    graphlib.TopologicalSorter(graph).prepare()


def test_only_the_pipeline_analyzes():
    """Another caller of the analyzer could forget the configuration."""
    functions = {"trexreport.analyzer.analyze", "trexreport.analyzer.comparison.compare.compare"}
    users = {
        module
        for module, tree in modules().items()
        if not functions.isdisjoint(imported(tree)) and not is_within(module, "analyzer")
    }
    assert users == {"trexreport.pipeline.settings"}


def test_the_command_line_has_no_way_of_its_own():
    """Commands read, analyze and render reports through the pipeline."""
    stages = {"trexreport.analyzer.analyze", "trexreport.renderer.html.render_html"}
    stages |= {"trexreport.reader.assemble", "trexreport.reader.locate.locate"}
    users = {
        module
        for module, tree in modules().items()
        if is_within(module, "cli") and not stages.isdisjoint(imported(tree))
    }
    assert users == set()


def run_at_import(body: list[ast.stmt]) -> list[ast.stmt]:
    """Return the statements that run when a module is imported: not functions, no types."""
    found: list[ast.stmt] = []
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            found += run_at_import(node.orelse)
            continue
        found.append(node)
        for name in ("body", "orelse", "finalbody"):
            found += run_at_import(getattr(node, name, []))
        for handler in getattr(node, "handlers", []):
            found += run_at_import(handler.body)
    return found


def test_heavy_libraries_are_imported_only_where_they_are_used():
    offenses = {
        (module, name)
        for module, tree in modules().items()
        for node in run_at_import(tree.body)
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for name in imported(node)
        if name.split(".")[0] in HEAVY
    }
    assert not offenses


def test_heavy_imports_at_the_top_would_be_found():
    tree = ast.parse("import json\ntry:\n    from pandas import DataFrame\nexcept ImportError:\n    pass\n")
    names = [name for node in run_at_import(tree.body) for name in imported(node)]
    assert "pandas.DataFrame" in names


def compiled_at_import(tree):
    """Yield the lines of calls of re.compile that run when the module is imported."""
    waiting = list(tree.body)
    for node in waiting:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "re.compile":
            yield node.lineno
        waiting += ast.iter_child_nodes(node)


def test_regular_expressions_wait_for_their_first_use():
    """Compiling all at each start of a command takes as long as reading a small engine."""
    eager = {module: list(compiled_at_import(tree)) for module, tree in modules().items()}
    assert not {module: lines for module, lines in eager.items() if lines}, "use trexreport.regex"
    assert list(compiled_at_import(ast.parse("import re\nclass A:\n    B = (re.compile('b'),)\n"))) == [3]
    assert not list(compiled_at_import(ast.parse("def a():\n    return re.compile('b')\n")))


def test_frozen_dataclasses_wait_for_their_first_use():
    """The standard decorator takes half a millisecond for each class, at each start of a command."""
    eager = {
        module
        for module, tree in modules().items()
        if "dataclasses.dataclass" in imported(tree) and module != "trexreport.lazy_dataclass"
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "dataclass"
        and {each.arg for each in node.keywords} >= {"frozen"}
        and not {each.arg for each in node.keywords} & {"slots", "order"}
    }
    assert eager == set()
