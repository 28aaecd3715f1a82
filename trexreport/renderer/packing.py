"""Pack what the page's script unpacks, with the browser's own means."""

from __future__ import annotations

import base64
import json
import math
import zlib
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

_SCRIPT_DIGITS = 6
#: JSON in ASCII without spaces. Nothing that is written contains itself, so that it is not searched for that.
COMPACT_JSON = json.JSONEncoder(separators=(",", ":"), allow_nan=False, check_circular=False)
#: What parts values that are encoded together, and how it is written between two members of a list.
_BETWEEN = "\x1e"
#: Types of columns whose values are equal only where JSON writes them alike.
_ALIKE = frozenset({str, int, bool, float, tuple})


def pack_for_script(data: bytes, level: int = 9) -> str:
    """Return bytes as base64 of gzip without time stamp: the same bytes give the same text."""
    return pack_pieces((data,), level)


def pack_pieces(pieces: Iterable[bytes], level: int) -> str:
    """Return what `pack_for_script` does of bytes that come in pieces, so that one is in memory at a time."""
    packer = zlib.compressobj(level, zlib.DEFLATED, 31)
    packed = b"".join([*map(packer.compress, pieces), packer.flush()])
    # Byte 9 of a gzip header names the system that packed it; 255 is "unknown" everywhere.
    return base64.b64encode(packed[:9] + b"\xff" + packed[10:]).decode("ascii")


def json_lines(values: Sequence[Any]) -> str:
    """Return values as JSON, a line each."""
    return "\n".join(encoded_apart(values, COMPACT_JSON))


def encoded_apart(values: Sequence[Any], encoder: json.JSONEncoder) -> list[str]:
    """Return each of some values as JSON; encoded together, as the encoder takes a while to begin."""
    comma = encoder.item_separator
    together = encoder.encode([item for value in values for item in (_BETWEEN, value)])
    _, *texts = f"{comma}{together[1:-1]}".split(f"{comma}{encoder.encode(_BETWEEN)}{comma}")
    # Unless one of them holds what parts them.
    return texts if len(texts) == len(values) else list(map(encoder.encode, values))


def six_digits(value: float) -> float:
    """Return a computed figure with six digits: the page shows fewer, and the others would not pack.

    A figure that six digits turn into a tie, such as 6.1249996 into 6.125, stays as it is, so that the script
    rounds it as Python does.
    """
    text = f"{value:.6g}"
    # Of most figures the last of six digits says that there is no tie.
    if text[-1] in "05" or "e" in text:
        digits = f"{abs(value):.5e}".partition("e")[0].replace(".", "").rstrip("0")
        if digits.endswith("5") and len(digits) < _SCRIPT_DIGITS:
            return value
    return float(text)


def in_columns(records: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return records by column, each value that many of them share written once; for JSON.

    A column is `[key, values]` or `[key, different values, index of each record's value]`; null is none.
    A browser reads this three times as fast as a list of objects, and it packs smaller.
    """
    keys = dict.fromkeys(chain.from_iterable(records))
    return columns_of(len(records), {key: [record.get(key) for record in records] for key in keys})


def columns_of(count: int, values: Mapping[str, list[Any]]) -> dict[str, Any]:
    """Return the values of `count` records by key as `in_columns` does; columns without any are left out."""
    empty = [None] * count
    return {
        "count": count,
        "columns": [[key, *_column(column)] for key, column in values.items() if column != empty],
    }


def is_packed(value: Any) -> bool:
    """Return whether a value is what `columns_of` returns."""
    return isinstance(value, dict) and value.keys() == {"count", "columns"}


def _column(values: list[Any]) -> tuple[list[Any], ...]:
    texts = _as_written(values)
    distinct = dict.fromkeys(texts)
    if 2 * len(distinct) > len(values):
        return (values,)
    numbers = {text: number for number, text in enumerate(distinct)}
    places = list(map(numbers.__getitem__, texts))
    if texts is values:
        return list(numbers), places
    firsts = dict(zip(reversed(texts), reversed(values), strict=True))
    return [firsts[text] for text in numbers], places


def _as_written(values: list[Any]) -> list[Any]:
    """Return for each value one that is equal where JSON writes the values alike."""
    types = set(map(type, values)) - {type(None)}
    # 1, 1.0 and true are equal and written differently, and so are 0.0 and -0.0. Tuples are of one form.
    are_alike = len(types) == 1 and types <= _ALIKE and not (float in types and _has_negative_zero(values))
    if are_alike:
        return values
    # Records that many layers share are one object.
    written = {number: repr(value) for number, value in {id(value): value for value in values}.items()}
    return [written[id(value)] for value in values]


def _has_negative_zero(values: list[Any]) -> bool:
    return 0.0 in values and any(value == 0 and math.copysign(1, value) < 0 for value in values)
