"""JSON as it is found in the field, and text that is none."""

from __future__ import annotations

import io
import json
import math
import tarfile

import pytest
from hypothesis import given
from hypothesis import strategies as st
from limits import processor_seconds

from trexreport.errors import InputError
from trexreport.reader.json_text import decode_text, parse_json


def is_container(value):
    return isinstance(value, (dict, list)) and bool(value)


def parse(text, accepts=is_container):
    document, notes = parse_json(text, "f.json", accepts)
    return document, [note.slug for note in notes]


@pytest.mark.parametrize(
    ("data", "text", "slugs"),
    [
        (b"abc", "abc", []),
        (b"\xef\xbb\xbfabc", "abc", []),
        ("ä→".encode(), "ä→", []),
        ("\ufeffäbc".encode("utf-16-le"), "äbc", []),
        ("\ufeffäbc".encode("utf-16-be"), "äbc", []),
        (b"a\xffb", "a\ufffdb", ["encoding"]),
        ("\ufeffab".encode("utf-16-le") + b"c", "ab\ufffd", ["encoding"]),
        (b"", "", []),
    ],
)
def test_encodings(data, text, slugs):
    found, notes = decode_text(data, "f")
    assert (found, [note.slug for note in notes]) == (text, slugs)


def test_control_characters_in_names_are_kept():
    assert parse('["a\x1eb\x00c\nd"]') == (["a\x1eb\x00c\nd"], [])


@pytest.mark.parametrize(
    "text",
    [
        '[11/21/2026-09:11:21] [I] start\n[{"a": 1}]\n&&&& PASSED\n',
        "[11/21/2026-09:11:21] [I] x\n" * 2000 + '  [ {"a": 1}] trailing',
        '[I] [TRT] {braces} and [brackets]\n[{"a":\n1}]',
        '\n\n\n{ "broken": x\n[{"a": 1}]',
    ],
)
def test_documents_inside_logs_are_found(text):
    assert parse(text, lambda value: value == [{"a": 1}]) == ([{"a": 1}], ["json-in-text"])


def test_an_engine_document_is_found_in_the_middle_of_a_line():
    text = '[11/21/2026-09:11:21] [I] Layers: {"Layers": ["a"], "Bindings": []} done'
    assert parse(text)[0] == {"Layers": ["a"], "Bindings": []}


def test_a_document_that_is_not_accepted_is_passed_over():
    text = 'log\n{"first": 1}\n{"second": {"first": 2}}\n'
    assert parse(text, lambda value: "second" in value)[0] == {"second": {"first": 2}}


def test_numbers_that_are_none():
    text = '[nan, -nan, inf, -inf, -nan(ind), "x, nan, y", NaN, Infinity, 1e999, -1e999, 1.5]'
    document, slugs = parse(text)
    assert document == [None, None, None, None, None, "x, nan, y", None, None, None, None, 1.5]
    assert slugs == ["json-nan"]
    assert parse("[NaN, -Infinity, 1e400]") == ([None, None, None], [])


def test_numbers_that_are_none_inside_a_log():
    document, slugs = parse('[I] log\n[{"name": nan}]\nmore')
    assert document == [{"name": None}]
    assert slugs == ["json-in-text", "json-nan"]


def test_lone_surrogates_are_replaced():
    document, slugs = parse(
        r'["\ud800", "\ud83d\ude00", "\\ud800", "\udc00\ud800x", "\uD8"]'.replace(r', "\uD8"', "")
    )
    assert document == ["\ufffd", "😀", r"\ud800", "\ufffd\ufffdx"]
    assert slugs == ["encoding"]
    assert json.dumps(document, ensure_ascii=False).encode()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        (" \n\n", "is empty"),
        ("hello", "is not JSON (Expecting value, line 1, column 1)"),
        ("{'a': 1}", "is not JSON"),
        ('{"a": [1, 2', "is cut off at line 1"),
        ('{"a": [1, 2,', "is cut off at line 1"),
        ('{"a":\n "text without', "is cut off at line 2"),
        ('{"a": "text\\u00', "is cut off at line 1"),
        ('{"a": tr', "is cut off at line 1"),
        ('{"a": nul', "is cut off at line 1"),
        ("[1" + "0" * 5000 + "]", "a number in it is too long"),
        ("[" * 100_000, "nested too deeply"),
        ("[" * 400 + "]" * 400, "nested too deeply"),
        ('{"a":' * 400 + "1" + "}" * 400, "nested too deeply"),
        ("[]", "not of a kind that trexreport reads"),
        ("17", "not of a kind that trexreport reads"),
    ],
)
def test_what_is_wrong_is_stated(text, message):
    with pytest.raises(InputError) as caught:
        parse(text)
    assert message in str(caught.value)
    assert str(caught.value).startswith("f.json ")
    assert "\n" not in str(caught.value)
    assert caught.value.hint


