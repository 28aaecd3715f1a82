"""What a site knows of each capture in it, and remembers from one time to the next.

Each capture has an address that is its own and stays the same, whatever else is in the site.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
from collections.abc import Collection, Mapping
from dataclasses import field
from pathlib import PurePosixPath
from typing import Any

from trexreport import __version__
from trexreport.lazy_dataclass import dataclass
from trexreport.reader.roles import split_name
from trexreport.regex import regex
from trexreport.site.summary import EngineSummary, summary_from

SCHEMA = "trexreport-site"
_SCHEMA_VERSION = 1
_MARK = b'{"generator":"trexreport","schema":"trexreport-site"'

#: Hexadecimal digits that distinguish places; with ten, 5,000 captures share one in 90,000 sites.
_DIGITS = 10
_MAX_WORDS_LENGTH = 60
#: What a page of a site may be called: nothing else is ever written or removed.
PAGE = regex(r"(?:(?:engines|history|compare)/)?[a-z0-9][a-z0-9.-]{0,180}\.html", re.ASCII)


@dataclass(frozen=True)
class Entry:
    """An engine of the site.

    Attributes:
        place: Where it was found, from the name of the folder that was given on.
        address: Of its page, without folder and ending.
        version: Of its files, as far as it is known without reading them; otherwise "".
        fingerprint: Hash of all inputs of its page.
        inputs: Hash of its files alone: equal for a capture and a report of it.
        kind: "capture", "archive" or "report".
        page_bytes: Size of its page.
    """

    place: str
    address: str
    version: str
    fingerprint: str
    inputs: str
    kind: str
    page_bytes: int
    summary: EngineSummary

    @property
    def page(self) -> str:
        """The name of its page in the site."""
        return f"engines/{self.address}.html"


@dataclass(frozen=True)
class Failure:
    """What could not be read or rendered, and why in one line.

    Attributes:
        place: Where it was found, as published.
        error: The reason, which may name what the site must not.
        origin: Where it was found.
    """

    place: str
    error: str
    origin: str


@dataclass(frozen=True)
class Memory:
    """What was known when the site was last made.

    Attributes:
        options: Hash of all that pages depend on besides captures.
        entries: By place.
        skipped: Place to version of pages that are not reports, so that they are not read again.
        carried: Place of a report to its version and the hash of the files in it, which are in the site
            already.
        verdicts: Of the history, by hash of what was compared.
        comparisons: Page to hash of its inputs.
        pages: All files of the site that trexreport wrote.
    """

    options: str = ""
    entries: Mapping[str, Entry] = field(default_factory=dict)
    skipped: Mapping[str, str] = field(default_factory=dict)
    carried: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    verdicts: Mapping[str, str] = field(default_factory=dict)
    comparisons: Mapping[str, str] = field(default_factory=dict)
    pages: frozenset[str] = frozenset()


#: What a memory holds by texts, as they are in the manifest.
_BY_TEXT = ("skipped", "carried", "verdicts", "comparisons")


def is_manifest(data: bytes) -> bool:
    """Whether a file is the manifest of a site."""
    return data.startswith(_MARK)


def read_memory(data: bytes | None) -> Memory:
    """Return what a manifest says; nothing if it is damaged or of another version.

    Only names of pages that trexreport writes are taken from it, so that nothing else is ever removed.
    """
    try:
        document = json.loads(data or b"{}")
        if document.get("schema") != SCHEMA or document.get("schema_version") != _SCHEMA_VERSION:
            return Memory()
        content = document["content"]
        pages = frozenset(name for name in content["pages"] if PAGE.fullmatch(name))
        if document["sha256"] != _hash(_encoded(content)) or document["version"] != __version__:
            return Memory(pages=pages)
        entries = [
            Entry(**{**entry, "summary": summary_from(entry["summary"])}) for entry in content["entries"]
        ]
        carried = {place: (version, inputs) for place, (version, inputs) in content["carried"].items()}
        by_place = {entry.place: entry for entry in entries}
        return Memory(**{**content, "entries": by_place, "carried": carried, "pages": pages})
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return Memory()


def write_memory(memory: Memory) -> bytes:
    """Return the manifest."""
    content: dict[str, Any] = {
        "options": memory.options,
        "entries": [memory.entries[place] for place in sorted(memory.entries)],
        **{name: dict(sorted(getattr(memory, name).items())) for name in _BY_TEXT},
        "pages": sorted(memory.pages),
    }
    encoded = _encoded(content)
    about = {
        "generator": "trexreport",
        "schema": SCHEMA,
        "schema_version": _SCHEMA_VERSION,
        "version": __version__,
        "sha256": _hash(encoded),
    }
    return _encoded(about)[:-1] + b',"content":' + encoded + b"}"


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _encoded(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":"), allow_nan=False, default=_members).encode("ascii")


def _members(value: Any) -> dict[str, Any]:
    """Return what an entry, its summary or a part of that consists of; `asdict` would copy all texts."""
    return {each.name: getattr(value, each.name) for each in dataclasses.fields(value)}


def address_of(place: str, taken: Collection[str] = ()) -> str:
    """Return the address of a capture: words of its name, then digits of the hash of its place.

    Args:
        place: Where it was found, such as "captures/2024-05-01/resnet.engine.graph.json".
        taken: Addresses that others have.
    """
    name = PurePosixPath(place).name
    prefix, _ = split_name(name)
    return with_digits(prefix or name, place, taken)


def with_digits(name: str, place: str, taken: Collection[str] = ()) -> str:
    """Return words of a name with digits that distinguish it from all others of that name."""
    digest = hashlib.sha256(place.encode("utf-8", "surrogatepass")).hexdigest()
    words = re.sub(r"(?:\.(?:engine|json|html?|pdf|tea|trexa|onnx|plan|trt))+$", "", name.lower())
    words = re.sub(r"[^a-z0-9]+", "-", words).strip("-")[:_MAX_WORDS_LENGTH].strip("-") or "engine"
    digits = range(_DIGITS, len(digest) + 1)
    return next(found for count in digits if (found := f"{words}-{digest[:count]}") not in taken)
