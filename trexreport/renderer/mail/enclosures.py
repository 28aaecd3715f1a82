"""The reports that go with a mail, and what is left of them where a mail may not be larger."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from trexreport.analyzer.analysis import Analysis, Note
from trexreport.analyzer.analysis.comparison import Comparison
from trexreport.errors import UsageError
from trexreport.model import ExternalLatency, Source
from trexreport.numbers import format_bytes, format_limit
from trexreport.renderer.fitting import ATTRIBUTES, INPUTS

#: What can go with a mail.
KINDS = ("pdf", "html", "md", "json")
_CALLED = {"pdf": "the PDF", "html": "the HTML", "md": "the Markdown", "json": "the JSON"}
#: In which order the reports become smaller, then go. JSON can be made again of the inputs of the others, PDF
#: gets past gateways that throw HTML away, and Markdown is small.
#: Documented in docs/mailing.md.
_GONE_FIRST = ("json", "html", "pdf", "md")

_Mail = TypeVar("_Mail")


@dataclass(frozen=True)
class Form:
    """One way to make a report.

    Attributes:
        left_out: What the form before it still has, in words; empty for the first.
        render: Returns the report; it is to say what was left out of it.
    """

    left_out: str
    render: Callable[[str], bytes]


@dataclass(frozen=True)
class Enclosure:
    """A report of one kind in forms of which each leaves out more than the one before it."""

    kind: str
    forms: tuple[Form, ...]


@dataclass(frozen=True)
class Enclosed:
    """Reports as they go with a mail.

    Attributes:
        files: Content by kind.
        left_out: Which of them and what of them is left out, in one sentence; empty for nothing.
    """

    files: dict[str, bytes]
    left_out: str


def report_enclosures(
    analysis: Analysis, sources: Sequence[Source], kinds: Sequence[str]
) -> tuple[Enclosure, ...]:
    """Return the reports of one engine; their charts are static, as a mail is to be small."""
    return tuple(Enclosure(kind, _report_forms(kind, analysis, sources)) for kind in kinds)


def comparison_enclosures(
    comparison: Comparison,
    analyses: Sequence[Analysis],
    sources: Sequence[Sequence[Source]],
    focus: int,
    kinds: Sequence[str],
    *,
    others: Sequence[ExternalLatency] = (),
) -> tuple[Enclosure, ...]:
    """Return the documents of a comparison; arguments are those of its PDF."""
    return tuple(
        Enclosure(kind, _comparison_forms(kind, comparison, analyses, sources, focus, others=others))
        for kind in kinds
    )


def fit_enclosures(
    enclosures: Sequence[Enclosure], most_bytes: int | None, build: Callable[[Enclosed], tuple[_Mail, int]]
) -> _Mail:
    """Return the mail with as much as fits.

    Args:
        enclosures: One for each kind at most.
        most_bytes: How large the mail may be; None for any size.
        build: Returns the mail with these reports, and its size in bytes.

    Raises:
        UsageError: It does not fit even without any report.
    """
    rendered: dict[tuple[str, int], bytes] = {}
    fits = "" if most_bytes is None else f"Left out so that the mail fits {format_limit(most_bytes)}"
    size = 0
    for chosen in _steps(enclosures):
        files = {}
        for each in enclosures:
            at = each.kind, chosen[each.kind]
            if at[1] < len(each.forms):
                rendered[at] = rendered.get(at) or _rendered(each, at[1], fits)
                files[each.kind] = rendered[at]
        left_out = _left_out(enclosures, chosen)
        mail, size = build(Enclosed(files, f"{fits}: {left_out}." if left_out else ""))
        if most_bytes is None or size <= most_bytes:
            return mail
    raise UsageError(
        f"The mail has {format_bytes(size)} even without any report.", "Give it a larger --max-size."
    )


def _rendered(enclosure: Enclosure, count: int, fits: str) -> bytes:
    return enclosure.forms[count].render(f"{fits}: {_what(enclosure, count)}." if count else "")


def _steps(enclosures: Sequence[Enclosure]) -> Iterator[dict[str, int]]:
    """Yield for each kind the form to take, one thing left out more each time; past its last form it goes."""
    chosen = {each.kind: 0 for each in enclosures}
    yield dict(chosen)
    for kind, each in itertools.product(_GONE_FIRST, enclosures):
        if each.kind == kind:
            for _ in each.forms:
                chosen[kind] += 1
                yield dict(chosen)


def _left_out(enclosures: Sequence[Enclosure], chosen: Mapping[str, int]) -> str:
    """Say which reports are left out, and what of the others; nothing if nothing is."""
    wholly, partly = [], []
    for each in enclosures:
        called, count = _CALLED[each.kind], chosen[each.kind]
        if count == len(each.forms):
            wholly.append(called)
        elif count:
            partly.append(f"of {called} {_what(each, count)}")
    return "; ".join(filter(None, (", ".join(wholly), *partly)))


def _what(enclosure: Enclosure, count: int) -> str:
    return ", ".join(form.left_out for form in enclosure.forms[1 : count + 1])


def _report_forms(kind: str, analysis: Analysis, sources: Sequence[Source]) -> tuple[Form, ...]:
    """Return the forms of a report; what draws pages is loaded only for one."""
    if kind == "html":
        from trexreport.renderer.html import HtmlOptions, render_html

        options = HtmlOptions(interactive_charts=False)
        few = replace(options, raw_attributes=False)
        ways = {"": options, ATTRIBUTES: few, INPUTS: replace(few, embed_inputs=False)}

        def page(told: str, *, of: HtmlOptions) -> bytes:
            return render_html(_noted(analysis, told), sources, of)

        return tuple(Form(left_out, partial(page, of=of)) for left_out, of in ways.items())
    if kind == "pdf":
        from trexreport.renderer.pdf import render_pdf

        return (
            Form("", lambda told: render_pdf(_noted(analysis, told), sources)),
            Form(INPUTS, lambda told: render_pdf(_noted(analysis, told), ())),
        )
    if kind == "md":
        from trexreport.renderer.summary_markdown import render_summary_markdown

        return (Form("", lambda _: render_summary_markdown(analysis)),)
    from trexreport.renderer.json_document import render_json

    return (Form("", lambda _: render_json(analysis)),)


def _noted(analysis: Analysis, told: str) -> Analysis:
    if not told:
        return analysis
    return replace(analysis, notes=[*analysis.notes, Note("info", "left-out", told, "", [], "")])


def _comparison_forms(
    kind: str,
    comparison: Comparison,
    analyses: Sequence[Analysis],
    sources: Sequence[Sequence[Source]],
    focus: int,
    *,
    others: Sequence[ExternalLatency],
) -> tuple[Form, ...]:
    if kind == "html":
        from trexreport.renderer.comparison.html import render_comparison_html

        return (Form("", lambda _: render_comparison_html(comparison, analyses, focus)),)
    if kind == "pdf":
        from trexreport.renderer.pdf import render_comparison_pdf

        none: list[tuple[Source, ...]] = [()] * len(sources)
        return (
            Form("", lambda _: render_comparison_pdf(comparison, analyses, sources, focus, others)),
            Form(INPUTS, lambda _: render_comparison_pdf(comparison, analyses, none, focus)),
        )
    if kind == "md":
        from trexreport.renderer.comparison.markdown import render_comparison_markdown

        return (Form("", lambda _: render_comparison_markdown(comparison)),)
    from trexreport.renderer.json_document import render_comparison_json

    return (Form("", lambda _: render_comparison_json(comparison)),)
