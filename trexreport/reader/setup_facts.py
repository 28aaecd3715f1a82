"""What the files of a capture say about how an engine was built, on what it ran and how fast."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, fields
from typing import Any, TypeVar

from trexreport.lazy_dataclass import dataclass
from trexreport.model import InputWarning, Measurement, Setup
from trexreport.reader.layer_profile import LayerProfile

_Facts = TypeVar("_Facts", "SetupFacts", Setup, Measurement)


@dataclass(frozen=True)
class SetupFacts:
    """What one metadata file, manifest or log says, or all of them together.

    Attributes:
        profile: The table of layer times that a log may hold.
        finished: True if a log says PASSED, False if any run in it says FAILED, None if a run has no end.
        errors: Error texts of logs, each once.
        paths: Those of "model" and "engine" that a manifest states.
        extra: Marks that belong to the engine as a whole, such as "Synthetic".
    """

    setup: Setup = field(default_factory=Setup)
    measurement: Measurement = field(default_factory=Measurement)
    profile: LayerProfile | None = None
    finished: bool | None = None
    errors: tuple[str, ...] = ()
    paths: Mapping[str, str] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[InputWarning, ...] = ()

    @property
    def is_empty(self) -> bool:
        """True if nothing was learned."""
        return self.setup == Setup() and self.measurement == Measurement() and self.profile is None


def merge(facts: Sequence[_Facts]) -> _Facts:
    """Join facts into one; where several state the same thing, the earlier one wins.

    Mappings are joined key by key and tuples item by item. Put logs before TREx's metadata, which cuts values
    at their second colon.
    """
    joined = {each.name: _merged([getattr(fact, each.name) for fact in facts]) for each in fields(facts[0])}
    return type(facts[0])(**joined)


def _merged(values: Sequence[Any]) -> Any:
    if isinstance(values[0], (Setup, Measurement)):
        return merge(values)
    if isinstance(values[0], tuple):
        return tuple(dict.fromkeys(item for value in values for item in value))
    if isinstance(values[0], Mapping):
        joined: dict[str, Any] = {}
        for mapping in values:
            joined |= {key: value for key, value in mapping.items() if key not in joined}
        return joined
    return next((value for value in values if value not in (None, "")), values[0])
