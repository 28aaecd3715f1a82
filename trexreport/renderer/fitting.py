"""Make a report fit a size: leave out what is missed least first, and say so in the report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from trexreport.analyzer.analysis import Analysis, Note
from trexreport.errors import UsageError
from trexreport.model import Source
from trexreport.numbers import format_bytes, format_limit
from trexreport.renderer.html import HtmlOptions, render_html

#: What a page can go without, in the order in which it is left out. Documented in docs/reading-a-report.md.
CHARTS, ATTRIBUTES, INPUTS = "interactive charts", "all attributes of the layers", "the input files"


@dataclass(frozen=True)
class Fitted:
    """A report that fits, and what was left out for it, in words."""

    data: bytes
    left_out: tuple[str, ...] = ()


def fit_html(
    analysis: Analysis, sources: Sequence[Source], options: HtmlOptions, most_bytes: int | None
) -> Fitted:
    """Return the page with as much as fits; everything if `most_bytes` is None.

    Raises:
        UsageError: It does not fit even without all that can be left out.
    """
    steps = [(CHARTS, replace(options, interactive_charts=False))] if options.interactive_charts else []
    least = steps[-1][1] if steps else options
    steps.append((ATTRIBUTES, least := replace(least, raw_attributes=False)))
    if sources and options.embed_inputs:
        steps.append((INPUTS, replace(least, embed_inputs=False)))

    def render(noted: Analysis, count: int) -> bytes:
        return render_html(noted, sources, steps[count - 1][1] if count else options)

    return _fit(analysis, render, [what for what, _ in steps], most_bytes)


def fit_pdf(
    analysis: Analysis, sources: Sequence[Source], shown: frozenset[str], most_bytes: int | None
) -> Fitted:
    """Return the PDF, without the attached inputs if it does not fit with them; see `fit_html`."""
    from trexreport.renderer.pdf import render_pdf

    def render(noted: Analysis, count: int) -> bytes:
        return render_pdf(noted, () if count else sources, shown)

    return _fit(analysis, render, [INPUTS] if sources else [], most_bytes)


def refuse_if_larger(data: bytes, most_bytes: int | None) -> Fitted:
    """Return what nothing can be left out of.

    Raises:
        UsageError: It is too large.
    """
    if most_bytes is not None and len(data) > most_bytes:
        raise _too_large(len(data))
    return Fitted(data)


def _fit(
    analysis: Analysis,
    render: Callable[[Analysis, int], bytes],
    steps: Sequence[str],
    most_bytes: int | None,
) -> Fitted:
    """Leave out one thing more each time; `render` gets how many of `steps` are left out."""
    data = render(analysis, 0)
    count = 0
    while most_bytes is not None and len(data) > most_bytes:
        if count == len(steps):
            raise _too_large(len(data))
        count += 1
        left_out = ", ".join(steps[:count])
        message = f"Left out so that the report fits {format_limit(most_bytes)}: {left_out}."
        noted = replace(analysis, notes=[*analysis.notes, Note("info", "left-out", message, "", [], "")])
        data = render(noted, count)
    return Fitted(data, tuple(steps[:count]))


def _too_large(size: int) -> UsageError:
    return UsageError(
        f"The report has {format_bytes(size)} even without all that can be left out.",
        "Give it a larger --max-size, or write a summary, .md.",
    )
