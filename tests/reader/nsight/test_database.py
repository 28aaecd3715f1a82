"""SQLite files that anyone may have made: nothing in them runs, and every read has a limit."""

import sqlite3
from contextlib import closing

import pytest
from generator.nsys import NsysExport, TracedKernel, traced_queries

from trexreport.errors import InputError
from trexreport.reader.nsight import database
from trexreport.reader.nsight.database import opened
from trexreport.reader.nsight.export import read_export

KERNEL = "CUPTI_ACTIVITY_KIND_KERNEL"


def made(tmp_path, *statements, name="x.sqlite"):
    path = tmp_path / name
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in statements:
            connection.execute(statement)
    return path


def rows(path, table="t", numbers=("a",), texts=(), **limits):
    with opened(path) as found:
        return list(found.rows(table, numbers, texts, **{"most": 10, **limits}))


def test_values_of_another_type_read_as_unknown(tmp_path):
    path = made(
        tmp_path,
        "CREATE TABLE t (a, b)",
        "INSERT INTO t VALUES (1, 'x'), ('text', 2), (1.5, x'00'), (NULL, NULL), (9, 'y')",
    )
    found = rows(path, numbers=("a", "absent"), texts=("b",))
    assert sorted(found, key=str) == [(1, None, "x"), (9, None, "y"), *[(None, None, None)] * 3]


def test_rows_are_limited_and_in_order(tmp_path):
    path = made(tmp_path, "CREATE TABLE t (a, b)", "INSERT INTO t VALUES (3, 1), (1, 2), (2, 1), (4, 1)")
    assert rows(path, most=2) == [(1,), (2,)]
    assert rows(path, between=("a", 2, 3)) == [(2,), (3,)]
    assert rows(path, equal=("b", 1), most=2) == [(2,), (3,)]
    assert rows(path, table="absent") == []


def test_views_virtual_tables_and_generated_columns_are_not_read(tmp_path):
    bomb = "WITH RECURSIVE c(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM c) SELECT a FROM c"
    path = made(
        tmp_path,
        f"CREATE VIEW {KERNEL} AS {bomb}",
        "CREATE VIRTUAL TABLE v USING fts5(a)",
        "CREATE TABLE t (a, g AS (length(zeroblob(100000000))), s AS (a + 1) STORED)",
        "INSERT INTO t (a) VALUES (5)",
    )
    with opened(path) as found:
        assert not found.has(KERNEL)
        assert not found.has("v")
    assert rows(path, numbers=("a", "g", "s")) == [(5, None, None)]
    with pytest.raises(InputError, match="records no CUDA kernels"):
        read_export(path)


def test_triggers_do_not_run_and_the_file_stays_as_it_is(tmp_path):
    path = made(
        tmp_path,
        "CREATE TABLE t (a)",
        "INSERT INTO t VALUES (1)",
        "CREATE TRIGGER g AFTER INSERT ON t BEGIN DELETE FROM t; END",
    )
    before = path.read_bytes()
    assert rows(path) == [(1,)]
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["x.sqlite"]


def test_a_table_named_as_an_injection_is_a_name(tmp_path):
    name = 't" UNION SELECT 1 -- _V2'
    path = made(tmp_path, 'CREATE TABLE "t"" UNION SELECT 1 -- _V2" (a)', "CREATE TABLE t (a)")
    assert rows(path, table=name) == []


def test_a_large_text_is_cut_and_a_huge_value_is_refused_or_unknown(tmp_path):
    path = made(
        tmp_path, "CREATE TABLE t (a, b)", "INSERT INTO t VALUES (1, replace(hex(zeroblob(5000)), '0', 'x'))"
    )
    assert len(rows(path, texts=("b",))[0][1]) == database.LONGEST_TEXT
    huge = made(tmp_path, "CREATE TABLE t (a, b)", "INSERT INTO t VALUES (zeroblob(40000000), 1)", name="h")
    try:
        assert rows(huge) == [(None,)]
    except InputError as error:
        assert "can't be read as a SQLite file" in str(error)  # noqa: PT017 - depends on the version of Python


def test_a_slow_file_is_given_up(tmp_path, monkeypatch):
    monkeypatch.setattr(database, "MOST_SECONDS", -1.0)
    monkeypatch.setattr(database, "_STEPS_BETWEEN_CHECKS", 1)
    path = made(tmp_path, "CREATE TABLE t (a)", "INSERT INTO t VALUES (1)")
    with pytest.raises(InputError, match=r"x\.sqlite took longer than -1 s to read\. Record fewer"):
        rows(path)


@pytest.mark.parametrize("cut", [20, 100, 4096, 9000])
def test_a_damaged_file_is_one_line(tmp_path, cut):
    export = NsysExport()
    traced_queries(export, [TracedKernel("a", "k", 1000)] * 30, 3)
    path = export.write(tmp_path / "x.sqlite")
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(InputError, match=r"x\.sqlite can't be read as a SQLite file: .*Export it again"):
        read_export(path)


def test_names_with_every_character_of_an_address_are_found(tmp_path):
    path = made(tmp_path, "CREATE TABLE t (a)", "INSERT INTO t VALUES (1)", name="a b#c?d%20.sqlite")
    assert rows(path) == [(1,)]


def test_text_that_is_no_utf8_is_replaced(tmp_path):
    path = made(tmp_path, "CREATE TABLE t (a, b)", "INSERT INTO t VALUES (1, CAST(x'61ff62' AS TEXT))")
    assert rows(path, texts=("b",)) == [(1, "a\ufffdb")]


@pytest.mark.parametrize(
    "statement",
    ["ATTACH ':memory:' AS o", "SELECT randomblob(9)", "PRAGMA user_version", "INSERT INTO t VALUES (2)"],
)
def test_nothing_but_selecting_from_tables_is_allowed(tmp_path, statement):
    path = made(tmp_path, "CREATE TABLE t (a)")
    with pytest.raises(InputError, match="can't be read as a SQLite file"), opened(path) as found:
        found._connection.execute(statement)


def test_damage_inside_a_long_statement_is_one_line(tmp_path):
    path = made(tmp_path, "CREATE TABLE a (x INT -- the first\n, y INT -- the second one\n, z INT)")
    path.write_bytes(path.read_bytes().replace(b"CREATE TABLE a (x INT", b"CREATE TABLE a [x INT"))
    with pytest.raises(InputError, match="malformed") as caught, opened(path) as found:
        found.count("a")
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize("page", [512, 4096, 65536])
def test_a_file_that_is_cut_is_not_read_in_part(tmp_path, page):
    path = made(tmp_path, f"PRAGMA page_size = {page}", "CREATE TABLE t (a)", "INSERT INTO t VALUES (1)")
    assert rows(path) == [(1,)]
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    with pytest.raises(InputError, match=rf"it is cut, {len(whole) - 1:,} of {len(whole):,} bytes"):
        rows(path)
