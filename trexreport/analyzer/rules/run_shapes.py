"""The shapes of the inputs in a run, and those for which the builder chose its kernels."""

from __future__ import annotations

from collections.abc import Sequence

from trexreport.analyzer.rules.context import Context
from trexreport.model.stated_shapes import Shapes, StatedShapes, differing_inputs, shapes_text, stated_shapes

#: Factor between the elements of an input from which on other kernels may be faster.
OTHER_FACTOR = 1.5


def shapes_of(context: Context) -> StatedShapes:
    """Return the shapes that commands and optimization profiles state.

    Without a command that states those of the run, they are those that the layers have.
    """
    bindings = context.analysis.bindings
    profile = context.analysis.identity.optimization_profile
    stated = stated_shapes(context.analysis.commands, bindings, profile)
    if stated.run:
        return stated
    ranged = (each for each in bindings if each.shape_range and min(each.dimensions, default=0) > 0)
    return stated._replace(run={each.name: tuple(each.dimensions) for each in ranged})


def has_other_shapes(context: Context) -> bool:
    """Return whether the run has other shapes than those for which the builder chose its kernels."""
    return differing_shapes(context, OTHER_FACTOR) is not None


def shapes_of_run(context: Context) -> str:
    """Return the shapes of the run as --shapes takes them; empty if no command states them.

    Without --shapes trtexec runs those of --optShapes, if it runs the engine that it built at all.
    """
    stated = stated_shapes(context.analysis.commands)
    ran = [stated.run] if stated.run else stated.optimal if stated.profile else []
    texts = set(map(shapes_text, ran))
    return texts.pop() if len(texts) == 1 else ""


def has_unknown_optimum(context: Context) -> bool:
    """Return whether inputs have dynamic extents, and no file states for which the kernels were chosen."""
    if shapes_of(context).optimal:
        return False
    inputs = (each.dimensions for each in context.analysis.bindings if each.mode == "input")
    return bool(shapes_of_run(context)) or any(-1 in each for each in inputs)


def differing_shapes(context: Context, factor: float) -> tuple[Sequence[str], Shapes, Shapes] | None:
    """Return the inputs with other extents, those of the run, and the optimum; None if there are none.

    Args:
        context: The engine.
        factor: Minimum factor between the elements of an input.
    """
    stated = shapes_of(context)
    names = differing_inputs(stated, factor)
    return (names, stated.run, stated.optimal[0]) if names else None


def fitting_profile(context: Context, factor: float = OTHER_FACTOR) -> tuple[str, Shapes] | None:
    """Return another optimization profile with an optimum near the shapes of the run; None without one.

    There is none where they are near the optimum of the profile that the run used.
    """
    stated = shapes_of(context)
    if not differing_inputs(stated, factor):
        return None
    return next(
        (
            (profile, optimum)
            for profile, optimum in stated.others
            if not differing_inputs(stated._replace(optimal=[optimum]), factor)
        ),
        None,
    )


def profile_to_use(context: Context) -> str:
    """Return the optimization profile for the shapes of the run; empty where it is the first one."""
    fitting = fitting_profile(context)
    found = fitting[0] if fitting else shapes_of(context).profile
    return "" if found == "0" else found
