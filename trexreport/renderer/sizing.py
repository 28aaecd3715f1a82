"""Make documents fit a size: leave out what is missed least first, and say so in the document."""

from __future__ import annotations

from collections.abc import Sequence

from trexreport.errors import UsageError
from trexreport.lazy_dataclass import dataclass
from trexreport.numbers import format_bytes, format_limit
from trexreport.renderer.variants import Variant


@dataclass(frozen=True)
class SizedReport:
    """A report that fits, and what was left out for that, in words."""

    data: bytes
    left_out: tuple[str, ...] = ()


def fit_report(variants: Sequence[Variant], max_bytes: int | None) -> SizedReport:
    """Return the first variant that fits.

    Args:
        variants: Of the report, each with less in it.
        max_bytes: How large it may be; None for any size.

    Raises:
        UsageError: Even the last variant does not fit.
    """
    data = b""
    left_out: tuple[str, ...] = ()
    for at, variant in enumerate(variants):
        left_out = tuple(each.left_out for each in variants[1 : at + 1])
        sentence = ""
        if max_bytes is not None and left_out:
            sentence = f"Left out to fit {format_limit(max_bytes)}: {', '.join(left_out)}."
        data = variant.render(sentence)
        if max_bytes is None or len(data) <= max_bytes:
            return SizedReport(data, left_out)
    raise UsageError(
        f"The report has {format_bytes(len(data))} even without everything that can be left out.",
        "Give a larger --max-size, or write a summary (.md).",
    )
