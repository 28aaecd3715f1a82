"""Engines that run for one request: encoder and decoder, prefill and decode, DLA and GPU."""

from __future__ import annotations

from trexreport.lazy_dataclass import dataclass
from trexreport.model.engine import Engine


@dataclass(frozen=True)
class Phase:
    """One engine of several that run for one request.

    Attributes:
        name: Distinct among the phases of a set.
        engine: As it was read.
        times: How often it runs for a request, as the user states it; None if it is not stated.
    """

    name: str
    engine: Engine
    times: int | None = None
