"""TRX904 engine.multiple-profiles."""

from __future__ import annotations

from trexreport.analyzer.rules import Context, Hit, Hits, built_in_rule


@built_in_rule("info", former_name="engine.several-profiles", needs=(), section="overview")
def multiple_profiles(context: Context) -> Hits:
    """The engine has several optimization profiles.

    Cost:
        Each profile has its own kernels and its own copy of every layer, so that the build takes longer and
        the engine is larger; each execution context uses one of them. Layers and times of one profile do not
        apply to the others.

    Recommendation:
        Measure each profile with shapes it is meant for. [9.3..: trtexec selects one with --useProfile=N
        and --shapes.] Keep profiles narrow around the shapes that occur; merge those with equal times.

    False alarm:
        None: it is a reminder of which profile the figures are for.

    Est. savings:
        Not estimated: the application decides which profile is used.
    """
    identity = context.analysis.identity
    if len(identity.optimization_profiles) > 1:
        yield Hit(
            f"The engine has {len(identity.optimization_profiles)} optimization profiles; "
            f"the report shows profile {identity.optimization_profile}."
        )
