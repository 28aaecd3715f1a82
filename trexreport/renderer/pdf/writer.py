"""Make a PDF of a page: PDF/A-3b, tagged, with files inside, from nothing but what is given."""

from __future__ import annotations

import io
import logging
import os
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from datetime import datetime, timezone
from typing import Any
from xml.etree import ElementTree as ET
from xml.sax.saxutils import quoteattr

from trexreport.errors import MissingToolError
from trexreport.lazy_dataclass import dataclass
from trexreport.numbers import middle_ellipsis
from trexreport.regex import regex
from trexreport.renderer.pdf.line_painting import PaintedLines
from trexreport.renderer.pdf.painting import Painting, Pens, painting_of
from trexreport.renderer.pdf.text_overlay import lift_texts
from trexreport.visible import visible

#: The date of files whose dates are unknown: the earliest that a zip archive can have too.
_NO_DATE = 315_532_800
_WORDS = 1000
#: The version of WeasyPrint whose streams and texts `painting.py` uses; another draws all by itself.
_PAINTED_WITH = "70"
#: How well the texts of pages are compressed: 9 saves 2% of a page and takes more than twice as long.
_PAGE_LEVEL = 6
_TOOLTIP = regex("<title>[^<]*</title>")
_LATEST_DATE = 253_402_300_799
PANGO_HINT = (
    "On Debian or Ubuntu: apt install libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0 fonts-liberation; "
    "on Fedora: dnf install pango liberation-sans-fonts; on macOS: brew install pango. "
    "HTML needs none of that: -o report.html."
)


@dataclass(frozen=True)
class AttachedFile:
    """A file inside a PDF; what it holds is the source of what the pages show."""

    name: str
    data: bytes
    description: str


class Drawings:
    """SVG drawings that a page shows by address.

    Inside the page, styles would be computed for each of their elements, which takes longer than drawing.
    """

    def __init__(self) -> None:
        self.contents: dict[str, bytes] = {}

    def add(self, svg: str, words: str, shown_width: float | None = None) -> str:
        """Take a drawing in and return the element that shows it; nothing where nothing is drawn.

        Args:
            svg: The drawing; its tooltips are left out, as paper has none and each would be looked at.
            words: The text alternative of the drawing.
            shown_width: How wide the page shows it in pixels, if that is not its own width.
        """
        if not svg:
            return ""
        address = f"drawing:{len(self.contents)}"
        svg, texts = lift_texts(_without_separators(_TOOLTIP.sub("", svg)), shown_width)
        self.contents[address] = svg.encode("utf-8")
        image = f'<img src="{address}" alt={quoteattr(visible(middle_ellipsis(words, _WORDS)))}>'
        return f'<div class="text-overlay">{image}{texts}</div>' if texts else image


def check_pdf_tools() -> None:
    """Raise if no PDF can be made here.

    Raises:
        MissingToolError: WeasyPrint is not installed, or the libraries of Pango are missing.
    """
    _weasyprint()


def write_pdf(page: str, drawings: Drawings, attached: Sequence[AttachedFile] = ()) -> bytes:
    """Return a page as PDF/A-3b (ISO 19005-3) with tags, bookmarks and attached files.

    Dates are those of `SOURCE_DATE_EPOCH`, seconds since 1970, or 1980-01-01. Nothing is fetched: what the
    page refers to outside of itself is left out. The same page and the same fonts give the same bytes.

    Args:
        page: HTML with its styles, language and title.
        drawings: Those that it shows.
        attached: The files, in order.

    Raises:
        MissingToolError: WeasyPrint is not installed, or the libraries of Pango are missing.
    """
    weasyprint = _weasyprint()
    date = _date()
    files = [
        weasyprint.Attachment(
            string=each.data,
            # What no PDF can hold, such as a lone surrogate, is shown as in the page.
            name=visible(each.name),
            description=visible(each.description),
            relationship="Source",
            created=date,
            modified=date,
        )
        for each in attached
    ]
    with _quiet():
        html = weasyprint.HTML(
            string=_with_line_breaks(_without_separators(page)), url_fetcher=_fetcher(drawings)
        )
        fonts = weasyprint.text.fonts.FontConfiguration()
        # It looks for images among those that it has before it fetches any.
        images = _painted(html, drawings, fonts) if _is_painted(weasyprint) else {}
        document = html.render(font_config=fonts, cache=images, **_OPTIONS)
        document.metadata.created = document.metadata.modified = date.strftime("%Y-%m-%dT%H:%M:%SZ")
        data: bytes = document.write_pdf(attachments=files, finisher=_finish, **_OPTIONS)
    return data


def _is_painted(weasyprint: Any) -> bool:
    """Return whether drawings and lines are painted here; another version draws all by itself."""
    version: str = weasyprint.__version__
    return version.partition(".")[0] == _PAINTED_WITH


