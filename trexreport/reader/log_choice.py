"""Which of several captures or logs is shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from trexreport.model import InputWarning, Source
from trexreport.model.measured_log import MeasuredLog


class LogChoice(NamedTuple):
    """Which of several captures or logs is shown.

    Attributes:
        sources: The files, without those of other runs and builds.
        notes: On those that are left out.
        measured: What each of several measured.
        others: The files of each that is left out.
    """

    sources: Sequence[Source]
    notes: Sequence[InputWarning] = ()
    measured: Sequence[MeasuredLog] = ()
    others: Sequence[tuple[Source, ...]] = ()
