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
from dataclasses import dataclass
from functools import cache

from trexreport.resources import resource_text

_IMPORT = re.compile(r'^import \{([\w\s,$]*)\} from "([^"]+)";\n', re.MULTILINE)
_DECLARATION = re.compile(
    r"^(?P<export>export )?(?:async )?(?:function\*?|class|const|let|var) (?P<name>[\w$]+)", re.MULTILINE
)
_OTHER = re.compile(
    r"^(?:import\b.*|export (?!(?:async )?(?:function|class|const|let)\b).*|(?:const|let|var) [^\w$].*)$",
    re.MULTILINE,
)
#: A comment on lines of its own, or a type within a line.
_COMMENT = re.compile(r"^[ \t]*/\*[^*]*\*+(?:[^/*][^*]*\*+)*/[ \t]*\n|/\*\* @type [^*]*\*/ ?", re.MULTILINE)


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
    for names, target in _IMPORT.findall(source):
        if not target.startswith("."):
            raise ValueError(f"static/js/{path}: {target} is not a relative path")
        resolved = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
        imports[resolved] = (*imports.get(resolved, ()), *re.findall(r"[\w$]+", names))
    code = _IMPORT.sub("", source)
    if other := _OTHER.search(code):
        raise ValueError(f"static/js/{path}: this can't be joined: {other[0]}")
    declarations = list(_DECLARATION.finditer(code))
    return Module(
        path,
        imports,
        names=tuple(found["name"] for found in declarations),
        exports=frozenset(found["name"] for found in declarations if found["export"]),
        text=_compact(re.sub(r"^export ", "", code, flags=re.MULTILINE)),
    )


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


def _compact(code: str) -> str:
    """Return code without indentation and without most comments: a tenth of a small page."""
    lines = (line.strip() for line in _COMMENT.sub("", code).split("\n"))
    return "\n".join(line for line in lines if line and not line.startswith("//"))
