"""Join the modules of `static/js` that a page needs into one script.

The modules are ES modules, so that Node, eslint and tsc can run on them as they are. A page holds one script
without imports, whose hash its policy names: the modules follow each other in one scope, each after those
that it imports. So that this means the same as the modules do, only these forms are allowed, each at the
beginning of a line: `import { name, ... } from "./file.js";`, and `export` before a function, class, const or
let.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from functools import cache

from trexreport.lazy_dataclass import dataclass
from trexreport.regex import regex
from trexreport.resources import resource_text

_IMPORT = regex(r'import \{([\w\s,$]*)\} from "([^"]+)";')
_DECLARATION = regex(r"(export )?(?:async )?(?:function\*?|class|const|let|var) ([\w$]+)")
#: A type within a line.
_TYPE = regex(r"/\*\* @type [^*]*\*/ ?")


@dataclass(frozen=True)
class Module:
    """A file in `static/js`.

    Attributes:
        imports: The names that it imports, by the path of their module.
        names: What it declares at its top level.
        exports: The declared names that other modules may import.
        text: Its code without imports, `export`, indentation and comments.
    """

    path: str
    imports: dict[str, tuple[str, ...]]
    names: tuple[str, ...]
    exports: frozenset[str]
    text: str


@cache
def page_script(page: str) -> str:
    """Return the script of a page.

    Args:
        page: Name of a file in `static/js/pages`, without its ending.

    Raises:
        ValueError: The modules can't be joined: two declare the same name at their top level, an imported
            name is not exported, modules import each other in a circle, or a form of import or export is not
            allowed.
    """
    modules = _in_order(f"pages/{page}.js")
    _check_names(modules)
    body = "\n".join(module.text for module in modules)
    return f'(() => {{\n"use strict";\n{body}\n}})();\n'


def parse_module(path: str, source: str) -> Module:
    """Return a module.

    Args:
        path: Below `static/js`.
        source: Its text.

    Raises:
        ValueError: It has a form of import or export that can't be joined.
    """
    imports: dict[str, tuple[str, ...]] = {}
    names: list[str] = []
    exports: set[str] = set()
    lines: list[str] = []
    for line in _code_lines(source):
        code = line.strip()
        if line[0].isalpha():
            if found := _IMPORT.fullmatch(line):
                target = _resolved(path, found[2])
                imports[target] = (*imports.get(target, ()), *re.findall(r"[\w$]+", found[1]))
                continue
            declaration = _DECLARATION.match(line)
            if declaration:
                names.append(declaration[2])
            elif line.startswith(("import", "export", "const", "let", "var")):
                raise ValueError(f"static/js/{path}: this can't be joined: {line}")
            if declaration and declaration[1]:
                exports.add(declaration[2])
                code = code.removeprefix("export ")
        lines.append(code)
    return Module(path, imports, tuple(names), frozenset(exports), "\n".join(lines))


def _code_lines(source: str) -> Iterator[str]:
    """Yield the lines without comments, which are half of a module, and without blank ones."""
    in_comment = False
    for line in source.split("\n"):
        code = line.lstrip()
        if in_comment or (code.startswith("/*") and "*/" not in code):
            in_comment = not code.endswith("*/")
        elif code and not code.startswith("//") and not (code.startswith("/*") and code.endswith("*/")):
            shown = _TYPE.sub("", line) if "/** @type" in line else line
            yield shown


def _resolved(path: str, target: str) -> str:
    if not target.startswith("."):
        raise ValueError(f"static/js/{path}: {target} is not a relative path")
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), target))


@cache
def _module(path: str) -> Module:
    return parse_module(path, resource_text("static", f"js/{path}"))


def _in_order(entry: str) -> list[Module]:
    """Return a module and all that it needs, each after those that it imports."""
    found: dict[str, Module] = {}

    def visit(path: str, importers: tuple[str, ...]) -> None:
        if path in importers:
            circle = " -> ".join((*importers[importers.index(path) :], path))
            raise ValueError(f"static/js: modules import each other: {circle}")
        if path in found:
            return
        module = _module(path)
        for target in module.imports:
            visit(target, (*importers, path))
        found[path] = module

    visit(entry, ())
    return list(found.values())


def _check_names(modules: list[Module]) -> None:
    by_path = {module.path: module for module in modules}
    owners: dict[str, str] = {}
    for module in modules:
        for name in module.names:
            if name in owners:
                raise ValueError(f"static/js: {owners[name]} and {module.path} both declare {name}")
            owners[name] = module.path
        for target, names in module.imports.items():
            if missing := sorted(set(names) - by_path[target].exports):
                raise ValueError(f"static/js/{module.path}: {target} does not export {', '.join(missing)}")
