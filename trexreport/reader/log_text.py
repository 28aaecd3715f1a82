r"""Return a log as trtexec wrote it, whatever saved it.

PowerShell writes UTF-16, and appends it to files in other encodings. Docker and journald keep each line as
JSON (`{"log": "…\n", "stream": "stdout", "time": "…"}`, `{"MESSAGE": "…"}`), notebooks and benchmarks all
of it. Web pages write "&gt;" for ">". Two handlers of one logger, or a `tee` into a file that the program
writes too, write each line twice.

Find the log that a JSON document holds: results of a benchmark with its output, or cells of a notebook.
"""

from __future__ import annotations

import html
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain, groupby, islice

from trexreport.model import InputWarning
from trexreport.reader.json_text import decode_text, wide_encoding
from trexreport.reader.line_prefix import (
    broken_width,
    common_end,
    common_prefix,
    rejoined,
    widest,
    without_common_prefix,
)
from trexreport.reader.trtexec_lines import without_colors, without_prefix
from trexreport.regex import regex

#: A line of trtexec or of TensorRT's logger.
_LINE = regex(r"^(?:\[[^\]\n]{1,40}\] )?\[[IWEVF]\] |^&&&& |^\[TRT\]", 8)
_OPEN, _CLOSED = (b"{", b"["), (b"}", b"]")
_SPACE = b" \t\r\n\xef\xbb\xbf"
_HEAD_BYTES = 65_536
#: Keys that hold a line in JSON, of Docker, journald and loggers.
_LINE_KEYS = ("log", "MESSAGE", "message", "msg", "line", "text")
_RECORDS = regex(rb'\s*\{\s*"\w{1,30}"\s*:')
#: What a web page makes of the characters that logs of trtexec have.
_ESCAPED = (b"-&gt;", b"&amp;&amp;&amp;&amp; ", b"&lt;in&gt;")
_UNESCAPED = (b" -> ", b"&&&& ")
#: A no-break space behind the level of a message.
_HARD_SPACE = "]\u00a0".encode()
_WIDE_PART = regex(rb"(?:[\x01-\xff]\0){2,}")
#: Fewer lines may be equal in pairs by chance, and longer runs are not copies of a line.
_FEWEST_LINES = 8
_MOST_COPIES = 4
_SAMPLE_LINES = 400
#: Share of the lines that are there several times; other output may be between the rest.
_MOST_OF = 0.95


def plain_log(data: bytes, name: str) -> tuple[bytes, list[InputWarning]]:
    """Return a log as UTF-8 with one line for each that was written, and notes on what was undone.

    Args:
        data: The file's content; most logs are returned as they are.
        name: The file's name, for messages.
    """
    notes: list[InputWarning] = []

    def repaired(message: str) -> InputWarning:
        return InputWarning("repaired", "log-text", message, name)

    if wide_encoding(data):
        text, notes = decode_text(data, name)
        data = text.encode()
    if b"\0" in data:
        data = _WIDE_PART.sub(lambda part: part[0].decode("utf-16-le").encode(), data)
        data = data.replace(b"\0", b"").replace(b"\xff\xfe", b"")
        notes.append(repaired(f"{name} is UTF-16 in part, as PowerShell appends; zero bytes were left out."))
    if b"\n" not in data:
        data = data.replace(b"\r", b"\n")
    if _RECORDS.match(data[:_HEAD_BYTES]) and (unwrapped := _unwrapped(data)) is not None:
        data = unwrapped
        notes.append(repaired(f"{name} holds each line of the log as JSON; the lines were read."))
    elif (embedded := embedded_log(data)) is not None:
        data = embedded
        notes.append(repaired(f"{name} is a JSON document with a log in its texts; only the log was read."))
    if any(mark in data for mark in _ESCAPED) and not any(mark in data for mark in _UNESCAPED):
        data = html.unescape(data.decode(errors="replace")).encode()
        notes.append(repaired(f"{name} has characters as web pages write them, such as &gt; for >."))
    if _HARD_SPACE in data:
        data = data.replace(_HARD_SPACE.removeprefix(b"]"), b" ")
        notes.append(
            repaired(f"{name} has no-break spaces, as web pages write them; they were read as spaces.")
        )
    if (prefix := common_prefix(_sample(data))) is not None:
        data = b"\n".join(without_common_prefix(_plain(line), prefix) for line in _lines(data))
        notes.append(repaired(f"{name} has other text before each line; it was left out."))
    if end := common_end(_sample(data)):
        data = b"\n".join(_plain(line).rstrip().removesuffix(end).rstrip(b" ") for line in _lines(data))
        notes.append(repaired(f"{name} has other text behind each line; it was left out."))
    if width := broken_width(_sample(data)):
        lines = [_plain(line).rstrip(b"\r") for line in _lines(data)]
        if widest(lines) == width:
            data = b"\n".join(rejoined(lines, width))
            notes.append(repaired(f"{name} has lines broken after {width} characters; they were joined."))
    copies = _copies(data)
    if copies > 1:
        data = b"\n".join(_without_copies(data.split(b"\n"), copies))
        notes.append(repaired(f"{name} has each line {copies} times; it was read once."))
    return data, notes


