"""Choose the layers of one optimization profile.

The inspector lists a copy of all layers for each profile; copies from the second on carry " [profile k]" in
the names of layers or tensors. Anonymous Myelin kernels carry only the number of their subgraph, which
belongs to the profile of any named member.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import field

from trexreport.errors import InputError
from trexreport.lazy_dataclass import dataclass
from trexreport.model import InputWarning
from trexreport.reader import layer_names
from trexreport.reader.graph_file import LayerGraph, RawLayer
from trexreport.reader.layer_profile import LayerProfile
from trexreport.reader.values import records


@dataclass(frozen=True)
class ChosenProfile:
    """The layers of one optimization profile, and which others the file has."""

    index: int
    layers: tuple[RawLayer, ...]
    available: tuple[int, ...]
    notes: tuple[InputWarning, ...] = field(default=())


def choose_profile(graph: LayerGraph, profile: LayerProfile | None, wanted: int | None) -> ChosenProfile:
    """Return the layers of the wanted profile; None takes the one that was measured, else the first.

    Raises:
        InputError: The file has no such profile.
    """
    owners = _owners(graph.layers) if graph.mentions_profiles else [0] * len(graph.layers)
    available = tuple(sorted(set(owners) | {0})) if graph.layers else (0,)
    if wanted is not None and wanted not in available:
        known = ", ".join(str(index) for index in available)
        raise InputError(f"There is no optimization profile {wanted}.", f"The file has: {known}.")
    if len(available) == 1:
        return ChosenProfile(available[0], graph.layers, available)
    index = wanted if wanted is not None else _measured(graph.layers, owners, profile)
    layers = tuple(raw for raw, owner in zip(graph.layers, owners, strict=True) if owner == index)
    message = f"The file has {len(available)} optimization profiles; this shows profile {index}."
    note = InputWarning(
        "info", "optimization-profiles", message, hint="Choose another with --profile-index N."
    )
    return ChosenProfile(index, layers, available, (note,))


def _owners(layers: tuple[RawLayer, ...]) -> list[int]:
    owners = [_owner(raw) for raw in layers]
    if not any(owners):
        return [0] * len(layers)
    stated = [(owner, layer_names.myelin_group(raw.name)) for owner, raw in zip(owners, layers, strict=True)]
    by_group: dict[str | None, int] = {None: 0}
    for owner, group in stated:
        if owner is not None:
            by_group.setdefault(group, owner)
    return [by_group.get(group, 0) if owner is None else owner for owner, group in stated]


def _measured(layers: tuple[RawLayer, ...], owners: list[int], profile: LayerProfile | None) -> int:
    """Return the optimization profile of most of the measured layers, the first one if in doubt."""
    owner_of = {raw.name: owner for raw, owner in zip(reversed(layers), reversed(owners), strict=True)}
    measured = Counter(owner_of[row.name] for row in profile.rows if row.name in owner_of) if profile else {}
    return min(measured, key=lambda owner: (-measured[owner], owner), default=0)


def _owner(raw: RawLayer) -> int | None:
    """Return the optimization profile that a layer's or one of its tensors' names state, else None."""
    items = [*records(raw.record.get("Inputs")), *records(raw.record.get("Outputs"))]
    names = [raw.name, *[item.get("Name") for item in items]]
    stating = [name for name in names if isinstance(name, str) and "[profile " in name]
    if not stating:
        # As most.
        return None
    found = map(layer_names.optimization_profile, stating)
    return next((profile for profile in found if profile is not None), None)
