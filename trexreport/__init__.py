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

_HOMES = {
    "Analysis": "trexreport.analyzer",
    "ComparisonPage": "trexreport.comparisons_api",
    "Engine": "trexreport.model",
    "EnginePlan": "trexreport.trex.engine_plan",
    "PdfComparison": "trexreport.comparisons_api",
    "PdfReport": "trexreport.api",
    "PhasesPage": "trexreport.phases_api",
    "Report": "trexreport.api",
    "Settings": "trexreport.api",
    "analyze": "trexreport.api",
    "clean_for_display": "trexreport.trex.df_preprocessing",
    "compare": "trexreport.comparisons_api",
    "display": "trexreport.notebooks",
    "figures": "trexreport.notebooks",
    "group_count": "trexreport.trex.misc",
    "group_mean_attr": "trexreport.trex.misc",
    "group_sum_attr": "trexreport.trex.misc",
    "load": "trexreport.api",
    "load_phases": "trexreport.phases_api",
    "read_settings": "trexreport.api",
    "render": "trexreport.api",
    "render_comparison": "trexreport.comparisons_api",
    "render_comparison_pdf": "trexreport.comparisons_api",
    "render_pdf": "trexreport.api",
    "render_phases": "trexreport.phases_api",
    "layer_precision_formatter": "trexreport.trex.graphing",
    "layer_type_formatter": "trexreport.trex.graphing",
    "render_dot": "trexreport.trex.graphing",
    "summarize": "trexreport.api",
    "summary_dict": "trexreport.trex.engine_plan",
    "to_dot": "trexreport.trex.graphing",
}

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
