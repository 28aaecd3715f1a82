"""The type of what an error means, and remedies of errors in several places."""

from __future__ import annotations

from typing import Literal

from trexreport.lazy_dataclass import dataclass

#: What in a verbose log of the build names the part that was at work: what it timed last, else what it
#: computed costs of.
AtWork = Literal["", "timed", "timed or costed"]


@dataclass(frozen=True)
class Cause:
    """What a text in a log means; the message names groups of the pattern, which ignores case."""

    pattern: str
    message: str
    hint: str = ""
    at_work: AtWork = ""


PLUGIN_LIBRARY = "Give its library with --staticPlugins=FILE (--plugins=FILE up to TensorRT 8.5)."