def plain_lines(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the lines of a large log, without the JSON records or the prefixes that hold them."""
    found = iter(lines)
    head = list(islice(found, _SAMPLE_LINES))
    key = _line_key(head[0]) if head else None
    sample = [_line(line, key).encode(errors="replace") if key else line for line in head]
    prefix = common_prefix([_plain(line[:_HEAD_BYTES]).rstrip(b"\n") for line in sample])
    for line in chain(head, found):
        plain = _line(line, key).encode(errors="replace") if key else line
        yield without_common_prefix(_plain(plain), prefix) if prefix is not None else plain


def without_line_prefix(text: str) -> str:
    """Return the beginning of a log without what another program wrote before each line."""
    data = without_colors(text).replace("\u00a0", " ").encode(errors="replace")
    prefix = common_prefix(_sample(data))
    if prefix is None:
        return text.replace("\u00a0", " ")
    lines = (without_common_prefix(line, prefix) for line in _lines(data))
    return b"\n".join(lines).decode(errors="replace")


def _sample(data: bytes) -> list[bytes]:
    return [_plain(line[:_HEAD_BYTES]).rstrip(b"\r") for line in islice(_lines(data), _SAMPLE_LINES)]


def _plain(line: bytes) -> bytes:
    """Return a line without the colors that a terminal or a CI system wove into it."""
    return without_colors(line.decode(errors="replace")).encode() if b"\x1b" in line else line


def _line_key(line: bytes) -> str | None:
    """Return which key of a record holds a line of a log; None if a line is no such record."""
    record = _record(line) or {}
    return next((key for key in _LINE_KEYS if isinstance(record.get(key), str)), None)


def _unwrapped(data: bytes) -> bytes | None:
    """Return the lines that JSON records hold, one a line; None if the first ones are no such records."""
    lines = data.split(b"\n")
    key = _line_key(next((line for line in lines if line.strip()), b""))
    if key is None:
        return None
    # Docker cuts a long line into records, of which the last one has its end.
    texts = [_line(line, key) for line in lines]
    ends = "" if any(text.endswith("\n") for text in texts[:_SAMPLE_LINES]) else "\n"
    return "".join(text + ends for text in texts).encode(errors="replace")


def _line(line: bytes, key: str) -> str:
    """Return the text of a record; a line that is none is returned as it is."""
    record = _record(line)
    text = (record or {}).get(key)
    if isinstance(text, str):
        return text
    return f"{line.decode(errors='replace').rstrip()}\n" if line.strip() else ""


def _record(line: bytes) -> dict[str, object] | None:
    if not line.lstrip().startswith(b"{"):
        return None
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def _copies(data: bytes) -> int:
    """Return how many times in a row each line is there; 1 for nearly every log."""
    sample = [line for line in islice(_lines(data), _SAMPLE_LINES) if line.strip()]
    if len(sample) < _FEWEST_LINES:
        return 1
    lengths = Counter(count for _, count in _runs(sample[:-_MOST_COPIES]))
    copies = max(lengths, key=lambda length: (lengths[length] * length, length))
    alike = sum(count * length for length, count in lengths.items() if length % copies == 0)
    enough = alike >= _MOST_OF * sum(count * length for length, count in lengths.items())
    return copies if 1 < copies <= _MOST_COPIES and len(lengths) and enough else 1


def _lines(data: bytes) -> Iterator[bytes]:
    start = 0
    while (end := data.find(b"\n", start)) >= 0:
        yield data[start:end]
        start = end + 1
    yield data[start:]


def _runs(lines: Iterable[bytes]) -> Iterator[tuple[list[bytes], int]]:
    """Yield lines in a row that state the same, and their number."""
    for _, run in groupby(lines, key=_stated):
        found = list(run)
        yield found, len(found)


def _stated(line: bytes) -> str:
    """Return what a line states, whichever handler of a logger wrote it."""
    return without_prefix(line[:_HEAD_BYTES].decode(errors="replace"))[0].strip()


def _without_copies(lines: Iterable[bytes], copies: int) -> Iterator[bytes]:
    for found, count in _runs(lines):
        of_logger = (line for line in found if without_prefix(line.decode(errors="replace"))[1])
        kept = next(of_logger, found[0])
        for _ in range(-(-count // copies)):
            yield kept


def embedded_log(data: bytes) -> bytes | None:
    """Return the lines of logs in the texts of a JSON document; None if it is none, or has no such text."""
    head, tail = data[:200].lstrip(_SPACE), data[-200:].rstrip(_SPACE)
    if not (head.startswith(_OPEN) and tail.endswith(_CLOSED) and head[1:].lstrip(_SPACE)[:1] in b'{["'):
        return None
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return None
    found = [text for text in _texts(document) if _has_log_line(text)]
    return "".join(text if text.endswith("\n") else f"{text}\n" for text in found).encode() or None


def _has_log_line(text: str) -> bool:
    # A document may have a million short texts, in which prefixes take long to look for.
    if "]" not in text and "&&&&" not in text:
        return False
    return bool(_LINE.search(text) or _LINE.search(without_line_prefix(text)))


def _texts(document: object) -> Iterator[str]:
    """Yield all texts of a document in their order; those of a list of lines as one."""
    waiting = [document]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            waiting += reversed(value.values())
        elif isinstance(value, list) and value and all(isinstance(each, str) for each in value):
            end = "" if any(each.endswith("\n") for each in value) else "\n"
            yield end.join(value)
        elif isinstance(value, list):
            waiting += reversed(value)
