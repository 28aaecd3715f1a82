"""All rules: the built-in ones and those of other packages."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from importlib.machinery import PathFinder
from pathlib import Path
from pkgutil import walk_packages
from types import ModuleType
from typing import TYPE_CHECKING

from trexreport.analyzer.rules.rule import Rule
from trexreport.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

#: The entry point group for a rule, a list of rules or a module with rules of another package.
ENTRY_POINTS = "trexreport.rules"


@dataclass(frozen=True)
class Registry:
    """The rules in the order of their codes, and what failed to load, one sentence each."""

    rules: tuple[Rule, ...]
    failures: tuple[str, ...] = ()


@cache
def built_in_rules() -> tuple[Rule, ...]:
    """Return the rules of this package, each in a file trxNNN_name.py, in the order of their codes."""
    found = walk_packages([str(Path(__file__).parent)], f"{__name__.rpartition('.')[0]}.")
    modules = [import_module(each.name) for each in found if ".trx" in each.name]
    return _sorted({rule.code: rule for module in modules for rule in _rules_in(module)}.values())


def all_rules() -> Registry:
    """Return the built-in rules and those that installed packages add.

    A package that fails to load, or whose rule has a code or name that is in use, loses only its own rules.
    """
    rules = {rule.code: rule for rule in built_in_rules()}
    names = {rule.name for rule in rules.values()}
    failures: list[str] = []
    for point in _entry_points(failures):
        try:
            # What a package prints must not mix with the findings.
            with contextlib.redirect_stdout(sys.stderr):
                found = _rules_in(point.load())
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - a broken package loses only its own rules
            failures.append(f"The rules of {point.value} failed to load: {error_text(error)}.")
            continue
        if not found:
            failures.append(f"{point.value} has no rules.")
        for rule in found:
            if rules.get(rule.code) is rule:
                continue  # imported by one module from another
            if rule.code in rules or rule.name in names:
                failures.append(f"{point.value}: the code {rule.code} or the name {rule.name} is in use.")
                continue
            rules[rule.code] = rule
            names.add(rule.name)
    return Registry(_sorted(rules.values()), tuple(failures))


def _entry_points(failures: list[str]) -> list[EntryPoint]:
    """Return the entry points of other packages, sorted; record a failure if their metadata is unreadable."""
    if not _may_have_entry_points():
        return []
    # Imported late: it brings Python's modules for mails, and reads the metadata of all packages.
    from importlib.metadata import entry_points

    try:
        return sorted(entry_points(group=ENTRY_POINTS), key=lambda each: (each.name, each.value))
    except Exception as error:  # noqa: BLE001 - damaged metadata of any installed package
        failures.append(f"The rules of other packages were not found: {error_text(error)}.")
        return []


def _may_have_entry_points() -> bool:
    """Return whether an installed package may add rules: the name of their group is in its metadata.

    Packages in archives, and those that other finders than Python's own know, may.
    """
    if any(hasattr(each, "find_distributions") and each is not PathFinder for each in sys.meta_path):
        return True
    mark = ENTRY_POINTS.encode("ascii")
    for place in dict.fromkeys(each or "." for each in sys.path):
        try:
            names = os.listdir(place)  # noqa: PTH208 - a path of an import does not have to be a text that Path accepts
        except NotADirectoryError:
            return True
        except (OSError, ValueError, TypeError):
            continue
        if any(name.endswith(".egg") for name in (str(place), *names)):
            return True
        for name in names:
            if name.endswith((".dist-info", ".egg-info")):
                try:
                    with open(f"{place}/{name}/entry_points.txt", "rb") as file:  # noqa: PTH123 - faster
                        if mark in file.read():
                            return True
                except OSError:
                    continue
    return False


def _rules_in(found: object) -> list[Rule]:
    if isinstance(found, Rule):
        return [found]
    if isinstance(found, ModuleType):
        return [each for each in vars(found).values() if isinstance(each, Rule)]
    if isinstance(found, Iterable):
        return [each for each in found if isinstance(each, Rule)]
    return []


def _sorted(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    return tuple(sorted(rules, key=lambda each: (not each.code.startswith("TRX"), each.code)))


def error_text(error: BaseException) -> str:
    """Return an error's class and message on one line, shortened and without a full stop."""
    try:
        message = str(error)
    except Exception:  # noqa: BLE001 - an error whose own text is one
        message = ""
    message = " ".join(message.encode("utf-8", "replace").decode("utf-8").split())
    return f"{type(error).__name__}{': ' if message else ''}{message}"[:300].rstrip(". ")
