"""The order of classes, such as layer types and precisions, which is the same in every legend."""

from __future__ import annotations

from collections.abc import Iterable

from trexreport.renderer.palette import FAMILIES, PRECISIONS, SYNONYMS, color, family

_ORDER = {
    "type": tuple(FAMILIES),
    "precision": tuple(PRECISIONS),
    "bound": ("compute", "memory", "latency"),
}
_NO_CLASS = 1000


def legend_place(role: str) -> tuple[int, str]:
    """Return what legends sort a role by, so that classes have one order in all of them.

    Types are in the order of their families, precisions from wide to narrow, bounds as on the roofline; names
    of no known class follow, then what is not stated. Other roles are last, in the order that they have.
    """
    kind, _, name = role.partition(":")
    if kind not in _ORDER:
        return _NO_CLASS, ""
    if name.endswith("not stated") or name in ("", "None"):
        return len(_ORDER[kind]) + 1, ""
    known = name.strip().upper()
    known = SYNONYMS.get(known, known) if kind == "precision" else family(name) if kind == "type" else name
    order = _ORDER[kind]
    return (order.index(known) if known in order else len(order)), name


def colors_in_order(kind: str, names: Iterable[str | None]) -> dict[str | None, str]:
    """Return the color of each class of a kind, such as "type", in the order of legends."""
    ordered = sorted(names, key=lambda name: legend_place(f"{kind}:{name}"))
    return {name: color(f"{kind}:{name}") for name in ordered}