def test_a_document_inside_one_that_is_cut_off_is_not_taken_for_the_whole():
    text = '[\n{"a": 1},\n{"Layers": [1]},\n{"Layers": ['
    with pytest.raises(InputError, match="cut off"):
        parse(text, lambda value: isinstance(value, dict))


@pytest.mark.parametrize(
    "text",
    [
        "[" * 20_000_000,
        "[\n" * 3_000_000,
        "{  " * 3_000_000,
        "\n" * 3_000_000,
        " \n" * 2_000_000,
        " " * 5_000_000,
        "[nan" * 1_000_000,
        '"' * 3_000_001,
        '"' + "\\" * 3_000_000,
        '{"a":\n' * 300 + "[1" + ",1" * 2_000_000,
        r"\ud800" * 500_000,
        "[11/21/2026-09:11:21] [I] x\n" * 100_000,
    ],
    ids=lambda text: repr(text[:10]),
)
def test_hostile_texts_take_no_time(text):
    with processor_seconds(20), pytest.raises(InputError):
        parse(text)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda children: (
        st.lists(children, max_size=4) | st.dictionaries(st.text(max_size=4), children, max_size=4)
    ),
    max_leaves=12,
)


def without_surrogates(value):
    return json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))


@given(st.lists(JSON, min_size=1, max_size=3), st.booleans())
def test_json_comes_back_as_it_is(document, escaped):
    text = json.dumps(document, ensure_ascii=escaped)
    found, _ = parse_json(text, "f", is_container)
    assert json.dumps(found) == json.dumps(document)


@given(st.binary(max_size=200))
def test_any_bytes_are_a_document_or_an_error(data):
    text, _ = decode_text(data, "f")
    try:
        document, _ = parse_json(text, "f", is_container)
    except InputError:
        return
    assert is_container(document)


@given(st.lists(JSON, min_size=1, max_size=3), st.data())
def test_a_truncated_list_is_never_accepted(document, data):
    text = json.dumps([[document]])
    cut = data.draw(st.integers(1, len(text) - 1))
    with pytest.raises(InputError):
        parse_json(text[:cut], "f", lambda value: value == [[document]])


@given(st.floats())
def test_no_number_is_infinite(value):
    document, _ = parse_json(f"[{json.dumps(value)}]", "f", is_container)
    assert document[0] is None or math.isfinite(document[0])


@pytest.mark.parametrize("between", ["", "\n", ",\n", "\r\n\r\n"])
def test_of_runs_that_were_appended_the_last_one_is_read(between):
    text = between.join(f'[{{"name": "a", "a": {run}}}]' for run in range(7))
    assert parse(text, lambda value: isinstance(value, list)) == ([{"name": "a", "a": 6}], ["json-several"])


def test_a_run_that_is_cut_leaves_the_one_before():
    text = '[{"name": 1}]\n[{"name": 2}]\n[{"name": 3'
    assert parse(text, lambda value: isinstance(value, list)) == ([{"name": 2}], ["json-several"])


def test_text_after_a_document_ends_the_runs():
    text = '[{"name": 1}]\nBuild of:\n[{"name": 2}]'
    assert parse(text, lambda value: isinstance(value, list)) == ([{"name": 1}], ["json-in-text"])


@pytest.mark.parametrize(
    ("text", "slugs"),
    [
        ('{"Layers": ["co\0\0nv"]}', ["zero-bytes"]),
        ('{"Layers": ["co\\u0000nv"]}', []),
        ('{"Layers": ["conv"]}\0\0\0', ["json-in-text"]),
    ],
)
def test_zero_bytes_in_place_of_texts_are_noted(text, slugs):
    assert [note.slug for note in parse_json(text, "x", lambda found: "Layers" in found)[1]] == slugs


@pytest.mark.parametrize("names", [["a.json"], ["notes.txt", "a.json"]])
def test_a_tar_archive_of_one_document_is_called_one(names):
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for each in names:
            member = tarfile.TarInfo(each)
            content = b'{"Layers": ["conv"]}' if each == "a.json" else b"notes"
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    text = written.getvalue().decode()
    document, notes = parse_json(text, "x.json", lambda found: "Layers" in found)
    assert document == {"Layers": ["conv"]}
    assert [note.message for note in notes] == [
        "x.json is a tar archive; the JSON of one file in it was read."
    ]
