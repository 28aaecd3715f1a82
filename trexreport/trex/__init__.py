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
#: Modules whose names the package has, too. TREx 0.2 has those of the first four, 0.1 had them all, and
#: notebooks were written for both.
_STARRED = (
    *("engine_plan", "misc", "lint", "colors", "notebook", "plotting", "graphing", "interactive"),
    *("report_card", "compare_engines", "excel_summary", "archiving"),
)
#: TREx's programs, which notebooks import from its folder `utils`, and what there is instead.
_PROGRAMS = {
    "config_gpu": "trexreport collect --lock-clocks",
    "device_info": "trexreport doctor",
    "draw_engine": "python -m trexreport.trex draw",
    "parse_trtexec_log": "trexreport collect --from-log",
    "process_engine": "trexreport collect",
    "summarize_engine": "python -m trexreport.trex summary",
}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    if name == "__all__":
        return __dir__()
    if not name.startswith("_"):
        for module in map(__getattr__, _STARRED):
            if name in module.__all__:
                return getattr(module, name)
    instead = f"; use `{_PROGRAMS[name]}` instead" if name in _PROGRAMS else ""
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}{instead}")


def __dir__() -> list[str]:
    starred = (name for module in map(__getattr__, _STARRED) for name in module.__all__)
    return sorted({*_MODULES, *starred})
