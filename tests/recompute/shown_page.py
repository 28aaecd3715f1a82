"""What a reader of a report sees: its tables, its figures and the data behind them."""

from __future__ import annotations

import base64
import gzip
import json
import re
from html.parser import HTMLParser

SCALES = {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
_DIGITS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
_NUMBER = re.compile(r"(−?)([0-9]+)(?:\.([0-9]+))?(?:×10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+))? ?(KiB|MiB|GiB|TiB)?")


def shows(text, value, least_digits=3):
    """Return whether a text shows a value, rounded to its last digit, with at least `least_digits` digits.

    Of a number without decimals zeros at the end may not be significant.
    """
    plain = re.sub(r"[≥≈<> ]| (?=×)|(?<=×) ", "", text.replace("\u202f", "").replace("\xa0", " ")).strip()
    plain = re.sub(r"(?<=\d),(?=\d{3})", "", plain)
    if value is None:
        return plain == "–"
    found = _NUMBER.match(plain)
    if not found:
        return False
    sign, whole, decimals, power, unit = found.groups()
    scale = SCALES.get(unit, 1) * 10.0 ** int((power or "0").translate(_DIGITS))
    shown = float(f"{'-' if sign else ''}{whole}.{decimals or 0}") * scale
    rounded = 0 if decimals else max(0, len(whole) - least_digits)
    last = 10.0 ** (rounded - len(decimals or "")) * scale
    if "<" in text:
        return 0 < value < shown
    enough = value == shown or len((whole + (decimals or "")).lstrip("0")) >= least_digits or last == 0.01
    return enough and abs(shown - value) <= last / 2 * (1 + 1e-9)


class Page(HTMLParser):
    """Tables by their heads, and figures by what they are called."""

    def __init__(self, data):
        super().__init__()
        self.tables, self.figures, self.rows_of, self.data = {}, {}, {}, None
        self._rows, self._row, self._cell, self._stack, self._script = None, None, None, [], ""
        self._term, self._called, self._id = None, [], ""
        self.feed(data.decode())
        self.data = _unpacked(self._script)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if tag == "table":
            self._rows = []
        elif tag == "tr" and self._rows is not None:
            self._row, self._id = [], given.get("id", "")
        elif tag in {"td", "th"} and self._row is not None:
            self._cell = ""
        elif tag in {"dt", "dd"} and given.get("class") != "note":
            self._term = ""
        elif tag == "script" and given.get("id") == "trexreport-data":
            self._script = None

    def handle_endtag(self, tag):
        if tag in {"td", "th"} and self._row is not None:
            self._row.append(" ".join((self._cell or "").split(" ")).strip())
            self._cell = None
        elif tag == "tr" and self._row is not None:
            self._rows.append((self._id, self._row))
            self._row = None
        elif tag == "table" and self._rows:
            (_, head), *rows = self._rows
            self.tables.setdefault(tuple(head), []).append([row for _, row in rows])
            self.rows_of.update({name: dict(zip(head, row, strict=True)) for name, row in rows if name})
            self._rows = None
        elif tag == "dt" and self._term is not None:
            self._called, self._term = self._term.strip(), None
        elif tag == "dd" and self._term is not None:
            self.figures.setdefault(self._called, self._term.strip())
            self._term = None

    def handle_data(self, data):
        if self._script is None:
            self._script = data
        if self._cell is not None:
            self._cell += data
        if self._term is not None:
            self._term += data

    def table(self, *columns):
        """Return the rows of the one table whose head has these columns, as dictionaries."""
        found = [
            [dict(zip(head, row, strict=False)) for row in rows]
            for head, tables in self.tables.items()
            if set(columns) <= set(head)
            for rows in tables
        ]
        assert len(found) <= 1, columns
        return found[0] if found else []

    def layers(self):
        """Return the data of the layers, a dictionary each."""
        packed = self.data["layers"]
        found = [{} for _ in range(packed["count"])]
        for key, values, *at in packed["columns"]:
            column = [values[number] for number in at[0]] if at else values
            for record, value in zip(found, column, strict=True):
                if value is not None:
                    record[key] = value
        return found


def _unpacked(script):
    return json.loads(gzip.decompress(base64.b64decode(script)))
