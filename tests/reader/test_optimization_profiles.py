"""Choosing the layers of one optimization profile."""

from __future__ import annotations

import pytest

from trexreport.errors import InputError
from trexreport.model import LayerTime
from trexreport.reader.graph_file import LayerGraph, RawLayer, read_graph
from trexreport.reader.layer_profile import LayerProfile
from trexreport.reader.optimization_profiles import choose_profile
from trexreport.reader.profile_file import ProfileRow


def graph(*names):
    return LayerGraph(tuple(RawLayer(name, {"Name": name}) for name in names))


def measured(*names):
    return LayerProfile(tuple(ProfileRow(name, LayerTime(1.0)) for name in names))


def chosen(graph_, wanted=None, profile=None):
    found = choose_profile(graph_, profile, wanted)
    return found.index, [raw.name for raw in found.layers], found.available


MANY = graph(*(f"conv{mark}" for mark in ["", *(f" [profile {index}]" for index in range(1, 13))]))


def test_one_profile():
    assert chosen(graph("a", "b")) == (0, ["a", "b"], (0,))
    assert choose_profile(graph("a"), None, None).notes == ()


@pytest.mark.parametrize("index", [0, 1, 9, 10, 12])
def test_more_than_ten_profiles(index):
    mark = f" [profile {index}]" if index else ""
    assert chosen(MANY, index) == (index, [f"conv{mark}"], tuple(range(13)))


@pytest.mark.parametrize("wanted", [13, -1, 10**9])
def test_an_unknown_profile_names_those_that_are_known(wanted):
    with pytest.raises(
        InputError, match=rf"no optimization profile {wanted}\. The file has: 0, 1, 2, .*12\.$"
    ):
        chosen(MANY, wanted)


def test_anonymous_kernels_belong_to_the_profile_of_their_group():
    names = ("conv", "__myl_Cast_myl3_0", "__myl_Cast_myl11_0", "fc [profile 1]_myl11_1", "conv [profile 1]")
    assert chosen(graph(*names), 0)[1] == ["conv", "__myl_Cast_myl3_0"]
    assert chosen(graph(*names), 1)[1] == list(names[2:])


def test_marks_on_tensors_count_as_well():
    marked = RawLayer("reformat", {"Inputs": [{"Name": "x [profile 2]"}], "Outputs": "odd"})
    assert chosen(LayerGraph((RawLayer("a", {}), marked)), 2)[1] == ["reformat"]


def test_the_measured_profile_is_taken():
    assert chosen(MANY, None, measured("conv [profile 10]"))[0] == 10
    assert chosen(MANY, None, measured("conv"))[0] == 0
    assert chosen(MANY, None, measured("other"))[0] == 0
    assert chosen(MANY, 3, measured("conv [profile 10]"))[0] == 3


def test_the_measured_profile_is_that_of_most_layers():
    names = ("shared", "__myl_A_myl0_0", "fc [profile 1]_myl4_0", "__myl_A_myl4_1")
    assert chosen(graph(*names), None, measured("shared", "__myl_A_myl4_1", "fc [profile 1]_myl4_0"))[0] == 1
    assert chosen(graph(*names), None, measured("__myl_A_myl4_1"))[0] == 1


def test_several_profiles_are_noted():
    assert [note.slug for note in choose_profile(MANY, None, 1).notes] == ["optimization-profiles"]


def test_no_layers():
    assert chosen(LayerGraph(())) == (0, [], (0,))
    with pytest.raises(InputError):
        chosen(LayerGraph(()), 1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('"conv [profile 1]"', True),
        # As TensorRT 10 separates nodes.
        (r'"a\u001fb"', False),
        (r'"a\u001fb", "conv \u005bprofile 1]"', True),
        ('"conv"', False),
    ],
)
def test_a_graph_mentions_profiles_as_they_are_or_escaped(text, expected):
    found = read_graph(f'["plain", {text}]', "x.graph.json")
    assert found.mentions_profiles == expected
