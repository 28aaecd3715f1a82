"""TRX904 engine.several-profiles."""

from __future__ import annotations

from collections.abc import Iterator

from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.rule import Hit, rule


@rule(
    "TRX904",
    "engine.several-profiles",
    "info",
    many="The engine has {count} sets of optimization profiles.",
    needs=(),
    section="overview",
)
def several_profiles(context: Context) -> Iterator[Hit]:
    """The engine holds several optimization profiles.

    Cost:
        Each profile has its own kernels and its own copy of every layer, so that the build takes longer and
        the plan is larger; each execution context uses one of them. Layers and times of one profile say
        nothing of the others.

    Advice:
        Measure each profile with shapes it is meant for (trtexec --useProfile=N --shapes=..., from 9.x on).
        Keep profiles narrow around the shapes that really occur; merge those whose times are the same.

    False alarm:
        None: it is a reminder of what the figures are about.

    Bound:
        None: which profile is used decides the application.
    """
    identity = context.analysis.identity
    if len(identity.optimization_profiles) > 1:
        yield Hit(
            f"The engine has {len(identity.optimization_profiles)} optimization profiles; "
            f"this is number {identity.optimization_profile}."
        )
