"""Templates write texts of this package as they are, and escape all others."""

from __future__ import annotations

import pytest
from jinja2 import UndefinedError
from markupsafe import Markup

from trexreport.renderer.page import environment


class Marked(str):
    """A text that states its own markup, as texts of other libraries do."""

    __slots__ = ()

    def __html__(self):
        return f"<b>{self}</b>"


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("<a href='x'>&\"", "&lt;a href=&#39;x&#39;&gt;&amp;&#34;"),
        ("<" * 200, "&lt;" * 200),
        (Markup("<b>x</b>"), "<b>x</b>"),
        (Marked("x"), "<b>x</b>"),
        (1.5, "1.5"),
        (["<b>"], "[&#39;&lt;b&gt;&#39;]"),
        (None, "None"),
        ("\x00\u202e", "\u2400\ufffd"),
        ("שלום 2×3", "שלום \u200e2×3"),
    ],
)
def test_what_is_no_markup_is_escaped(value, written):
    templates = environment()
    assert templates.from_string("{{ value }}").render(value=value) == written
    joined = "{% macro both(each) %}{{ each }}|{{ each }}{% endmacro %}{{ both(value) }}{{ value ~ '' }}"
    if type(value) in (str, Markup):
        assert templates.from_string(joined).render(value=value) == f"{written}|{written}{written}"


def test_what_is_trusted_is_written_as_it_is():
    assert environment().from_string("{{ value | trusted }}").render(value="<svg/>") == "<svg/>"


def test_what_is_not_defined_is_an_error():
    with pytest.raises(UndefinedError):
        environment().from_string("{{ value }}").render()
