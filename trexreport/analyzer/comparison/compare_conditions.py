"""List under which conditions each engine was built and measured, and how grave it is that they differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trexreport.analyzer.analysis import Analysis
from trexreport.analyzer.analysis.comparison import BLOCKS, EXPLAINS, GRAVITIES, HARMLESS, Condition
from trexreport.analyzer.comparison.compare_fields import FIELDS, KNOWN_OPTIONS, SHAPES
from trexreport.model import Engine

#: Conditions on which it depends how much there is to do.
_AMOUNT = ("batch", SHAPES)
_SECTIONS = (
    ("build_options", "build option", EXPLAINS, "Other options may give another engine."),
    ("inference_options", "measurement option", EXPLAINS, "Other options may give other times."),
    ("device", "device", EXPLAINS, "It is a property of the GPU."),
)
#: Options that change no time: where files lie and what is printed or named.
_IDLE = (
    "Save engine",
    "Load engine",
    "Save weights",
    "timingCacheFile",
    "timingCacheMode",
    "Lean DLL Path",
    "Iterations",
    "NVTX verbosity",
    "Output",
    "Outputs",
    "Inputs",
    "Selected Device ID",
    "Selected Device UUID",
    "Debug Tensors",
    "Debug Tensor Save Destinations",
    "Time Deserialize",
    "Time Refit",
)


def conditions(engines: Sequence[Engine], analyses: Sequence[Analysis]) -> list[Condition]:
    """Return the conditions that are known of any engine, and those that block a comparison in any case.

    Those in which engines differ come first, then those not known of all, the gravest first among equals.
    """
    found = []
    for field in FIELDS:
        values = [field.value(engine, analysis) for engine, analysis in zip(engines, analyses, strict=True)]
        if any(values) or field.gravity == BLOCKS:
            found.append(_condition(field.name, values, field.gravity, field.why))
    found += [each for each in _other_options(engines) if each.differs]
    return sorted(found, key=_rank)


def obstacles(found: Sequence[Condition], baseline: int, engine: int) -> list[str]:
    """Return the conditions that block the comparison of two engines, as they are known to differ."""
    return [
        each.name
        for each in found
        if each.gravity == BLOCKS
        and each.values[baseline]
        and each.values[engine]
        and not _is_equal(each.name, each.values[baseline], each.values[engine])
    ]


def _is_equal(name: str, one: str, other: str) -> bool:
    """Tell whether two values come to the same; images may have their channels first or last."""
    if name == SHAPES:
        one, other = (
            " ".join(sorted(" ".join(sorted(shape.split("×"))) for shape in value.split(", ")))
            for value in (one, other)
        )
    return one == other


def other_amount(found: Sequence[Condition], baseline: int, engine: int) -> str:
    """Say in which conditions that decide on the amount of work two engines are known to differ, if any."""
    differing = obstacles([each for each in found if each.name in _AMOUNT], baseline, engine)
    told = [
        f"{each.name} {each.values[engine]} against {each.values[baseline]}"
        for each in found
        if each.name in differing
    ]
    return f"Not the same amount of work: {' and '.join(told)}." if told else ""


def _rank(condition: Condition) -> tuple[int, int]:
    kind = 0 if condition.differs else 1 if condition.unknown else 2
    return kind, GRAVITIES.index(condition.gravity)


def _condition(name: str, values: list[str], gravity: str, why: str) -> Condition:
    known = {value for value in values if value}
    return Condition(name, values, len(known) > 1, not all(values), gravity, why)


def _other_options(engines: Sequence[Engine]) -> Iterator[Condition]:
    """Find the other options of trtexec, by name."""
    for section, title, gravity, why in _SECTIONS:
        options = [getattr(engine.setup, section) for engine in engines]
        for key in sorted({key for each in options for key in each}):
            if (section, key) not in KNOWN_OPTIONS:
                values = [each.get(key, "").strip() for each in options]
                if key in _IDLE:
                    yield _condition(f"{title} “{key}”", values, HARMLESS, "It changes no time.")
                else:
                    yield _condition(f"{title} “{key}”", values, gravity, why)
