"""Build options that restrict the choice of kernels."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from trexreport.analyzer.rules import Context
from trexreport.analyzer.rules.engine.build_flags import is_off, stated_value
from trexreport.analyzer.rules.engine.earlier_gpus import HARDWARE_LEVEL
from trexreport.regex import regex

#: Builder optimization levels below the default of 3.
_LOW_LEVELS = frozenset({"0", "1", "2"})
#: A source of tactics that is left out: "-CUDNN".
_LEFT_OUT = regex(r"(?:^|,)-")


def _is_on(value: str) -> bool:
    return not is_off(value)


class Restriction(NamedTuple):
    """A build option, the flag that sets it, whether a value restricts, and what that costs."""

    option: str
    flag: str
    restricts: Callable[[str], object]
    cost: str


#: Source: the options' documentation in NvInfer.h (IBuilderConfig, BuilderFlag, HardwareCompatibilityLevel).
_RESTRICTIONS = (
    Restriction(
        "BuilderOptimizationLevel",
        "--builderOptimizationLevel",
        _LOW_LEVELS.__contains__,
        "the builder tries fewer kernels than at the default level 3",
    ),
    Restriction("", "--heuristic", _is_on, "the builder times few kernels"),
    Restriction(*HARDWARE_LEVEL, _is_on, "only kernels that run on all these GPUs are used"),
    Restriction(
        "Version Compatible", "--versionCompatible", _is_on, "only what later versions can run is used"
    ),
    Restriction("Refit", "--refit", _is_on, "layers whose weights may change are fused less"),
    Restriction("Restricted mode", "--restricted", _is_on, "only kernels of the safety scope are used"),
    Restriction("MaxTactics", "--maxTactics", _is_on, "the builder times no more kernels for a layer"),
    Restriction("", "--tacticSources", _LEFT_OUT.search, "kernels of sources behind a minus are not tried"),
    Restriction(
        "", "--directIO", _is_on, "layers beside I/O tensors use only kernels of the requested formats"
    ),
    Restriction(
        "Distributive Independence",
        "--distributiveIndependence",
        _is_on,
        "only kernels that compute each item of a batch alike are used",
    ),
)


def restrictions_used(context: Context) -> Iterator[tuple[Restriction, str]]:
    """Yield the options that the build was given, each as the command line has it."""
    for each in _RESTRICTIONS:
        value = stated_value(context, each.option, each.flag)
        if value and each.restricts(value):
            yield each, each.flag if value == "Enabled" else f"{each.flag}={value}"
