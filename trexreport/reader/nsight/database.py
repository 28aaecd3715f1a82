"""Read tables of a SQLite file that anyone may have made: read-only, nothing but tables, within limits.

Whatever a file holds beside plain tables is never run: no view, trigger, virtual table or generated column is
read, no function runs but those of the few queries here, and the file is opened unchanged ("immutable"), so
that neither a journal beside it is replayed nor a lock is taken.
"""

from __future__ import annotations

import sqlite3
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

from trexreport.errors import InputError
from trexreport.input_file import open_input
from trexreport.regex import regex

#: An export of 500 MB is read in some 10 s.
MOST_SECONDS = 120.0
#: A name of a kernel with its template arguments may have some thousands of characters.
LONGEST_TEXT = 4_000
#: Rows of one table that are read: some 500 bytes of memory each.
MOST_ROWS = 2_000_000
#: No value of an export is larger; it bounds what one row can take in memory.
_LARGEST_VALUE = 16 * 2**20
_MOST_TABLES = 5_000
_HEADER_BYTES = 100
_LONGEST_REASON = 120
_STEPS_BETWEEN_CHECKS = 100_000
#: The table of texts, to which others refer by number.
TEXTS = "StringIds"
_FUNCTIONS = frozenset({"typeof", "substr", "count"})
#: Newer exports may add a version to the name of a table.
_VERSION = regex(r"_V(\d{1,3})$")

#: A row of the values that were asked for; None where a value is absent or of another type.
Row = tuple[int | str | None, ...]


