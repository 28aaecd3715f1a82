"""Charts as bad as files can make them."""

from __future__ import annotations

from hypothesis import strategies as st

from trexreport.renderer.charts.chart import Axis, Chart, ReferenceLine, Series

KINDS = ("bars", "columns", "line", "points", "histogram", "treemap", "strip")
NUMBERS = st.one_of(st.none(), st.integers(-(10**20), 10**20), st.floats())
HOSTILE = st.text(max_size=40) | st.sampled_from(
    ['"><script>alert(1)</script>', "]]>", "&amp;", "\x00\x1b[31m", "\ud800", "\ufffe", "'\"", "a" * 400]
)


@st.composite
def charts(draw):
    kind = draw(st.sampled_from(KINDS))
    count = draw(st.integers(0, 6))
    one_axis = kind in ("bars", "columns")
    places = st.one_of(HOSTILE, NUMBERS) if one_axis else NUMBERS
    many = st.lists(
        st.builds(
            Series,
            name=HOSTILE,
            role=HOSTILE,
            x=st.lists(NUMBERS if kind == "bars" else places, max_size=count + 1).map(tuple),
            y=st.lists(places if kind == "bars" else NUMBERS, max_size=count).map(tuple),
            labels=st.lists(HOSTILE, max_size=count).map(tuple),
            links=st.lists(HOSTILE, max_size=count).map(tuple),
            roles=st.lists(HOSTILE, max_size=count).map(tuple),
            step=st.booleans(),
        ),
        max_size=3,
    ).map(tuple)
    axes = st.builds(
        Axis, HOSTILE, st.sampled_from(["", "ms", "%", "bytes", "<b>"]), st.sampled_from(["linear", "log"])
    )
    lines = st.lists(
        st.builds(ReferenceLine, st.floats(), HOSTILE, st.sampled_from("xy"), HOSTILE), max_size=3
    )
    return Chart(
        key=draw(HOSTILE),
        kind=kind,
        title=draw(HOSTILE),
        summary=draw(HOSTILE),
        series=draw(many),
        x=draw(axes),
        y=draw(axes),
        reference_lines=draw(lines.map(tuple)),
        shares=draw(st.booleans()),
        whole=draw(st.none() | st.floats()),
    )
