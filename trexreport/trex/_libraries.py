"""Names of other libraries that TREx's modules pass on with `from trex.plotting import *`, loaded late.

Notebooks use `pd`, `px`, `partial` or `display` without importing them. A library that is not installed is
left out of what "*" imports, so that the rest works.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any

#: Name in TREx's modules to library and, after a colon, the object in it; others are libraries themselves.
_HOMES = {
    "BinaryIO": "typing:BinaryIO",
    "Callable": "typing:Callable",
    "Dict": "typing:Dict",
    "HTML": "IPython.display:HTML",
    "IPython": "IPython.display",
    "List": "typing:List",
    "OrderedDict": "collections:OrderedDict",
    "Tuple": "typing:Tuple",
    "deepcopy": "copy:deepcopy",
    "defaultdict": "collections:defaultdict",
    "go": "plotly.graph_objects",
    "make_subplots": "plotly.subplots:make_subplots",
    "np": "numpy",
    "partial": "functools:partial",
    "pd": "pandas",
    "plotly": "plotly.graph_objects",
    "px": "plotly.express",
    "widgets": "ipywidgets:widgets",
}
#: Libraries whose top module is meant, though a module in it has to be loaded with it.
_TOP = {"IPython", "plotly"}


def has_library(name: str) -> bool:
    """Return whether a library is installed, without loading it."""
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False


def pass_on(
    module: str, exported: list[str], libraries: str, others: Iterable[ModuleType] = ()
) -> Callable[[str], Any]:
    """Return a module's `__getattr__`, which loads what it passes on when it is first used.

    Args:
        module: Its name.
        exported: Its `__all__`, which what it passes on is added to.
        libraries: Names of libraries, separated by spaces; those that are not installed are left out.
        others: Modules of TREx whose names it passes on.
    """
    offered = [name for name in libraries.split() if has_library(re.split("[.:]", _HOMES.get(name, name))[0])]
    homes = {name: other for other in others for name in other.__all__ if name not in offered}
    exported += [name for name in (*offered, *homes) if name not in exported]

    def load(name: str) -> Any:
        if name in homes:
            return getattr(homes[name], name)
        if name not in offered:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        home, _, member = _HOMES.get(name, name).partition(":")
        try:
            found = importlib.import_module(home)
        except ImportError as error:
            raise AttributeError(f"module {module!r} has no {name!r}: {error}") from None
        if name in _TOP:
            return importlib.import_module(name)
        return getattr(found, member) if member else found

    return load
