"""The paths of arrows: pieces, rounded corners, and where they stop."""

from __future__ import annotations

import pytest

from trexreport.renderer.graph.svg_edges import _head, _path, _toward


@pytest.mark.parametrize(
    ("distance", "expected"),
    [(0, (0.0, 0.0)), (4, (4.0, 0.0)), (5, (5.0, 0.0)), (6, (5.0, 0.0))],
)
def test_a_corner_takes_no_more_than_half_of_a_piece(distance, expected):
    assert _toward((0.0, 0.0), (10.0, 0.0), distance) == expected


def test_two_equal_points_are_no_piece():
    assert _toward((3.0, 4.0), (3.0, 4.0), 5) == (3.0, 4.0)


def test_corners_are_rounded_and_the_last_piece_leaves_room_for_the_head():
    long = _path(((0.0, 0.0), (0.0, 100.0), (100.0, 100.0)))
    assert long == "M0 0L0 94Q0 100 6 100L95 100"
    # Half of the first piece is shorter than the corner would be.
    short = _path(((0.0, 0.0), (0.0, 4.0), (100.0, 4.0)))
    assert short == "M0 0L0 2Q0 4 6 4L95 4"


def test_the_head_points_along_the_last_piece():
    assert _head(((0.0, 0.0), (0.0, 100.0), (100.0, 100.0))) == "M100 100L94 103 94 97Z"
