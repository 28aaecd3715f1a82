"""Addresses of pages: unique, and independent of other pages."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from trexreport.site.entries import PAGE, address_of


def test_an_address_begins_with_the_name():
    address = address_of("captures/2024-05-01/ResNet 50.engine.graph.json")
    assert address.startswith("resnet-50-")
    assert address_of("captures/report.html").startswith("report-")
    assert address_of("captures/...").startswith("engine-")


def test_places_of_one_name_have_addresses_of_their_own():
    assert address_of("a/net.engine") != address_of("b/net.engine")


def test_an_address_that_is_taken_gets_longer():
    address = address_of("a/net.engine")
    longer = address_of("a/net.engine", {address})
    assert longer != address
    assert longer.startswith(address)


@given(st.text(min_size=1, max_size=200), st.text(min_size=1, max_size=200))
def test_any_place_has_a_harmless_address(one, other):
    first, second = address_of(one), address_of(other)
    assert PAGE.fullmatch(f"engines/{first}.html")
    assert PAGE.fullmatch(f"compare/{first}--{second}.html")
    assert (first == second) == (one == other)
    assert first == address_of(one, {second} if one != other else ())


def test_no_other_file_is_a_page():
    for name in (
        "../index.html",
        "engines/../x.html",
        "x/y.html",
        "/etc/x.html",
        "engines/a.txt",
        "A.html",
        "",
    ):
        assert not PAGE.fullmatch(name)
