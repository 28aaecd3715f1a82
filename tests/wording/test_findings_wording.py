from dataclasses import replace

import pytest
from finding_samples import finding

from trexreport.analyzer.analysis.findings import Consequence, Place
from trexreport.renderer.engine_summary import _finding_row
from trexreport.renderer.short_document.document import MAX_MESSAGE
from trexreport.wording.findings import consequence_lines, no_top_findings

PLACES = [Place("Layer a copies.", [0], None, {}), Place("Layer b copies.", [1], None, {})]
STATED = "2 layers copy (5% of layer time, 0.200\u00a0ms)"


@pytest.mark.parametrize(
    ("message", "in_part", "expected"),
    [
        ("2 layers copy.", False, "TRX507: 2 layers copy (0.200\u00a0ms)."),
        ("2 layers copy.", True, "TRX507 (in part): 2 layers copy (0.200\u00a0ms)."),
        (f"{STATED}.", False, f"TRX507: {STATED}."),
    ],
)
def test_consequences_state_their_time_once_and_that_they_are_a_part(message, in_part, expected):
    also = Consequence(
        "TRX507", "fusion.copies", "warning", "Copies", message, PLACES, [0, 1], 0.2, [0, 0], in_part
    )
    assert consequence_lines(finding(consequences=[also])) == [expected]


def test_findings_on_the_measurement_alone_are_not_called_small():
    of_run = replace(finding(), about="measurement")
    assert no_top_findings([]) == "No findings."
    assert no_top_findings([of_run]) == "No findings on the engine."
    assert no_top_findings([of_run, finding()]) == "No large findings."


def test_the_summary_names_what_is_resolved_in_part():
    also = Consequence(
        "TRX205", "reformat.share", "warning", "Moves", "57 layers move.", PLACES, [0, 1], 0.2, [0, 0], True
    )
    row, *_ = _finding_row(finding(consequences=[also]), None)
    assert row.endswith(" Also resolves TRX205 (in part).")


def test_what_else_is_resolved_stays_where_the_message_is_cut():
    also = Consequence(
        "TRX205", "reformat.share", "warning", "Moves", "57 layers move.", PLACES, [0, 1], 0.2, [0, 0], False
    )
    long = replace(finding(consequences=[also]), message="Layers copy. " + "Kernels wait for others. " * 30)
    row, *_ = _finding_row(long, None)
    assert len(row) <= MAX_MESSAGE
    assert row.endswith("Kernels wait for others. … Also resolves TRX205.")
