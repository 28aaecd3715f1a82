"""Build options that restrict the choice of kernels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from trexreport.analyzer.rules import Context
from trexreport.analyzer.rules.engine.build_flags import is_off, stated_value
from trexreport.analyzer.rules.engine.earlier_gpus import HARDWARE_LEVEL

#: Builder optimization levels below the default of 3.
_LOW_LEVELS = frozenset({"0", "1", "2"})


class Restriction(NamedTuple):
    """A build option, the flag that sets it, the values that restrict, and what they cost.

    `values` None is every value except those that say the option is off.
    """

    option: str
    flag: str
    values: frozenset[str] | None
    cost: str


#: Source: the options' documentation in NvInfer.h (IBuilderConfig, BuilderFlag, HardwareCompatibilityLevel).
_RESTRICTIONS = (
    Restriction(
        "BuilderOptimizationLevel",
        "--builderOptimizationLevel",
        _LOW_LEVELS,
        "the builder tries fewer kernels than at the default level 3",
    ),
    Restriction("", "--heuristic", None, "the builder times few kernels"),
    Restriction(
        *HARDWARE_LEVEL,
        None,
        "only kernels that run on all these GPUs are used",
    ),
    Restriction(
        "Version Compatible",
        "--versionCompatible",
        None,
        "only what later versions can run is used",
    ),
    Restriction("Refit", "--refit", None, "layers whose weights may change are fused less"),
    Restriction("Restricted mode", "--restricted", None, "only kernels of the safety scope are used"),
    Restriction("MaxTactics", "--maxTactics", None, "the builder times no more kernels for a layer"),
)


def restrictions_used(context: Context) -> Iterator[tuple[Restriction, str]]:
    """Yield the options that the build was given, each as the command line has it."""
    for each in _RESTRICTIONS:
        value = stated_value(context, each.option, each.flag)
        if value in each.values if each.values is not None else not is_off(value):
            yield each, each.flag if value == "Enabled" else f"{each.flag}={value}"
