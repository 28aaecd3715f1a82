"""Show what is inside a TensorRT engine and what to do about it.

The public names are imported when they are first used, so that `import trexreport`
and `trexreport --help` stay fast.
"""

from __future__ import annotations

__version__ = "0.2.0"

# Type checkers know this name. Importing it would take time in which Ctrl-C ends a program with a traceback.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    from trexreport.analyzer import Analysis
    from trexreport.api import (
        PdfReport,
        Report,
        Settings,
        analyze,
        load,
        read_settings,
        render,
        render_pdf,
        summarize,
    )
    from trexreport.comparisons_api import (
        ComparisonPage,
        PdfComparison,
        compare,
        render_comparison,
        render_comparison_pdf,
    )
    from trexreport.model import Engine
    from trexreport.notebooks import display, figures
    from trexreport.phases_api import PhasesPage, load_phases, render_phases
    from trexreport.trex.df_preprocessing import clean_for_display
    from trexreport.trex.engine_plan import EnginePlan, summary_dict
    from trexreport.trex.graphing import layer_precision_formatter, layer_type_formatter, render_dot, to_dot
    from trexreport.trex.misc import group_count, group_mean_attr, group_sum_attr

_NAMES_OF = {
    "analyzer": "Analysis",
    "comparisons_api": "ComparisonPage PdfComparison compare render_comparison render_comparison_pdf",
    "model": "Engine",
    "trex.engine_plan": "EnginePlan summary_dict",
    "api": "PdfReport Report Settings analyze load read_settings render render_pdf summarize",
    "phases_api": "PhasesPage load_phases render_phases",
    "trex.df_preprocessing": "clean_for_display",
    "notebooks": "display figures",
    "trex.misc": "group_count group_mean_attr group_sum_attr",
    "trex.graphing": "layer_precision_formatter layer_type_formatter render_dot to_dot",
}
_HOMES = {name: f"trexreport.{home}" for home, names in _NAMES_OF.items() for name in names.split()}

__all__ = [
    "Analysis",
    "ComparisonPage",
    "Engine",
    "EnginePlan",
    "PdfComparison",
    "PdfReport",
    "PhasesPage",
    "Report",
    "Settings",
    "__version__",
    "analyze",
    "clean_for_display",
    "compare",
    "display",
    "figures",
    "group_count",
    "group_mean_attr",
    "group_sum_attr",
    "layer_precision_formatter",
    "layer_type_formatter",
    "load",
    "load_phases",
    "read_settings",
    "render",
    "render_comparison",
    "render_comparison_pdf",
    "render_dot",
    "render_pdf",
    "render_phases",
    "summarize",
    "summary_dict",
    "to_dot",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        import importlib

        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'trexreport' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
