"""Rows that a trace lacks, or has at another time, are noted: each query runs the same kernels in order."""

import re
import sqlite3
from contextlib import closing

import pytest
from generator.nsys import NsysExport, TracedKernel, traced_queries

from trexreport.reader.nsight import last_queries
from trexreport.reader.nsight.export import read_export
from trexreport.reader.nsight.trace_file import read_trace, write_trace

#: What statements call the tables.
TABLES = {
    "@kernels": "CUPTI_ACTIVITY_KIND_KERNEL",
    "@calls": "CUPTI_ACTIVITY_KIND_RUNTIME",
    "@ranges": "NVTX_EVENTS",
}
KERNELS = [TracedKernel(f"conv{number}", f"kernel{number}", 20_000 + number) for number in range(8)]
#: The 20th kernel is one of the third of five queries.


def notes_of(tmp_path, *statements, queries=5, kernels=KERNELS):
    export = NsysExport()
    traced_queries(export, kernels, queries)
    path = export.write(tmp_path / "x.sqlite")
    with closing(sqlite3.connect(path)) as connection, connection:
        for each in statements:
            statement = re.sub("@[a-z]+", lambda found: TABLES[found[0]], each)
            assert connection.execute(statement).rowcount
    _, notes = read_trace(write_trace(read_export(path)).decode(), "x.kernels.json")
    return [note.slug for note in notes]


#: What gives the 20th kernel and the next one the calls of each other.
SWAPPED = (
    "UPDATE @kernels SET correlationId = (SELECT sum(correlationId) FROM @kernels WHERE rowid IN (20, 21)) "
    "- correlationId WHERE rowid IN (20, 21)"
)


@pytest.mark.parametrize(
    ("statements", "expected"),
    [
        (["DELETE FROM @kernels WHERE rowid = 20"], ["impossible-values", "kernels-missing"]),
        (["DELETE FROM @kernels WHERE rowid % 8 = 3"], ["impossible-values"]),
        (["DELETE FROM @kernels WHERE rowid = 40"], ["kernels-missing"]),
        (["DELETE FROM @kernels WHERE rowid > 32"], ["kernels-missing"]),
        (["DELETE FROM @kernels WHERE rowid > 8"], ["kernels-missing"]),
        (
            [
                "DELETE FROM @calls WHERE correlationId = 122",
                "DELETE FROM @kernels WHERE rowid = 20",
            ],
            ["kernels-missing"],
        ),
        (
            [
                (
                    "DELETE FROM @ranges WHERE rowid = (SELECT max(e.rowid) FROM @ranges e "
                    "JOIN StringIds s ON e.textId = s.id WHERE s.value = 'conv3')"
                )
            ],
            ["kernels-missing"],
        ),
        (["UPDATE @ranges SET start = start + 2500, end = end + 2500"], ["impossible-values"]),
        ([SWAPPED], ["kernels-overlap"]),
        (["UPDATE @kernels SET end = end + 60000 WHERE rowid = 20"], ["kernels-overlap"]),
        (["INSERT INTO @kernels SELECT * FROM @kernels WHERE rowid = 20"], ["impossible-values"]),
    ],
)
def test_rows_that_were_lost_or_changed_are_noted(tmp_path, statements, expected):
    assert notes_of(tmp_path) == []
    assert notes_of(tmp_path, *statements) == expected


@pytest.mark.parametrize(
    "statements",
    [
        # A kernel may begin shortly before the one before it ends.
        ["UPDATE @kernels SET start = start - 5000"],
        # A launch that failed, and launches that were captured.
        [
            "DELETE FROM @kernels WHERE rowid % 8 = 4",
            (
                "UPDATE @calls SET returnValue = 9 WHERE correlationId NOT IN "
                "(SELECT correlationId FROM @kernels)"
            ),
        ],
        [
            "DELETE FROM @kernels WHERE rowid % 8 = 3",
            "INSERT INTO StringIds VALUES (999, 'cudaStreamBeginCapture_v10000')",
        ],
        # Kernels of another GPU.
        ["UPDATE @kernels SET deviceId = 1 WHERE rowid % 8 = 3"],
    ],
)
def test_nothing_is_noted_of_what_a_trace_may_have(tmp_path, statements):
    assert "impossible-values" not in notes_of(tmp_path, *statements)
    assert not {"kernels-missing", "kernels-overlap"} & {*notes_of(tmp_path, *statements)}


def traced(tmp_path, *queries):
    """Return the notes on a trace whose queries run different kernels."""
    export, begin = NsysExport(), 10_000_000
    for kernels in queries:
        traced_queries(export, kernels, 1, begin=begin)
        begin += 10_000_000
    trace = read_export(export.write(tmp_path / "x.sqlite"))
    return [note.slug for note in read_trace(write_trace(trace).decode(), "x")[1]]


def test_queries_may_run_other_kernels(tmp_path):
    shorter = KERNELS[:5]
    assert traced(tmp_path, KERNELS, KERNELS, shorter) == ["kernels-missing"]
    # Loops run their kernels more or less often, and conditions one branch or another.
    loop = [KERNELS[5]] * 3
    assert traced(tmp_path, [*shorter, *loop], [*shorter, *loop], [*shorter, *loop[:2]]) == []
    assert traced(tmp_path, KERNELS, KERNELS, [*KERNELS[:7], TracedKernel("conv9", "k", 9_000)]) == []
    # The first query prepares more than the others.
    assert traced(tmp_path, KERNELS, shorter, shorter) == []


def test_kernels_that_are_not_kept_are_not_lost(tmp_path, monkeypatch):
    # The second one waits for the first, while later ones run on another stream.
    waiting = [TracedKernel(f"slow{number}", "k", 1_000_000, stream=8) for number in range(2)]
    others = [TracedKernel(f"conv{number}", "k", 2_000, overlaps=True) for number in range(6)]
    kernels = [*waiting, *others]
    assert notes_of(tmp_path, queries=1, kernels=kernels) == []
    monkeypatch.setattr(last_queries, "MOST_RUNS", 5)
    assert "impossible-values" not in notes_of(tmp_path, queries=1, kernels=kernels)
