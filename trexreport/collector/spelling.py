"""Translate the options of one version of trtexec into those of another."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from decimal import Decimal

from trexreport.collector.arguments import Argument
from trexreport.collector.flags import FlagTable
from trexreport.collector.versions import Version
from trexreport.regex import regex

#: How to measure: what the collector wants, and its opposite. Up to 10 trtexec has a flag for the first,
#: from 11 on it does the first by itself and has a flag for the second.
SWITCHED = (
    ("useCudaGraph", "noCudaGraph"),
    ("noDataTransfers", "includeDataTransfers"),
    ("useSpinWait", "noSpinWait"),
)
_VERBOSITY = {"verbose": "detailed", "default": "layer_names_only"}
_FIRST_UNTYPED_FORMATS = (11, 0)
_POOL = regex(r"([^:,]+):(\d+(?:\.\d*)?)\s*([BKMG])?(?:i?B)?", re.ASCII | re.IGNORECASE)
_MIB = {
    "B": Decimal(1) / 2**20,
    "K": Decimal(1) / 2**10,
    "M": Decimal(1),
    "G": Decimal(2**10),
}


def respelled(
    arguments: Iterable[Argument], version: Version, table: FlagTable
) -> tuple[tuple[Argument, ...], tuple[str, ...]]:
    """Return the arguments in the words of a version, and a note for each that means something else now.

    What the version does by itself is left out.
    """
    kept: list[Argument] = []
    notes: list[str] = []
    for argument in arguments:
        if table.is_without_effect(argument.name, version):
            continue
        renamed = _renamed(argument, version, table)
        changed, note = _with_portable_value(renamed, version)
        kept.append(changed)
        if note:
            notes.append(note)
    return tuple(kept), tuple(notes)


def measuring_arguments(
    arguments: Sequence[Argument], version: Version, table: FlagTable
) -> tuple[Argument, ...]:
    """Return the flags that measure on the GPU alone: CUDA graph, no transfers, spin wait.

    The user's word decides, in either spelling, the last one where both stand. TensorRT has no CUDA graphs
    on DLA, of which trtexec 11 warns.
    """
    found = []
    for wanted, opposite in SWITCHED:
        named = [each.name for each in arguments if each.name in {wanted, opposite}]
        on_dla = wanted == "useCudaGraph" and any(each.name == "useDLACore" for each in arguments)
        if (named[-1] if named else opposite if on_dla else wanted) == opposite:
            if table.takes(opposite, version):
                found.append(Argument(opposite))
        elif not table.is_without_effect(wanted, version):
            found.append(Argument(wanted))
    return tuple(found)


def without_switched(arguments: Iterable[Argument]) -> tuple[Argument, ...]:
    """Return the arguments without those that `measuring_arguments` decides about."""
    decided = {name for pair in SWITCHED for name in pair}
    return tuple(each for each in arguments if each.name not in decided)


def _renamed(argument: Argument, version: Version, table: FlagTable) -> Argument:
    """Return the argument under the name that the version has for it, the newer one if it has two."""
    name, value = argument.name, argument.value
    if name == "workspace" and table.takes("memPoolSize", version):
        return Argument("memPoolSize", f"workspace:{value}")
    if name in {"nvtxMode", "profilingVerbosity"} and table.takes("profilingVerbosity", version):
        return Argument("profilingVerbosity", _VERBOSITY.get(value or "", value))
    for older, newer in table.renamed.items():
        if name in {older, newer}:
            return Argument(newer if table.takes(newer, version) else older, value)
    return argument


def _with_portable_value(argument: Argument, version: Version) -> tuple[Argument, str]:
    """Return the argument with a value that this version reads as it is meant, and a note if that changed."""
    value = argument.value or ""
    if argument.name == "memPoolSize":
        new = ",".join(_pool_in_mib(pool) for pool in value.split(","))
        why = "trtexec's versions read units differently, and a plain number as MiB"
    elif argument.name in {"inputIOFormats", "outputIOFormats"} and version.release >= _FIRST_UNTYPED_FORMATS:
        new = ",".join(each.rpartition(":")[2] for each in value.split(","))
        why = "from TensorRT 11 on the model says the types"
    else:
        return argument, ""
    if new == value:
        return argument, ""
    changed = Argument(argument.name, new)
    return changed, f"{argument} is passed on as {changed}: {why}."


def _pool_in_mib(text: str) -> str:
    """Return "workspace:4096" for "workspace:4G"; what does not look like that is returned as it is.

    Up to 9.3 trtexec ignores the unit, in 10.0 it multiplies twice, and later "4096MiB" means bytes.
    """
    match = _POOL.fullmatch(text)
    if not match or text.endswith(match[2]):
        return text
    mib = Decimal(match[2]) * _MIB[(match[3] or "B").upper()]
    return f"{match[1]}:{mib.normalize():f}"
