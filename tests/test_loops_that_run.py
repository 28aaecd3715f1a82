"""A test whose asserts are all in loops passes without a check if the loops have nothing to go through."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
#: What is made of a literal by these has elements, too.
_FUNCTIONS = {"combinations", "enumerate", "itertools", "len", "permutations", "range", "sorted", "zip"}


def has_elements(node, constants):
    """Return whether the iterable of a loop is a literal with elements, or made of such."""
    elements = getattr(node, "elts", getattr(node, "keys", None))
    if elements is not None:
        return bool(elements)
    if isinstance(node, ast.Call):
        return all(has_elements(each, constants) for each in (node.func, *node.args))
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)} <= constants | _FUNCTIONS


def checks(node, constants, *, runs=True):
    """Yield for each assert below a node whether it runs, as far as loops go."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Assert) or (isinstance(child, ast.With) and "raises(" in ast.unparse(child)):
            yield runs
        may_skip = isinstance(child, ast.For) and not has_elements(child.iter, constants)
        yield from checks(child, constants, runs=runs and not may_skip)


def unchecked_tests(source):
    """Return the names of tests of which no assert is certain to run."""
    tree = ast.parse(source)
    tests = [
        each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef) and each.name[:5] == "test_"
    ]
    found = []
    for test in tests:
        assigned = [each for each in (*tree.body, *test.body) if isinstance(each, ast.Assign)]
        literals = {ast.unparse(each.targets) for each in assigned if has_elements(each.value, set())}
        run = list(checks(test, literals))
        found += [test.name] if run and not any(run) else []
    return found


def test_no_test_depends_on_a_loop_that_may_go_through_nothing():
    sources = {path.name: path.read_text("utf-8") for path in TESTS.rglob("test_*.py")}
    assert len(sources) > 200
    assert {name: found for name, source in sources.items() if (found := unchecked_tests(source))} == {}


@pytest.mark.parametrize("body", ["for a in f(): assert a", "for a in (1, 2):\n  for b in f(a): assert b"])
def test_a_loop_over_what_was_computed_is_found(body):
    assert unchecked_tests(f"def test_x():\n {body}") == ["test_x"]


@pytest.mark.parametrize("body", ["assert f()\n for a in f(): assert a", "x = [1]\n for a in x: assert a"])
def test_what_is_certain_to_run_is_not(body):
    assert unchecked_tests(f"def test_x():\n {body}") == []


def test_each_file_of_tests_has_a_name_of_its_own():
    """Of two with one name, only the first that is imported would run."""
    names = [each.name for each in TESTS.rglob("test_*.py")]
    assert len(names) == len(set(names))
