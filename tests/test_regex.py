"""Expressions that wait for their first use behave as compiled ones."""

from __future__ import annotations

import copy
import pkgutil
import re
from importlib import import_module

import pytest

import trexreport
from trexreport.regex import regex

USES = [
    lambda found: found.match("a1b2").group("digit"),
    lambda found: found.search("b2").group(),
    lambda found: found.fullmatch("a1") is not None,
    lambda found: found.findall("a1 B2"),
    lambda found: [each.span() for each in found.finditer("a1 b2")],
    lambda found: found.sub("x", "a1 b2"),
    lambda found: found.subn("x", "a1 b2", count=1),
    lambda found: found.split("a1-b2"),
    lambda found: found.scanner("a1b2").match().group(),
    lambda found: (found.pattern, found.flags, found.groups, dict(found.groupindex)),
    lambda found: copy.deepcopy(found).match("a1").group(),
    repr,
]


@pytest.mark.parametrize("use", USES)
def test_it_does_what_a_compiled_expression_does(use):
    written = (r"[a-z](?P<digit>\d)", re.IGNORECASE | re.ASCII)
    waiting = regex(*written)
    expected = use(re.compile(*written))
    assert use(waiting) == expected
    assert use(waiting) == expected


def test_nothing_is_compiled_before_its_use(monkeypatch):
    compiled = []
    monkeypatch.setattr(
        re, "compile", lambda *given, compile_=re.compile: compiled.append(given) or compile_(*given)
    )
    waiting = regex("a")
    assert not compiled
    assert [waiting.sub("b", "aa"), waiting.sub("b", "ca")] == ["bb", "cb"]
    assert compiled == [("a", 0)]
    with pytest.raises(AttributeError):
        waiting.unknown  # noqa: B018


def test_all_expressions_of_the_package_are_valid():
    waiting = {}
    for each in pkgutil.walk_packages(trexreport.__path__, "trexreport."):
        if each.name.rpartition(".")[2] == "__main__":
            continue
        try:
            module = import_module(each.name)
        except ImportError:
            continue  # of a library that is not installed
        waiting |= {
            f"{each.name}.{name}": value
            for name, value in vars(module).items()
            if type(value) is type(regex(""))
        }
    assert len(waiting) > 300
    assert all(isinstance(value.pattern, str | bytes) for value in waiting.values())