def _painted(html: Any, drawings: Drawings, fonts: Any) -> dict[str, Painting | PaintedLines]:
    """Return what is painted without WeasyPrint, by address; it draws the other drawings."""
    pens = Pens(fonts)
    found = ((key, painting_of(svg.decode("utf-8"), pens)) for key, svg in drawings.contents.items())
    return {
        **{key: each for key, each in found if each is not None},
        **_take_lines(html.etree_element, pens),
    }


def _take_lines(page: ET.Element, pens: Pens) -> dict[str, PaintedLines]:
    """Put an image in the place of the lines of each page of lines, and return these by address."""
    taken: dict[str, PaintedLines] = {}
    for section in page.iter("section"):
        if section.get("class") != "lines":
            continue
        for block in section.iter("pre"):
            address = f"lines:{len(taken)}"
            taken[address] = PaintedLines((block.text or "").split("\n"), pens.glyphs)
            block.text = None
            # Not an `img`: what is in it is text for those who read the structure of the document.
            ET.SubElement(block, "embed", src=address)
    return taken


def _without_separators(text: str) -> str:
    """Return what is laid out with line and paragraph separators as replacement characters.

    Pango ends a line at U+2029, and WeasyPrint 70 asserts that no space precedes such an end.
    """
    return text.replace("\u2028", "\ufffd").replace("\u2029", "\ufffd")


def _with_line_breaks(page: str) -> str:
    """Return a page whose names break where they may: WeasyPrint does so at a character, not at an element.

    The character is in the layout only, not in the text that a viewer copies or searches.
    """
    return page.replace("<wbr>", "\u200b")


_OPTIONS = {"pdf_variant": "pdf/a-3b", "pdf_tags": True}


def _weasyprint() -> Any:
    try:
        # Where a library is missing, WeasyPrint prints advice of its own.
        with _quiet(), redirect_stdout(io.StringIO()):
            import weasyprint
    except ImportError:
        raise MissingToolError(
            "PDF needs WeasyPrint, which is not installed.", "pip install 'trexreport[pdf]'"
        ) from None
    except OSError as error:
        # cffi names the library; the rest of its message is the same for each.
        library = str(error).split("'")[1] if "'" in str(error) else "a library of Pango"
        raise MissingToolError(
            f"PDF needs the libraries of Pango: {library} can't be loaded.", PANGO_HINT
        ) from None
    return weasyprint


def _date() -> datetime:
    """Return the date that the PDF states; a `SOURCE_DATE_EPOCH` that is none is as good as none."""
    text = os.environ.get("SOURCE_DATE_EPOCH", "")
    seconds = int(text) if text.isascii() and text.isdecimal() and len(text) < 15 else _NO_DATE
    return datetime.fromtimestamp(seconds if seconds <= _LATEST_DATE else _NO_DATE, timezone.utc)


def _fetcher(drawings: Drawings) -> Any:
    """Return what gives WeasyPrint the drawings, and nothing else from anywhere."""
    from weasyprint.urls import URLFetcher, URLFetcherResponse

    class Fetcher(URLFetcher):  # type: ignore[misc]
        def fetch(self, url: str, headers: Any = None) -> Any:  # noqa: ARG002
            if url not in drawings.contents:
                raise ValueError(f"{url} is not part of the page.")
            return URLFetcherResponse(url, drawings.contents[url], {"Content-Type": "image/svg+xml"})

    return Fetcher()


def _finish(_: Any, pdf: Any) -> None:
    """Change what WeasyPrint 70 and pydyf have made before it is written."""
    # Each file is named twice among the associated ones.
    associated = pdf.catalog.get("AF")
    if associated:
        associated[:] = dict.fromkeys(associated)
    for each in pdf.objects:
        if getattr(each, "compress", False):
            _compress(each)
    # The first is none that is written.
    pdf.objects[1:] = [_Written(each) if each.compressible else each for each in pdf.objects[1:]]


class _Written:
    """An object as pydyf writes it: pydyf would make its bytes for the hash of the file, and once more."""

    generation, free, compressible = 0, "n", True

    def __init__(self, made: Any) -> None:
        self.number: int = made.number
        self.data: bytes = made.data


def _compress(stream: Any) -> None:
    """Compress a stream now: pydyf would do so when it writes it, and once more for the hash of the file."""
    is_page = hasattr(stream, "page_rectangle")
    packed = zlib.compress(b"\n".join(map(_bytes, stream.stream)), _PAGE_LEVEL if is_page else 9)
    stream.stream, stream.compress = [packed], False
    stream.extra["Filter"] = "/FlateDecode"


def _bytes(item: Any) -> bytes:
    """Return a part of a stream as pydyf writes it."""
    if isinstance(item, bytes):
        return item
    data: bytes = item.encode("ascii") if isinstance(item, str) else item.data
    return data


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep WeasyPrint's and fontTools' remarks on style sheets and fonts from the user's terminal."""
    loggers = [logging.getLogger(name) for name in ("weasyprint", "weasyprint.progress", "fontTools")]
    before = [each.disabled for each in loggers]
    try:
        for each in loggers:
            each.disabled = True
        yield
    finally:
        for each, was in zip(loggers, before, strict=True):
            each.disabled = was
