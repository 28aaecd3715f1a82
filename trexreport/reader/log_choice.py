"""Which of several captures or logs is shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from trexreport.model import InputWarning, Source
from trexreport.model.measured_log import MeasuredLog
from trexreport.reader.capture import Capture


class LogChoice(NamedTuple):
    """Which of several captures or logs is shown.

    Attributes:
        sources: The files, without those of other runs and builds.
        notes: On those that are left out.
        measured: What each of several measured.
        others: Those that are left out.
    """

    sources: Sequence[Source]
    notes: Sequence[InputWarning] = ()
    measured: Sequence[MeasuredLog] = ()
    others: Sequence[Capture] = ()
