"""Take figures and names out of accuracy files."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any, TypeVar

from trexreport.reader.accuracy.limits import LARGEST_FIGURE, LONGEST_NAME
from trexreport.reader.impossible import ImpossibleValues
from trexreport.reader.values import LONGEST_MS, integer
from trexreport.regex import regex

_Read = TypeVar("_Read")

#: Polygraphy numbers its runners and adds the time: "trt-runner-N0-11/22/26-12:34:25".
_STAMP = regex(r"-\d\d/\d\d/\d\d-\d\d:\d\d:\d\d$", re.ASCII)
#: Shares of all answers, as fractions or in percent: "top1", "top-5", "mAP@0.5", "mIoU".
_SHARE = regex(r"(?:top|acc(?:uracy)?|precision|recall|f1|auc|m?ap|m?iou)[-_@ .:\d]*", re.IGNORECASE)
_MOST_PERCENT = 100.0
_SPELLINGS = {
    "nan": math.nan,
    "inf": math.inf,
    "-inf": -math.inf,
    "infinity": math.inf,
    "-infinity": -math.inf,
}


def figure(value: Any, low: float = 0.0) -> float | None:
    """Return a number of JSON of at least `low`, or None for anything else, NaN and infinity included."""
    found = any_number(value)
    return found if found is not None and low <= found <= LARGEST_FIGURE else None


def any_number(value: Any) -> float | None:
    """Return a number of JSON or the text of one as it is, also NaN and infinity; None for anything else."""
    if isinstance(value, str):
        text = value.strip().lower()
        if text in _SPELLINGS:
            return _SPELLINGS[text]
        try:
            return float(text) if len(text) < 40 else None
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        return float(value)
    except OverflowError:
        return None


def count(value: Any) -> int | None:
    """Return a whole number from 0 on, or None for anything else."""
    found = integer(value)
    return found if found is not None and found >= 0 else None


def time_ms(value: Any) -> float | None:
    """Return a time in ms above 0, or None for anything else."""
    found = figure(value)
    return found if found is not None and 0 < found <= LONGEST_MS else None


def similarity(value: Any) -> float | None:
    """Return a cosine similarity, which may be rounded, or None for anything else."""
    found = any_number(value)
    return found if found is not None and -1.001 <= found <= 1.001 else None


def metric(name: str, value: Any) -> float | None:
    """Return a figure of the whole model, or None for what no figure of this name can be."""
    if _SHARE.fullmatch(name):
        found = figure(value)
        return found if found is not None and found <= _MOST_PERCENT else None
    return figure(value, -LARGEST_FIGURE)


def known_or_refused(
    values: ImpossibleValues, place: str, stated: Any, read: Callable[[Any], _Read | None]
) -> _Read | None:
    """Return what is read of a value, or None, with a note unless there is none."""
    found = read(stated)
    if found is None and stated is not None and stated != "":
        values.refuse(place, stated, "is not possible")
    return found


def tensor_name(value: Any) -> str | None:
    """Return a name of sensible length, or None."""
    return value if isinstance(value, str) and 0 < len(value) <= LONGEST_NAME else None


def runner_name(value: Any) -> str:
    """Return the name of a runner without the time at which it was made."""
    return _STAMP.sub("", value)[:200] if isinstance(value, str) else ""


def error_of_snr(value: Any) -> float | None:
    """Return the relative error of a signal-to-noise ratio in dB; infinity is an error of 0."""
    ratio = any_number(value)
    if ratio is None or math.isnan(ratio):
        return None
    if ratio == math.inf:
        return 0.0
    return 10 ** (-ratio / 20) if abs(ratio) <= 1_000 else None
