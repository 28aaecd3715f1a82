"""What several reports of one process carry is packed once, and what is remembered has a limit."""

from __future__ import annotations

import base64
import lzma

import pytest

from trexreport.reader import input_packing
from trexreport.reader.input_packing import pack_input

INPUTS = [f'{{"layer": {number}}}'.encode() for number in range(4)]


@pytest.fixture
def packed(monkeypatch):
    """Return a list of the inputs that are packed, in order; before, none was."""
    inputs = []
    pack = input_packing._packed

    def noted(data, search):
        inputs.append(data)
        return pack(data, search)

    monkeypatch.setattr(input_packing, "_packed", noted)
    input_packing._remembered.clear()
    yield inputs
    input_packing._remembered.clear()


def test_an_input_is_packed_once(packed):
    texts = [pack_input(data) for data in (*INPUTS, *INPUTS)]
    assert packed == INPUTS
    assert texts[:4] == texts[4:]
    assert [lzma.decompress(base64.b64decode(text)) for text in texts[:4]] == INPUTS


def test_the_input_that_was_asked_for_longest_ago_is_forgotten(packed, monkeypatch):
    longest = max(len(pack_input(data)) for data in INPUTS)
    monkeypatch.setattr(input_packing._remembered, "_most", 2 * longest)
    input_packing._remembered.clear()
    packed.clear()
    for index in (0, 1, 0, 2, 0, 1):
        pack_input(INPUTS[index])
    assert packed == [INPUTS[index] for index in (0, 1, 2, 1)]


def test_a_large_input_is_packed_quickly_and_not_remembered(packed):
    large = bytes(input_packing._THOROUGHLY_PACKED.stop)
    assert lzma.decompress(base64.b64decode(pack_input(large))) == large
    assert pack_input(large) == pack_input(large)
    assert packed == [large] * 3


@pytest.mark.parametrize(
    ("size", "is_thorough"), [(2**16 - 1, False), (2**16, True), (2**21, True), (2**21 + 1, False)]
)
def test_only_inputs_of_medium_size_are_searched_thoroughly(size, is_thorough, monkeypatch):
    searches = []
    monkeypatch.setattr(input_packing, "_packed", lambda _, search: searches.append(search) or "")
    input_packing._remembered.clear()
    pack_input(bytes(size))
    expected = input_packing._XZ_THOROUGH if is_thorough else input_packing._XZ_QUICK
    assert [{key: search[key] for key in expected} for search in searches] == [expected]


@pytest.mark.parametrize("size", [0, 1, 100, 4095, 4096, 2**15, 2**16 - 1, 2**16, 2**17 + 1, 2**21])
def test_a_search_looks_back_as_far_as_the_input_is_long_and_not_much_farther(size, monkeypatch):
    searches = []
    pack = input_packing._packed
    monkeypatch.setattr(
        input_packing, "_packed", lambda data, search: searches.append(search) or pack(data, search)
    )
    input_packing._remembered.clear()
    data = bytes(size)
    assert lzma.decompress(base64.b64decode(pack_input(data))) == data
    assert [max(size, 4096) <= search["dict_size"] <= max(2 * size, 4096) for search in searches] == [True]
