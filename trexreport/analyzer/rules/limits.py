"""Thresholds that several rules have, and others in percent."""

from __future__ import annotations

from trexreport.analyzer.rules.rule import Threshold


def percent(
    name: str, default: float, meaning: str, *, maximum: float = 100, former_name: str = ""
) -> Threshold:
    """Return a threshold in percent, from 0 to 100 unless another maximum is given."""
    return Threshold(name, default, 0, maximum, meaning, former_name)


def min_share(default: float, of: str, *, name: str = "share_percent") -> Threshold:
    """Return the threshold for the share of layer time that something takes."""
    return percent(name, default, f"Minimum share of {of}, in percent of layer time.")


def min_difference(default: float, what: str) -> Threshold:
    """Return the threshold for the difference of two times; `what` says of which, and in percent of what."""
    return percent("difference_percent", default, f"Minimum difference {what}.", maximum=1000)


def min_gain(default: float) -> Threshold:
    """Return the threshold for `worthwhile`."""
    return percent(
        "gain_percent", default, "Minimum est. savings of all places together, in percent of layer time."
    )
