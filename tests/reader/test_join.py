"""Giving each layer its time: by name, then by order, never by position."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trexreport.model import Layer, LayerTime
from trexreport.reader.join import join_profile
from trexreport.reader.layer_profile import LayerProfile
from trexreport.reader.profile_file import ProfileRow, read_profile


def layers(*names, type_="Convolution"):
    return [Layer(index, f"{index}", name, type_) for index, name in enumerate(names)]


def rows(*pairs):
    return LayerProfile(tuple(ProfileRow(name, LayerTime(ms)) for name, ms in pairs))


def joined(found, profile):
    result, notes = join_profile(found, profile, "p.json")
    return [each.time and each.time.avg_ms for each in result], [note.slug for note in notes]


def test_names_count_and_positions_do_not():
    assert joined(layers("a", "b", "c"), rows(("c", 3), ("a", 1), ("b", 2))) == ([1, 2, 3], [])


def test_equal_names_are_joined_in_their_order():
    assert joined(layers("a", "b", "a"), rows(("a", 1), ("a", 3), ("b", 2))) == ([1, 2, 3], [])


def test_names_without_a_letter_are_quoted():
    _, notes = join_profile(layers("a", "b"), rows(("a", 1), ("", 2), (" ", 3), ("c", 4)), "p.json")
    assert [note.message.partition(": ")[2] for note in notes] == ["b.", '"", " ", c.']


LONG = "/encoder/layers.0/self_attn/MatMul"


def test_names_that_a_column_cut_are_found_by_their_beginnings():
    found = layers(f"{LONG} + /a/Add", "/short", "/encoder/layers.1/self_attn/MatMul_1")
    cut = ("/encoder/layers.1/se", 3), ("/short", 2), ("/encoder/layers.0/se", 1)
    assert joined(found, rows(*cut)) == ([1, 2, 3], ["profile-names-cut"])
    # An ellipsis shows it, too, whatever the width.
    cut = ("/encoder/layers.1/self_at...", 3), ("/short", 2), ("/encoder/layers.0/self\u2026", 1)
    assert joined(found, rows(*cut)) == ([1, 2, 3], ["profile-names-cut"])


def test_as_many_rows_as_layers_of_one_beginning_are_joined_in_their_order():
    found = layers(f"{LONG}_1", f"{LONG}_2", "/short")
    assert joined(found, rows((LONG[:25], 1), (LONG[:25], 2), ("/short", 3))) == (
        [1, 2, 3],
        ["profile-names-cut"],
    )


@pytest.mark.parametrize(
    ("names", "found"),
    [
        # One name alone may be the longest of another engine.
        ([f"{LONG} + /a/Add", "/short"], [(LONG, 1), ("/short", 2)]),
        # Which of two layers a row is of is not known.
        (
            [f"{LONG}_1", f"{LONG}_2", f"{LONG[:20]}x", "/short"],
            [(LONG[:24], 1), (LONG[:20] + "xxxx", 1), ("/short", 2)],
        ),
        # Short names are not cut.
        (["conv1 + relu1", "conv2 + relu2", "/s"], [("conv1", 1), ("conv2", 1), ("/s", 2)]),
    ],
)
def test_what_may_be_another_name_is_not_joined(names, found):
    times, slugs = joined(layers(*names), rows(*found))
    assert times == [None] * (len(names) - 1) + [2]
    assert "profile-names-cut" not in slugs


def test_a_partial_profile():
    times, slugs = joined(layers("a", "b", "c"), rows(("b", 2), ("z", 9)))
    assert times == [None, 2, None]
    assert slugs == ["layers-not-profiled", "profile-without-layer"]


def test_more_duplicates_than_rows():
    assert joined(layers("a", "a"), rows(("a", 1))) == ([1, None], ["layers-not-profiled"])


def test_structural_layers_need_no_time():
    assert joined(layers("a") + layers("n", type_="NoOp"), rows(("a", 1))) == ([1, None], [])


def test_the_profile_of_another_engine():
    times, slugs = joined(layers("a", "b"), rows(("x", 1), ("y", 2)))
    assert (times, slugs) == ([None, None], ["profile-of-other-engine"])


def test_an_empty_profile():
    assert joined(layers("a"), rows()) == ([None], ["layers-not-profiled"])


def test_a_row_without_a_number():
    result, notes = join_profile(layers("a"), LayerProfile((ProfileRow("a", None),)), "p.json")
    assert (result[0].time, notes) == (None, [])


@pytest.mark.parametrize(
    "name", ["C:\\temp\\new", "tab\\t", 'quote"', "\\u0041", "back\\slash\\q", 'a\\"b', "\\", "\x1e"]
)
@pytest.mark.parametrize("write", [json.dumps, '"{}"'.format], ids=["escaped", "as-it-is"])
def test_names_that_json_altered_are_joined(name, write):
    figures = '"timeMs" : 1, "averageMs" : 1, "percentage" : 100'
    text = f'[\n{{ "name" : {write(name)}, {figures} }}\n]'
    assert joined(layers(name), read_profile(text, "p.json")) == ([1], [])


def test_a_spelling_is_not_taken_from_a_layer_that_has_it_as_its_name():
    names = ("a\\t", "a\\t", "a\t")
    times, _ = joined(layers(*names), rows(("a\\t", 1), ("a\t", 2)))
    assert times == [1, None, 2]


def test_long_names_are_shortened_in_notes():
    _, notes = join_profile(layers("n" * 100_000, "b"), rows(("b", 1)), "p.json")
    assert len(notes[0].message) < 300


@given(st.lists(st.text(max_size=8), min_size=1, max_size=8, unique=True), st.randoms(use_true_random=False))
def test_shuffling_rows_of_unique_names_changes_nothing(names, chance: random.Random):
    pairs = [(name, float(index)) for index, name in enumerate(names, 1)]
    before, _ = joined(layers(*names), rows(*pairs))
    chance.shuffle(pairs)
    after, _ = joined(layers(*names), rows(*pairs))
    assert before == after == [float(index) for index in range(1, len(names) + 1)]
