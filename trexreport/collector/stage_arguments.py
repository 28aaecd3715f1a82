"""Choose the arguments that each run gets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from trexreport.collector.arguments import Argument
from trexreport.collector.flags import FlagTable, Stage
from trexreport.errors import UsageError

#: What makes weights replaceable when an engine is built.
_REFITTABLE = frozenset({"refit", "stripWeights", "stripAllWeights"})
_REFIT = Argument("refit")
#: What may follow each --refPair.
_PAIRED = frozenset({"loadInputs", "loadRefOutputs"})


def arguments_for(arguments: Sequence[Argument], stage: Stage, table: FlagTable) -> list[Argument]:
    """Return the arguments that a run is to have.

    A run that loads an engine refits it only with --refit. Timing runs compare no outputs: of several pairs
    of inputs and reference outputs they get the inputs of the first.
    """
    chosen = [each for each in arguments if stage in table.stages_of(each.name)]
    if stage is Stage.BUILD:
        return chosen
    if stage is Stage.TIMING and any(each.name == "refPair" for each in arguments):
        chosen = _with_first_inputs(chosen)
    if any(each.name == "refitFromOnnx" for each in chosen):
        chosen.append(_REFIT)
    return chosen


def without_build(
    arguments: Sequence[Argument], table: FlagTable
) -> tuple[tuple[Argument, ...], tuple[str, ...]]:
    """Return the arguments that mean something for a built engine, and a note about the others."""
    only_builds = {
        each.name
        for each in arguments
        if table.stages_of(each.name) == {Stage.BUILD} and each.name not in table.own
    }
    names = ", ".join(dict.fromkeys(f"--{each.name}" for each in arguments if each.name in only_builds))
    notes = (f"Left out, for the engine is built already: {names}.",) if names else ()
    return tuple(each for each in arguments if each.name not in only_builds), notes


def check_refit(arguments: Iterable[Argument]) -> None:
    """Refuse to refit an engine that is built without a flag that makes it refittable.

    Raises:
        UsageError: --refitFromOnnx is given alone.
    """
    names = {each.name for each in arguments}
    if "refitFromOnnx" in names and not names & _REFITTABLE:
        raise UsageError("--refitFromOnnx needs an engine that can be refitted.", "Add --refit.")


def _with_first_inputs(arguments: Iterable[Argument]) -> list[Argument]:
    """Return the arguments with one --loadInputs at most."""
    kept: list[Argument] = []
    for argument in arguments:
        if argument.name not in _PAIRED or argument.name not in {each.name for each in kept}:
            kept.append(argument)
    return kept
