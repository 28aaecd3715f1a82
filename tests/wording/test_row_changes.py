"""What differs in structure between the sides of aligned rows is named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from trexreport.analyzer.analysis.compared_rows import Member, RowSide
from trexreport.wording.row_changes import change_phrases, offset_causes

#: A title, input and output precision of each layer of the baseline and of the candidate, and the phrase.
VECTORS = json.loads(Path(__file__).parents[1].joinpath("precision_change_vectors.json").read_text("utf-8"))
#: A title, causes to their parts in ms, the baseline's time in ms, and the phrase.
OFFSETS = json.loads(Path(__file__).parents[1].joinpath("offset_cause_vectors.json").read_text("utf-8"))


def side(precisions, **more):
    members = [
        Member(at, "n", "t", read, written, "", 1.0, False) for at, (read, written) in enumerate(precisions)
    ]
    members.append(Member(9, "r", "Reformat", "FP32", "INT8", "", 1.0, True))
    return RowSide(members, [], 1.0, **more)


@pytest.mark.parametrize(("title", "before", "after", "expected"), VECTORS)
def test_a_change_of_precision_says_from_which_to_which(title, before, after, expected):
    candidate = side(after, changes=["precision changed", "tactic changed"])
    assert change_phrases(candidate, side(before)) == [expected or "precision changed", "tactic changed"]


def test_what_the_status_states_is_not_repeated():
    candidate = side([], status="candidate only", changes=["candidate only"])
    assert change_phrases(candidate, side([])) == []


@pytest.mark.parametrize(("title", "causes", "baseline_ms", "expected"), OFFSETS)
def test_causes_that_offset_each_other_are_named(title, causes, baseline_ms, expected):
    assert offset_causes(causes, baseline_ms) == expected


@pytest.mark.parametrize(("status", "is_named"), [("within noise", True), ("faster", False)])
def test_only_a_time_within_noise_names_what_offsets_it(status, is_named):
    causes = {"tactic changed": -0.2, "reformats added": 0.19}
    phrases = change_phrases(side([], status=status, changes=["tactic changed"], causes=causes), side([]))
    assert ("offset by" in phrases[-1], phrases[0]) == (is_named, "tactic changed")
