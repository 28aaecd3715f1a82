"""Which logs of a capture are shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from trexreport.model import InputWarning, Source
from trexreport.model.measured_log import MeasuredLog


class LogChoice(NamedTuple):
    """Which logs of a capture are shown.

    Attributes:
        sources: The files, without logs of other runs and builds.
        notes: On those that are left out.
        measured: What each of several logs measured.
        others: The logs that are left out.
    """

    sources: Sequence[Source]
    notes: Sequence[InputWarning] = ()
    measured: Sequence[MeasuredLog] = ()
    others: Sequence[Source] = ()
