"""Names from within archives and reports, which may be any text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trexreport.reader.file_names import plain_name


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("a/b.json", "b.json"),
        ("../../etc/passwd", "passwd"),
        ("/abs/x.json", "x.json"),
        ("C:\\win\\x.json", "x.json"),
        ("..\\..\\x.json", "x.json"),
        ("x\0y.json", "xy.json"),
        ("..", "unnamed"),
        ("", "unnamed"),
        ("a/", "a"),
    ],
)
def test_names_lead_nowhere(name, plain):
    assert plain_name(name) == plain


@given(st.text(max_size=30))
def test_no_name_leads_out_of_a_folder(name):
    plain = plain_name(name)
    assert plain
    assert not set(plain) & set("/\\\0")
    assert plain not in (".", "..")
