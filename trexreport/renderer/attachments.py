"""The reports that are attached to a mail, and what is left out of them if the mail must not be larger."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

from trexreport.errors import UsageError
from trexreport.lazy_dataclass import dataclass
from trexreport.numbers import format_bytes, format_limit
from trexreport.renderer.variants import Variant

#: What can be attached to a mail.
KINDS = ("pdf", "html", "md", "json")
_NAMES = {"pdf": "the PDF", "html": "the HTML", "md": "the Markdown", "json": "the JSON"}
#: In which order the reports become smaller, then go. JSON can be made again from the inputs in the others,
#: PDF passes gateways that remove HTML, and Markdown is small.
#: Documented in docs/mailing.md.
_REMOVED_FIRST = ("json", "html", "pdf", "md")

_Mail = TypeVar("_Mail")


@dataclass(frozen=True)
class Attachment:
    """A report of one kind, in variants of which each leaves out more than the one before it."""

    kind: str
    variants: tuple[Variant, ...]


@dataclass(frozen=True)
class AttachmentSet:
    """Reports as they are attached to a mail.

    Attributes:
        files: Content by kind.
        left_out: Which reports and what of the others is left out, in one sentence; empty for nothing.
    """

    files: dict[str, bytes]
    left_out: str


def fit_attachments(
    attachments: Sequence[Attachment],
    max_bytes: int | None,
    build: Callable[[AttachmentSet], tuple[_Mail, int]],
) -> _Mail:
    """Return the mail with as much as fits.

    Args:
        attachments: At most one of each kind.
        max_bytes: How large the mail may be; None for any size.
        build: Returns the mail with these reports, and its size in bytes.

    Raises:
        UsageError: The mail does not fit even without any report.
    """
    rendered: dict[tuple[str, int], bytes] = {}
    reason = "" if max_bytes is None else f"Left out to fit {format_limit(max_bytes)}"
    size = 0
    for chosen in _steps(attachments):
        files = {}
        for each in attachments:
            at = each.kind, chosen[each.kind]
            if at[1] < len(each.variants):
                rendered[at] = rendered.get(at) or _rendered(each, at[1], reason)
                files[each.kind] = rendered[at]
        left_out = _left_out(attachments, chosen)
        mail, size = build(AttachmentSet(files, f"{reason}: {left_out}." if left_out else ""))
        if max_bytes is None or size <= max_bytes:
            return mail
    raise UsageError(
        f"The mail has {format_bytes(size)} even without any report.", "Give a larger --max-size."
    )


def _rendered(attachment: Attachment, count: int, reason: str) -> bytes:
    return attachment.variants[count].render(f"{reason}: {_parts(attachment, count)}." if count else "")


def _steps(attachments: Sequence[Attachment]) -> Iterator[dict[str, int]]:
    """Yield the variant of each kind, with one thing less each time; after its last variant a kind goes."""
    chosen = {each.kind: 0 for each in attachments}
    yield dict(chosen)
    for each in sorted(attachments, key=lambda each: _REMOVED_FIRST.index(each.kind)):
        for _ in each.variants:
            chosen[each.kind] += 1
            yield dict(chosen)


def _left_out(attachments: Sequence[Attachment], chosen: Mapping[str, int]) -> str:
    """Return which reports are left out, and what of the others; nothing if nothing is."""
    removed, reduced = [], []
    for each in attachments:
        name, count = _NAMES[each.kind], chosen[each.kind]
        if count == len(each.variants):
            removed.append(name)
        elif count:
            reduced.append(f"of {name} {_parts(each, count)}")
    return "; ".join(filter(None, (", ".join(removed), *reduced)))


def _parts(attachment: Attachment, count: int) -> str:
    return ", ".join(variant.left_out for variant in attachment.variants[1 : count + 1])
