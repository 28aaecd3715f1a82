"""A decorator for dataclasses of which an engine has tens of thousands.

`frozen=True` makes creating them about three times as slow, which an engine of 20,000 layers shows. So
only the type checker enforces that nothing is assigned after construction.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

FactsT = TypeVar("FactsT")

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform
else:

    def dataclass_transform(**_: bool) -> Callable[[FactsT], FactsT]:
        """Return a decorator that changes nothing: only the type checker needs it."""
        return lambda decorated: decorated


@dataclass_transform(frozen_default=True)
def bulk_facts(kind: type[FactsT]) -> type[FactsT]:
    """Return the class as a dataclass with slots, which the type checker takes for a frozen one."""
    return dataclass(slots=True)(kind)
