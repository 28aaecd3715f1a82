"""Finding and reading a configuration; every mistake in one line that names file and key."""

from __future__ import annotations

import datetime as dt
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trexreport.analyzer.roofline.classes import EXPLAINED_PERCENT
from trexreport.configuration import Configuration, read_budget_file, read_configuration, today
from trexreport.errors import UsageError
from trexreport.pipeline.settings import read_settings
from trexreport.toml_table import TomlTable, did_you_mean


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder three levels deep, which is the working folder, in a tree without configuration."""
    place = tmp_path / "a" / "b" / "c"
    place.mkdir(parents=True)
    monkeypatch.chdir(place)
    return place


def complaint(*arguments, **options):
    with pytest.raises(UsageError) as caught:
        read_configuration(*arguments, **options)
    text = str(caught.value)
    assert "\n" not in text
    return text


def test_nothing_is_found_where_nothing_is(here):
    assert read_configuration() == Configuration()


def test_the_nearest_file_wins(here):
    for folder, gpu in ((here.parents[1], "far"), (here.parent, "near")):
        (folder / "trexreport.toml").write_text(f'gpu = "{gpu}"')
    found = read_configuration()
    assert (found.gpu, found.file) == ("near", str(here.parent / "trexreport.toml"))
    assert read_configuration(folder=here.parents[1]).gpu == "far"


@pytest.mark.parametrize(
    ("given", "limits", "settings"),
    [
        ((None, None, False), "near", None),
        ((None, "other.toml", False), "other", "other.toml"),
        (("limits.toml", None, False), "limits", None),
        (("full.toml", None, False), "full", "full.toml"),
        (("full.toml", "other.toml", False), "full", "other.toml"),
        (("full.toml", None, True), "full", None),
        ((None, None, True), None, None),
    ],
)
def test_a_file_with_limits_only_goes_with_the_usual_configuration(here, given, limits, settings):
    budget, config, isolated = given
    (here / "trexreport.toml").write_text('gpu = "T4"\n[budget]\nnear = 1')
    (here / "other.toml").write_text('gpu = "L4"\n[budget]\nother = 1')
    (here / "limits.toml").write_text("[budget]\nlimits = 1")
    (here / "full.toml").write_text('gpu = "A100"\n[budget]\nfull = 1')
    found, file = read_budget_file(budget, config, isolated=isolated)
    assert (found.budget, file) == ({limits: 1} if limits else None, settings)


def test_its_own_file_comes_before_the_projects(here):
    (here / "pyproject.toml").write_text('[tool.trexreport]\ngpu = "project"')
    assert read_configuration().gpu == "project"
    (here / "trexreport.toml").write_text('gpu = "own"')
    assert read_configuration().gpu == "own"


def test_a_project_that_says_nothing_to_us_is_passed(here):
    (here / "pyproject.toml").write_text("[tool.other]\nx = 1")
    (here.parent / "pyproject.toml").write_text('[tool.trexreport]\ngpu = "A100"')
    assert read_configuration().gpu == "A100"


def test_messages_name_the_key_where_it_is(here):
    (here / "pyproject.toml").write_text("[tool.trexreport]\ngpus = 1")
    assert complaint() == "pyproject.toml: tool.trexreport.gpus must be a table, not 1."
    (here / "trexreport.toml").write_text("lnit = 1")
    assert complaint() == "trexreport.toml: lnit is not a known key. Did you mean lint?"


def test_the_users_gpus_and_rules_are_handed_on(here):
    (here / "x.toml").write_text('[gpus."My GPU"]\nsms = 3\n[lint]\nignore = ["TRX1"]')
    found = read_configuration("x.toml")
    assert found.gpus == {"My GPU": {"sms": 3}}
    assert found.lint == {"ignore": ["TRX1"]}
    assert (found.file, found.prefix) == ("x.toml", "x.toml: ")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"a = ", "x.toml is not valid TOML: "),
        (b"\xff", "x.toml is not UTF-8."),
        (b"a = " + b"[" * 100_000, "x.toml is "),
        (b"a = " + b"9" * 5_000, "x.toml is not valid TOML: "),
        (b".".join([b"a"] * 300_000) + b" = 1", "x.toml has a key of more than 64 parts."),
        (b"a = {" + b'"." . ' * 64 + b"b = 1}", "x.toml has a key of more than 64 parts."),
        (b"# " + b"x" * (2 << 20), "x.toml is too large for a configuration."),
        (b"gpu = 3", "x.toml: gpu must be a text that is not empty, not 3."),
        (b'gpu = " "', 'x.toml: gpu must be a text that is not empty, not " ".'),
        (b"[[gpus]]", "x.toml: gpus must be a table, not a list."),
        (b'[gpus]\n"A B" = 1', 'x.toml: gpus."A B" must be a table, not 1.'),
        (b'[gpus.A]\nname = "B"', "x.toml: gpus.A.name is not a known key."),
        (b'"l\\nint" = 1', 'x.toml: "l\ufffdint" is not a known key. Did you mean lint?'),
    ],
)
def test_a_mistake_is_one_line(here, content, expected):
    (here / "x.toml").write_bytes(content)
    assert complaint("x.toml").startswith(expected)


@pytest.mark.parametrize("text", ['"{}"', "'{}'", '"""\n{}"""', "'''{}'''", '"\\"{}"', '"A" # {}'])
def test_points_in_a_text_make_no_long_key(here, text):
    (here / "x.toml").write_text(f"gpu = {text}\n".replace("{}", "x." * 100))
    assert read_configuration("x.toml").gpu


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ("explained-percent = 50", 50),
        ("explained-percent = 1", 1),
        ("", None),
        ("explained-percent = 0", "roofline.explained-percent must be 1 to 100, not 0."),
        ("explained-percent = 101", "roofline.explained-percent must be 1 to 100, not 101."),
        ('explained-percent = "50"', 'roofline.explained-percent must be a number, not "50".'),
        ("explained = 50", "roofline.explained is not a known key."),
    ],
)
def test_the_limit_of_latency_bound_layers(here, table, expected):
    (here / "trexreport.toml").write_text(f"[roofline]\n{table}\n")
    if isinstance(expected, str):
        with pytest.raises(UsageError, match=re.escape(expected)):
            read_configuration()
        return
    configuration = read_configuration()
    assert configuration.explained_percent == expected
    assert read_settings().gpu.explained_percent == (expected or EXPLAINED_PERCENT)


def test_a_byte_order_mark_is_no_mistake(here):
    (here / "x.toml").write_bytes(b'\xef\xbb\xbfgpu = "A"')
    assert read_configuration("x.toml").gpu == "A"


def test_what_can_not_be_read_is_named(here):
    assert complaint("missing.toml") == "missing.toml can't be read: No such file or directory."
    assert "can't be read: Is a directory." in complaint(here)
    assert "can't be read" in complaint("a\0b")


def test_the_day_is_that_of_the_source(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    assert today() == dt.date(2023, 11, 14)
    for wrong in ("soon", "9" * 30, "nan"):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", wrong)
        with pytest.raises(UsageError, match="SOURCE_DATE_EPOCH"):
            today()
    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    assert abs(today() - dt.datetime.now(tz=dt.timezone.utc).date()) <= dt.timedelta(days=1)


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.dates()
    | st.datetimes(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


READERS = {
    "text": (lambda table: table.text("key"), lambda got: isinstance(got, str) and bool(got.strip())),
    "texts": (lambda table: table.texts("key"), lambda got: all(isinstance(each, str) for each in got)),
    "number": (lambda table: table.number("key", 0, 10), lambda got: 0 <= got <= 10),
    "day": (lambda table: table.day("key"), lambda got: type(got) is dt.date),
    "one_of": (lambda table: table.one_of("key", ("a", "b")), lambda got: got in ("a", "b")),
    "table": (lambda table: table.table("key"), lambda got: isinstance(got.values, dict)),
    "tables": (lambda table: table.tables("key"), lambda got: isinstance(got, list)),
}


@pytest.mark.parametrize("kind", READERS)
@given(value=json_values.filter(lambda value: value is not None))
def test_a_value_is_of_its_kind_or_refused(kind, value):
    take, is_right = READERS[kind]
    try:
        got = take(TomlTable({"key": value}, "x: "))
    except UsageError as error:
        assert str(error).startswith("x: key must be ")  # noqa: PT017 - either outcome is right
    else:
        assert is_right(got)


@pytest.mark.parametrize(
    ("word", "expected"),
    [("trx102", "TRX102"), ("TRX12", "TRX102"), ("ignroe", "ignore"), ("zzz", "")],
)
def test_the_nearest_word_is_suggested(word, expected):
    known = ("TRX102", "ignore", "select")
    assert did_you_mean(word, known) == (f"Did you mean {expected}?" if expected else "")
