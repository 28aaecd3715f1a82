"""TREx 0.2.1 for notebooks: its modules, names and return values, on trexreport's readers.

    import trexreport.trex as trex
    from trexreport.trex.report_card import *

`docs/from-trex.md` lists where values differ on purpose. Modules are loaded when they are first used.
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.2.1"

_MODULES = {
    *("activations", "archiving", "colors", "compare_engines", "df_preprocessing", "engine_plan"),
    *("excel_summary", "graphing", "interactive", "layer", "lint", "misc", "notebook", "parser"),
    *("plotting", "report_card"),
}
#: Modules whose names the package has, too, as in TREx; the first one wins.
_STARRED = ("engine_plan", "misc", "lint", "colors")


def _starred() -> dict[str, str]:
    """Return each name that "from trexreport.trex import *" gives, and the module that has it."""
    homes: dict[str, str] = {}
    for module in _STARRED:
        for name in importlib.import_module(f"{__name__}.{module}").__all__:
            homes.setdefault(name, module)
    return homes


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    if name == "__all__":
        return __dir__()
    if not name.startswith("_"):
        home = _starred().get(name)
        if home is not None:
            return getattr(importlib.import_module(f"{__name__}.{home}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    core = {"activations", "colors", "df_preprocessing", "engine_plan", "layer", "lint", "misc", "parser"}
    return sorted({*core, *_starred()})
