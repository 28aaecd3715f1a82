"""Decide what a site discloses of where captures were found, and of what failed with them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from trexreport.redaction.capture import redact_place
from trexreport.redaction.kinds import KINDS, Redaction
from trexreport.site.discovery import Found
from trexreport.site.entries import Failure
from trexreport.site.folders import InputFolder, hash_of

#: Reasons quote paths and texts of files; the maker of the site sees them in the terminal.
_WITHHELD = "The reason is not published, as this site is redacted; `trexreport site` printed it."


class SiteRedactor:
    """Replaces places by pseudonyms; without a redaction everything stays as it is.

    Attributes:
        secret: What goes into published hashes, so that they confirm no guess without the key.
        kinds: What is redacted, in words; empty for nothing.
    """

    def __init__(self, redaction: Redaction | None) -> None:
        self._redaction, self._taken = redaction, set[str]()
        self.secret = (redaction.key.hex(),) if redaction else ()
        self.kinds = ", ".join(kind for kind in KINDS if redaction and kind in redaction.kinds)

    def found(self, found: Found) -> Found:
        """Return a capture with its published place, which no other capture has.

        Places may be equal without pseudonyms, too: that of a capture whose files are called "net", and that
        of a folder "net" beside it with files of any names.
        """
        place = plain = self._place(found.place, found.folder)
        number = 1
        while place in self._taken:
            number += 1
            place = f"{plain} {number}"
        self._taken.add(place)
        version = found.version
        if self._redaction is not None and version:
            version = hash_of(*self.secret, version)
        return replace(found, place=place, version=version)

    def label(self, folder: InputFolder) -> str:
        """Return the published name of a folder."""
        return self._place(f"{folder.label}/", folder).rstrip("/")

    def unreadable(self, folder: InputFolder) -> list[Failure]:
        """Return the folders inside of one that could not be read."""
        places = {f"{folder.label}/{place}": error for place, error in folder.unreadable.items()}
        return [Failure(self._place(place, folder), error, place) for place, error in places.items()]

    def failures(self, failures: Iterable[Failure]) -> list[Failure]:
        """Return failures as they are published."""
        return [replace(each, error=_WITHHELD) if self._redaction else each for each in failures]

    def _place(self, place: str, folder: InputFolder) -> str:
        return redact_place(place, self._redaction, folder.whole) if self._redaction else place
