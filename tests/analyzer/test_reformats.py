"""Reformats and what they cost."""

from __future__ import annotations

import pytest
from figure_plans import FLOAT, HALF, engine, entry, tensor

from trexreport.analyzer import analyze
from trexreport.model import (
    DataFormat,
)


class TestReformats:
    def test_what_changes_and_between_whom(self):
        analysis = analyze(
            engine(
                ("A", (entry("x"),), (tensor("t"),), 1.0),
                ("Reformat", (tensor("t"),), (tensor("u", kind=DataFormat("", "FP32", "NHWC")),), 2.0),
                (
                    "Reformat",
                    (tensor("u", kind=DataFormat("", "FP32", "NHWC")),),
                    (tensor("v", kind=FLOAT),),
                    3.0,
                ),
                ("Reformat", (), (), None),
                ("Reformat", (tensor("v", kind=FLOAT),), (tensor("w", kind=HALF),), 0.5),
                ("B", (tensor("w", kind=HALF),), (tensor("y"),), 1.0),
            )
        )
        assert [(each.layer, each.change, each.producers, each.consumers) for each in analysis.reformats] == [
            (2, "not stated", [1], [4]),
            (1, "data type and layout", [0], [2]),
            (4, "data type", [2], [5]),
            (3, "not stated", [], []),
        ]

    @pytest.mark.parametrize(
        ("before", "after", "change"),
        [
            ("NCHW", "NCHW", "copy"),
            ("NCHW", "NHWC", "layout"),
            ("NC/4", "NC/32", "layout"),
            # Where a file omits a layout or the order of its channels, both may be the same or not.
            ("", "", "not stated"),
            ("", "NHWC", "not stated"),
            ("NHWC", "", "not stated"),
            ("NC/4", "NC/4", "not stated"),
        ],
    )
    def test_what_is_not_stated_is_no_copy(self, before, after, change):
        ends = (
            tensor("x", kind=DataFormat("", "FP16", before)),
            tensor("y", kind=DataFormat("", "FP16", after)),
        )
        analysis = analyze(engine(("Reformat", ends[:1], ends[1:], 1.0)))
        assert [each.change for each in analysis.reformats] == [change]
