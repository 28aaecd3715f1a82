"""What is noted of a text from which JSON was taken."""

from __future__ import annotations

from collections.abc import Sequence

from trexreport.model import InputWarning

#: Where a tar archive has its mark.
_TAR, _TAR_PLACE = "ustar", 257


def taken_of(found: int, name: str) -> InputWarning:
    """Return what was left out beside the document that was taken, of as many as were found."""
    if found == 1:
        message = f"{name} has other text around its JSON; the JSON was taken, the rest left out."
        return InputWarning("repaired", "json-in-text", message, name)
    message = f"{name} holds {found} runs one after the other; the last one is read."
    hint = "Give each run a file of its own: trtexec overwrites a file, so these were joined later."
    return InputWarning("degraded", "json-several", message, name, hint=hint)


def with_zero_bytes(notes: Sequence[InputWarning], text: str, name: str) -> list[InputWarning]:
    """Return the notes, with one on zero bytes in a text, which fill an archive or replace what was lost."""
    if text.startswith(_TAR, _TAR_PLACE):
        others = [each for each in notes if each.slug != "json-in-text"]
        message = f"{name} is a tar archive; the JSON of one file in it was read."
        hint = "Unpack it, and give its files."
        return [*others, InputWarning("repaired", "json-in-text", message, name, hint=hint)]
    if "\0\0" in text.strip("\0 \t\r\n"):
        message = f"{name} has zero bytes in place of a part of its JSON: was the disk full?"
        return [*notes, InputWarning("degraded", "zero-bytes", message, name, hint="Write it again.")]
    return [*notes]
