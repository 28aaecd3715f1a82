"""TRX906 engine.version-advice."""

from __future__ import annotations

from trexreport.analyzer.rules import Context, Hit, Hits, built_in_rule
from trexreport.analyzer.rules.engine.build_flags import (
    FIRST_WITHOUT,
    FLAG,
    FLAG_OF_TYPE,
    FLAG_WITH_VALUE,
    WORKSPACE_WITH_UNIT,
)


@built_in_rule(
    "warning",
    many="{count} options have another meaning in this TensorRT version.",
    needs=("version",),
    section="build",
)
def version_advice(context: Context) -> Hits:
    """An option has another meaning in this TensorRT version.

    Cost:
        A workspace of a few bytes rules out most fast kernels without a warning. A flag set to 0 that enables
        something, or one that no longer has an effect, builds another engine than intended.

    Recommendation:
        [8.4.., if unit: Write the workspace as a plain number, which is MiB in every version
        (--memPoolSize=workspace:4096).] [if valued: Omit flags instead of setting them to 0.] [if
        typed-flags: Omit the flags that state types.]
        [unless unit, unless valued, unless typed-flags: `trtexec --help` lists the options of this version.]

    False alarm:
        The workspace was meant to be so small; or the network needs none.

    Est. savings:
        Not estimated: only another build shows it.
    """
    version = context.version or (0, 0)
    for command in context.analysis.commands:
        if (found := WORKSPACE_WITH_UNIT.search(command)) and (
            meaning := _workspace(found[1], found[2], version)
        ):
            yield Hit(f"{found.group()} is {meaning} in this version.", (), None, {"Option": found.group()})
        for found in FLAG_WITH_VALUE.finditer(command):
            message = f"{found.group()} enables {found.group(1)}: trtexec ignores the value of such a flag."
            yield Hit(message, (), None, {"Option": found.group()})
        if (9, 0) <= version < FIRST_WITHOUT and "--stronglyTyped" in command:
            for flag in FLAG.findall(command):
                if flag in FLAG_OF_TYPE.values():
                    message = f"{flag} has no effect with --stronglyTyped: the network's types decide."
                    yield Hit(message, (), None, {"Option": flag}, severity="info")


def _workspace(amount: str, unit: str, version: tuple[int, int]) -> str:
    """Return what a workspace with a unit means in this version; an empty text if that is what it states."""
    if version < (10, 0):
        is_mebibytes = unit.upper() in {"M", "MB", "MIB"}
        return "" if is_mebibytes else f"{amount} MiB: up to TensorRT 9 the unit is ignored"
    if version == (10, 0):
        return "far more than stated: TensorRT 10.0 applies the unit twice"
    if len(unit) > 1 and unit[-1] in "Bb":
        return f"{amount} bytes: only the last letter of the unit counts"
    return ""