class Database:
    """The tables of one file. Column names differ between versions: an absent column reads as None."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._columns: dict[str, frozenset[str]] = {}
        self._tables = self._plain_tables()

    def has(self, table: str) -> bool:
        """Return whether the file has a table, under its name or that of a later version of it."""
        return self._name_of(table) is not None

    def count(self, table: str) -> int:
        """Return the number of rows of a table; 0 without it."""
        name = self._name_of(table)
        if name is None:
            return 0
        found = self._connection.execute(f"SELECT count(*) FROM {_quoted(name)}").fetchone()  # noqa: S608
        return int(found[0])

    def impossible_rows(
        self,
        table: str,
        whole: Sequence[str],
        counts: Sequence[str] = (),
        texts: Sequence[str] = (),
        needed: Sequence[str] = (),
    ) -> int:
        """Return how many rows have something else than whole numbers, end before they start, or lack a text.

        Args:
            table: Its documented name.
            whole: Columns of whole numbers, which may be empty.
            counts: Likewise, of numbers from 0 on.
            texts: Those of `whole` that are the numbers of texts.
            needed: Those of them that may not be empty.
        """
        name = self._name_of(table)
        if name is None:
            return 0
        known = self._columns_of(name)
        wrong = [
            f"typeof({_quoted(each)}) NOT IN ('integer', 'null')"
            for each in (*whole, *counts)
            if each in known
        ]
        wrong += [f"{_quoted(each)} < 0" for each in counts if each in known]
        wrong += ['"end" < "start"'] * ({"start", "end"} <= known)
        wrong += [f"{_quoted(each)} IS NULL" for each in needed if each in known]
        if strings := self._name_of(TEXTS):
            # Some versions write 0 for no text.
            wrong += [
                f"({_quoted(each)} <> 0 AND {_quoted(each)} NOT IN (SELECT id FROM {_quoted(strings)}))"  # noqa: S608
                for each in texts
                if each in known and "id" in self._columns_of(strings)
            ]
        if not wrong:
            return 0
        query = f"SELECT count(*) FROM {_quoted(name)} WHERE {' OR '.join(wrong)}"  # noqa: S608 - quoted names
        return int(self._connection.execute(query).fetchone()[0])

    def rows(
        self,
        table: str,
        numbers: Sequence[str],
        texts: Sequence[str] = (),
        *,
        between: tuple[str, int, int] | None = None,
        equal: tuple[str, int] | None = None,
        most: int,
    ) -> Iterator[Row]:
        """Yield rows in the order of their first number; none without the table.

        Args:
            table: Its documented name.
            numbers: Columns of whole numbers.
            texts: Columns of texts, which are cut at `LONGEST_TEXT`.
            between: A column and the lowest and highest value that it may have.
            equal: A column and the value that it must have.
            most: How many rows are read.
        """
        name = self._name_of(table)
        if name is None:
            return
        known = self._columns_of(name)
        cells = [_whole(each) if each in known else "NULL" for each in numbers]
        cells += [_text(each) if each in known else "NULL" for each in texts]
        conditions: list[str] = []
        values: list[int] = []
        if between and between[0] in known:
            conditions.append(f"{_quoted(between[0])} BETWEEN ? AND ?")
            values += between[1:]
        if equal and equal[0] in known:
            conditions.append(f"{_quoted(equal[0])} = ?")
            values.append(equal[1])
        where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
        order = f" ORDER BY {_quoted(numbers[0])}" if numbers[0] in known else ""
        # Names are quoted, and values are parameters.
        query = f"SELECT {', '.join(cells)} FROM {_quoted(name)}{where}{order} LIMIT ?"  # noqa: S608
        yield from self._connection.execute(query, (*values, most))

    def _plain_tables(self) -> frozenset[str]:
        query = "SELECT name, substr(sql, 1, 30) FROM sqlite_master WHERE type = 'table' LIMIT ?"
        found = self._connection.execute(query, (_MOST_TABLES,)).fetchall()
        return frozenset(
            name
            for name, statement in found
            if isinstance(name, str)
            and isinstance(statement, str)
            and "VIRTUAL" not in statement.upper().split()
        )

    def _name_of(self, table: str) -> str | None:
        if table in self._tables:
            return table
        versions = [
            (int(found[1]), each)
            for each in self._tables
            if each.startswith(table) and (found := _VERSION.fullmatch(each[len(table) :]))
        ]
        return max(versions)[1] if versions else None

    def _columns_of(self, table: str) -> frozenset[str]:
        if table not in self._columns:
            found = self._connection.execute(f"PRAGMA table_xinfo({_quoted(table)})").fetchall()
            # The last value is 0 for a column that is stored, and neither hidden nor generated.
            self._columns[table] = frozenset(str(row[1]) for row in found if row[-1] == 0)
        return self._columns[table]


@contextmanager
def opened(path: Path) -> Iterator[Database]:
    """Open a file; what goes wrong while it is read becomes an InputError with its name.

    Raises:
        InputError: It is damaged, larger than can be read in time, or asks for what is not allowed.
        OSError: It can't be opened.
    """
    # Refuses what is not a file, too: SQLite would wait for a pipe.
    with open_input(path) as file:
        size = _stated_size(file.read(_HEADER_BYTES))
    if size > path.stat().st_size:
        raise _damaged(path, sqlite3.DatabaseError(f"it is cut, {path.stat().st_size:,} of {size:,} bytes"))
    try:
        address = f"file:{quote(str(path.resolve()))}?mode=ro&immutable=1"
        with closing(sqlite3.connect(address, uri=True)) as connection:
            _restrict(connection)
            yield Database(connection)
    except sqlite3.OperationalError as error:
        if "interrupted" in str(error):
            raise InputError(
                f"{path.name} took longer than {MOST_SECONDS:g} s to read.",
                "Record fewer queries, for example with nsys profile --duration.",
            ) from None
        raise _damaged(path, error) from None
    except (sqlite3.Error, UnicodeError, OverflowError) as error:
        raise _damaged(path, error) from None


def _stated_size(header: bytes) -> int:
    """Return how many bytes a database has by its header; 0 if that does not say.

    Source: Database File Format, sqlite.org/fileformat.html, sections 1.3.2 and 1.3.7.
    """
    if len(header) < _HEADER_BYTES or header[24:28] != header[92:96]:
        return 0
    page = int.from_bytes(header[16:18], "big")
    return (page if page > 1 else 1 << 16) * int.from_bytes(header[28:32], "big")


def _damaged(path: Path, error: Exception) -> InputError:
    # SQLite quotes the file, such as the statement of a damaged table with its comments.
    reason = " ".join(str(error).split())[:_LONGEST_REASON]
    return InputError(
        f"{path.name} can't be read as a SQLite file: {reason}.",
        "Export it again: nsys export --type sqlite.",
    )


def _restrict(connection: sqlite3.Connection) -> None:
    if sys.version_info >= (3, 11):
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LARGEST_VALUE)
    connection.text_factory = lambda data: data.decode("utf-8", "replace")
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA query_only = ON")
    deadline = time.monotonic() + MOST_SECONDS
    connection.set_progress_handler(lambda: time.monotonic() > deadline, _STEPS_BETWEEN_CHECKS)
    connection.set_authorizer(_authorize)


def _authorize(
    action: int, first: str | None, second: str | None, _database: str | None, _by: str | None
) -> int:
    """Allow to select from tables, with the functions of the queries here, and to ask for columns."""
    if action in (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ):
        return sqlite3.SQLITE_OK
    if action == sqlite3.SQLITE_PRAGMA and first == "table_xinfo":
        return sqlite3.SQLITE_OK
    if action == sqlite3.SQLITE_FUNCTION and second in _FUNCTIONS:
        return sqlite3.SQLITE_OK
    return sqlite3.SQLITE_DENY


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _whole(column: str) -> str:
    name = _quoted(column)
    return f"CASE typeof({name}) WHEN 'integer' THEN {name} END"


def _text(column: str) -> str:
    name = _quoted(column)
    return f"CASE typeof({name}) WHEN 'text' THEN substr({name}, 1, {LONGEST_TEXT}) END"
