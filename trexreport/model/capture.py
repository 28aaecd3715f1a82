"""The files that an engine was read from, and what happened while reading."""

from __future__ import annotations

import hashlib
from dataclasses import field
from functools import cached_property
from typing import Final, Literal

from trexreport.lazy_dataclass import dataclass

#: Worth knowing; handled, so that the figures are right; some panels suffer.
NoteSeverity = Literal["info", "repaired", "degraded"]

#: Slug of the notes on values that nothing can have, and of those on values that are legal and rare.
IMPOSSIBLE: Final = "impossible-values"
#: That times of layers are sums over an unknown number of runs.
PROFILE_SUMS: Final = "profile-sums"
#: That a log states a part of the layers, and the rest is known by name.
PART: Final = "log-part-of-layers"
#: That outputs of layers go nowhere.
TORN: Final = "torn-layers"
UNUSUAL: Final = "unusual-values"


@dataclass(frozen=True)
class Source:
    """One input file, whole.

    Attributes:
        role: What it was read as: "graph", "profile", "timing", "timing-run" (a further one), "samples",
            "gpu", "onnx" (the structure of the model), "accuracy", "kernels" (of a trace),
            "counters" (of kernels), "metadata", "build-metadata", "profile-metadata", "log" or
            "manifest"; "latency" for the times of what is not an engine.
        name: File name without folders.
        data: Its bytes, exactly as found.
    """

    role: str
    name: str
    data: bytes = field(repr=False)

    @cached_property
    def sha256(self) -> str:
        """Hash of the bytes, in hexadecimal."""
        return hashlib.sha256(self.data).hexdigest()


#: Before the error in a note that a run failed.
STATES_ERROR = " Its error: "


@dataclass(frozen=True)
class InputWarning:
    """Something that was missing, odd or repaired while reading.

    Attributes:
        severity: "info" (worth knowing), "repaired" (handled, figures are right) or
            "degraded" (some panels suffer).
        slug: Short stable name of the kind of note.
        message: One sentence for a person.
        source: Name of the file, or empty.
        affects: Panels of the report that suffer.
        hint: What to do about it, or empty.
    """

    severity: NoteSeverity
    slug: str
    message: str
    source: str = ""
    affects: tuple[str, ...] = ()
    hint: str = ""
