"""Layers with reformats around them are of one kind by the first word of their names."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from trexreport.analyzer.rules.layer_names import named_apart


@pytest.mark.parametrize(
    ("known", "other", "is_of_kind"),
    [
        ("prelu", "mprelu1_stage0", True),
        ("mprelu", "prelu7", True),
        ("p", "sleep3", False),
        ("prelu", "clip7", False),
    ],
)
def test_one_layer_is_of_a_kind_whose_name_it_shares(known, other, is_of_kind):
    names = [*(f"{known}{at}" for at in range(5)), other]
    layers = [
        SimpleNamespace(name=each, type="", avg_ms=1.0, index=0)
        for name in names
        for each in (f"{name} input reformatter 0", name)
    ]
    apart, _ = named_apart(layers)
    assert [each.name for each in apart] == (names if is_of_kind else names[:5])
