"""Layer times in every shape and state that a profile file is found in."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from limits import processor_seconds

from trexreport.errors import InputError
from trexreport.model import LayerTime
from trexreport.reader.profile_file import is_profile, read_profile

TRTEXEC = Path(__file__).resolve().parents[2].parent / "shared" / "trtexec"


COUNT = 7


def record(name, mean, *, median="", total=None, share=None):
    """Return a record as trtexec writes it; `written` computes the share if none is given."""
    middle = f', "medianMs" : {median or mean}' if median is not None else ""
    total = total or (f"{float(mean) * COUNT}" if str(mean).replace(".", "").isdigit() else mean)
    share = share or f"<{total}>"
    return (
        f'{{ "name" : "{name}", "timeMs" : {total}, "averageMs" : {mean}{middle}, "percentage" : {share} }}'
    )


def written(*records, count=COUNT, end="\n]\n"):
    """Return a profile as trtexec writes it."""
    head = [f'{{ "count" : {count} }}'] if count is not None else []
    text = "[\n  " + "\n, ".join([*head, *records]) + end
    totals = {found: float(found) for found in re.findall(r'"percentage" : <([\d.e-]+)>', text)}
    whole = sum(totals[found] for found in re.findall(r'"percentage" : <([\d.e-]+)>', text)) or 1
    return re.sub(
        r'"percentage" : <([^<>]+)>',
        lambda found: f'"percentage" : {100 * totals[found[1]] / whole if found[1] in totals else found[1]}',
        text,
    )


def read(text):
    profile = read_profile(text, "p.json")
    return {row.name: row.time for row in profile.rows}, profile.iterations, [n.slug for n in profile.notes]


def test_a_whole_file():
    small = record("a + b", "1e-05", total="7e-05", share="0.0005")
    assert read(written(small, record("c", 2, median="1.5", share="99.9995"))) == (
        {"a + b": LayerTime(1e-05, 1e-05, 7e-05, 0.0005), "c": LayerTime(2.0, 1.5, 14.0, 99.9995)},
        7,
        [],
    )


def test_without_median_and_count():
    found, iterations, slugs = read(written(record("a", 1, median=None), count=None))
    assert found == {"a": LayerTime(1.0, None, 7.0, 100.0)}
    assert (iterations, slugs) == (None, [])


@pytest.mark.parametrize(
    "name",
    [
        'layer with "quote" and \\backslash',
        '"',
        '", "timeMs" : 9, "averageMs" : 9',
        "\\",
        'a "b", "c',
        '{ "name" : "x" } "',
        '\x1e\x1f\x0c\x85\u2028"',
        '</script><img src=x onerror=alert(1)>"',
    ],
)
def test_names_that_trtexec_does_not_escape(name):
    found, iterations, slugs = read(written(record("first", 1), record(name, 2), record("last", 3)))
    assert [(key, row.avg_ms) for key, row in found.items()] == [("first", 1), (name, 2), ("last", 3)]
    assert iterations == 7
    assert slugs == ["profile-by-line"]


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_line_ends_of_windows(ending):
    text = written(record('a"b', 1), record("c", 2)).replace("\n", ending)
    assert list(read(text)[0]) == ['a"b', "c"]


@pytest.mark.parametrize("number", ["nan", "-nan", "inf", "-nan(ind)", "-1", "1e300"])
def test_times_that_are_no_numbers(number):
    found, _, slugs = read(written(record("a", number), record("b", 2)))
    assert found["a"] is None
    assert found["b"].avg_ms == 2
    assert "profile-nan" in slugs


def test_a_share_that_is_no_number_spares_the_time():
    found, _, slugs = read(written(record("a", 2, share="-nan")))
    assert found == {"a": LayerTime(2.0, 2.0, 14.0, None)}
    assert slugs == ["json-nan", "impossible-values"]


def test_names_are_not_altered_where_numbers_are_repaired():
    name = "x, nan, [inf]"
    assert list(read(written(record(name, "nan")))[0]) == [name]


@pytest.mark.parametrize("keep", [0.4, 0.6, 0.8, 0.97])
def test_a_cut_off_file_is_stated_to_be(keep):
    text = written(*(record(f"layer [profile {index}]", index) for index in range(9)))
    found, iterations, slugs = read(text[: int(len(text) * keep)])
    assert 0 < len(found) <= 9
    assert iterations == 7
    assert slugs == ["profile-cut-off"]


def test_a_file_that_is_cut_off_between_records():
    text = written(record("a", 1), record("b", 2))
    found, _, slugs = read(text[: text.rindex("\n]")])
    assert (list(found), slugs) == (["a", "b"], ["profile-cut-off"])


def test_a_file_that_is_cut_off_in_its_first_record():
    with pytest.raises(InputError, match="is cut off at line 3"):
        read(written(record("a", 1))[:40])


def test_a_broken_record_is_counted():
    text = written(record('a"', 1), '{ "name" : "b", "timeMs" : }', record("c", 2))
    found, _, slugs = read(text)
    assert list(found) == ['a"', "c"]
    assert slugs == ["profile-by-line", "profile-records"]


def test_samples_of_each_iteration():
    text = json.dumps({"a": [[1.0, 111], [3.0, 222], [2.0, 333]], "b": [0.5, 1.5], "never ran": []})
    found, iterations, slugs = read(text)
    assert found == {
        "a": LayerTime(2.0, 2.0, 6.0, None, (1.0, 3.0, 2.0)),
        "b": LayerTime(1.0, 1.0, 2.0, None, (0.5, 1.5)),
        "never ran": None,
    }
    assert (iterations, slugs) == (3, ["profile-nan"])


@pytest.mark.parametrize(("samples", "median"), [([9, 1, 5, 2, 4], 4), ([9, 1, 5, 2, 4, 6], 4.5), ([3], 3)])
def test_the_median_of_samples(samples, median):
    assert read(json.dumps({"a": samples}))[0]["a"].median_ms == median


def test_samples_that_are_none_are_left_out():
    found, _, _ = read('{"a": [1, 2, 3, 4, 5, "x", null, [], -1, NaN]}')
    assert found["a"].samples_ms == (1, 2, 3, 4, 5)


def test_nothing_was_profiled():
    assert read('[\n  { "count" : 0 }\n]\n') == ({}, 0, ["profile-empty"])


def test_records_that_are_none():
    found, iterations, slugs = read('[{"count": true}, {"name": "a", "averageMs": 1}, 5, {"name": 3}, {}]')
    assert (list(found), iterations, slugs) == (["a"], None, ["profile-records", "impossible-values"])


@pytest.mark.parametrize("text", ["", "{}", "[]", "[1, 2]", '{"a": 1}', '{"a": []}', '{"a": ["x"]}', "hello"])
def test_what_is_no_profile(text):
    with pytest.raises(InputError, match=r"^p\.json "):
        read(text)


def test_duplicate_names_stay_apart():
    profile = read_profile(written(record("a", 1), record("a", 2)), "p.json")
    assert [(row.name, row.time.avg_ms) for row in profile.rows] == [("a", 1), ("a", 2)]


@pytest.mark.parametrize(
    "text", [" " * 200_000 + "x", '{ "name" : "' + '", "timeMs" : 1' * 50_000, "}" + " ]," * 99_999]
)
def test_hostile_lines_take_no_time(text):
    with processor_seconds(20):
        assert list(read(written(record('a"', 1), text))[0]) == ['a"']


NAMES = st.text(st.characters(exclude_characters="\n\r", exclude_categories=["Cs"]), max_size=30)


@given(st.lists(NAMES, min_size=1, max_size=6, unique=True))
def test_any_names_survive_or_are_joined_by_their_spelling(names):
    text = written(*(record(name, index) for index, name in enumerate(names)))
    profile = read_profile(text, "p.json")
    if any(note.slug == "profile-by-line" for note in profile.notes):
        assert [row.name for row in profile.rows] == names
    else:
        assert [row.name for row in profile.rows] == [json.loads(f'"{name}"', strict=False) for name in names]


ANY_JSON = st.recursive(
    st.none() | st.floats() | st.text(max_size=4) | st.sampled_from(["name", "averageMs"]),
    lambda c: (
        st.lists(c, max_size=3)
        | st.dictionaries(st.sampled_from(["name", "averageMs", "count", "a"]), c, max_size=3)
    ),
)
RECORDS = st.fixed_dictionaries({"name": st.text(max_size=4), "averageMs": st.floats(-1, 9) | ANY_JSON})


@given(ANY_JSON | st.lists(RECORDS, max_size=3))
def test_any_json_is_a_profile_or_an_error(document):
    try:
        profile = read_profile(json.dumps(document), "p.json")
    except InputError:
        return
    assert isinstance(is_profile(document), bool)
    assert all(row.time is None or row.time.avg_ms >= 0 for row in profile.rows)


@pytest.mark.engines
@pytest.mark.parametrize("version", ["8.6.1", "10.0.1", "10.13.3", "10.16", "11.0", "11.1"])
def test_what_trtexec_writes(version):
    paths = sorted((TRTEXEC / f"writer-{version}").glob("*.profile.json"))
    assert len(paths) >= 4
    for path in paths:
        found, iterations, slugs = read(path.read_text("utf-8"))
        assert iterations is not None
        assert set(slugs) <= {"profile-by-line", "json-nan", "profile-empty"}
        assert all(found.values())
        if path.name.startswith("05"):
            assert 'layer with "quote" and \\backslash' in found


@pytest.mark.parametrize(
    "text",
    [
        written(record("a", 0, median="0", total="0"), record("b", "0.0", median="", total="0")),
        written(record("a", 0, median="0", total="0"), record("b", "nan", median="nan", total="nan")),
        '{"a": [0, 0], "b": [0.0]}',
    ],
)
def test_a_profile_of_zeros_measured_nothing(text):
    found, _, slugs = read(text)
    assert found == {"a": None, "b": None}
    assert slugs[-1] == "profile-zero"


@pytest.mark.parametrize(("median", "slugs"), [("1e-9", []), ("0", ["unusual-values"])])
def test_a_layer_that_took_any_time_makes_the_zeros_true(median, slugs):
    none = record("a", 0, median="0", total="0", share="0")
    found, _, noted = read(written(none, record("b", "1e-9", median=median, total="7e-9", share="100")))
    assert (found["a"].avg_ms, noted) == (0, slugs)


@pytest.mark.parametrize(("middle", "noted"), [("1.1", []), ("1.5", ["unusual-values"])])
def test_medians_of_all_layers_far_above_their_averages_are_noted(middle, noted):
    rows = [record(name, 1, median=middle, total=10) for name in ("a", "b", "c")]
    found, _, slugs = read(written(*rows, count=10))
    assert slugs == noted
    assert [row.median_ms for row in found.values()] == [float(middle)] * 3
