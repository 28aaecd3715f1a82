"""What a capture carries of a trace: the same when it is read again, and harmless when it is damaged."""

import json

import pytest
from generator.nsys import NsysExport, TracedKernel, traced_queries

from trexreport.errors import InputError
from trexreport.model.kernel_trace import KernelTrace
from trexreport.reader.nsight.export import read_export
from trexreport.reader.nsight.nsys_reports import read_reports
from trexreport.reader.nsight.trace_file import SCHEMA, read_trace, write_trace


@pytest.fixture
def trace(tmp_path):
    export = NsysExport()
    kernels = [TracedKernel("a", "k<1>", 3_000), TracedKernel("", "k<2>", 2_000, stream=9)]
    traced_queries(export, kernels, 3, input_bytes=1000)
    return read_export(export.write(tmp_path / "x.sqlite"))


def changed(trace, **changes):
    document = json.loads(write_trace(trace))
    for key, value in changes.items():
        target = document
        *parts, last = key.split("__")
        for part in parts:
            target = target[int(part) if part.isdigit() else part]
        target[last] = value
    return read_trace(json.dumps(document), "x.kernels.json")


def test_a_trace_is_the_same_when_read_again(trace):
    assert len(trace.runs) == 6
    assert read_trace(write_trace(trace).decode(), "x") == (trace, [])
    assert write_trace(trace) == write_trace(trace)


def test_an_empty_trace_is_the_same_when_read_again():
    assert read_trace(write_trace(KernelTrace()).decode(), "x") == (KernelTrace(), [])


@pytest.mark.parametrize(
    ("key", "value", "left"),
    [
        ("runs__config", [0, 99, -1, None, "0", 0], 2),
        ("runs__duration_ns", [1, -1, 1.5, None, True, 10**30], 1),
        ("runs__begin_ns", [0, 1], 2),
        ("runs__begin_ns", {"a": 1}, 0),
    ],
)
def test_impossible_rows_are_left_out_with_a_note(trace, key, value, left):
    found, notes = changed(trace, **{key: value})
    assert len(found.runs) == left
    if left or key != "runs__begin_ns":
        assert "impossible-values" in {each.slug for each in notes} or len(value) < 6


@pytest.mark.parametrize("key", ["range", "query", "stream", "call_begin_ns", "call_ns", "graph_node"])
def test_rows_with_impossible_values_are_left_out(trace, key):
    found, notes = changed(trace, **{f"runs__{key}": [-5, 10**40, "x", None, [], 2]})
    # Of these, null is unknown, and 2 is not the place of a range, as there is one.
    assert len(found.runs) == (1 if key == "range" else 2)
    # A call before its query began is unknown, too; its kernel is kept.
    refused = 6 - len(found.runs) + (key == "call_begin_ns")
    assert [each.message for each in notes if each.slug == "impossible-values"] == [
        f"Rows and values of x.sqlite that are impossible were left out: {refused}."
    ]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("file", -3),
        ("device", ["a"]),
        ("query_kind", "other"),
        ("queries_found", -1),
        ("configs__0__registers", -3),
        ("configs__0__grid", [1, -3, 1]),
        ("configs__0__block", [1, 1.5, 1]),
        ("configs__0__full_name", 99),
        ("ranges__0__name", "x"),
        ("texts", [5] * 9),
        ("copies__stream", [-3, 7, 7]),
        ("copies__kind", ["x", 1, 1]),
        ("queries__duration_ns", [-3, 5, 5]),
        ("configs__0__registers", 256),
        ("configs__0__shared_bytes", 2**20 + 1),
        ("configs__0__block", [1024, 2, 1]),
    ],
)
def test_other_impossible_values_are_noted(trace, key, value):
    assert "impossible-values" in [each.slug for each in changed(trace, **{key: value})[1]]


def test_queries_are_unknown_if_one_is_impossible(trace):
    found, notes = changed(trace, queries__begin_ns=[0, "x", 5])
    # Runs refer to them by position.
    assert (found.queries, {run.query for run in found.runs}) == ((), {None})
    assert "no-traced-queries" in [each.slug for each in notes]


def test_rows_that_are_not_in_order_or_twice_are_left_out(trace):
    begins = [run.begin_ns for run in trace.runs]
    found, notes = changed(trace, runs__begin_ns=[begins[3], *begins[1:3], begins[0], *begins[4:]])
    assert len(found.runs) == 2
    assert "impossible-values" in [each.slug for each in notes]
    document = json.loads(write_trace(trace))
    document["runs"] = {key: [column[0], *column] for key, column in document["runs"].items() if column}
    found, notes = read_trace(json.dumps(document), "x.kernels.json")
    assert found.runs == trace.runs
    assert "impossible-values" in [each.slug for each in notes]
    # Nodes of a CUDA graph may run at the same time on streams that are not known.
    document["runs"]["graph_node"] = [1] * len(document["runs"]["config"])
    found, notes = read_trace(json.dumps(document), "x.kernels.json")
    assert (len(found.runs), notes) == (len(trace.runs) + 1, [])


@pytest.mark.parametrize(("shortest_ns", "is_possible"), [(5, True), (50, False)])
def test_a_sum_whose_shortest_run_is_the_longest_is_left_out(shortest_ns, is_possible):
    table = "Total Time (ns),Instances,Min (ns),Max (ns),Name\n20,2,5,15,conv\n"
    found, notes = changed(read_reports([table], "x.csv"), sums__min_ns=[shortest_ns])
    assert (len(found.sums), len(notes)) == (is_possible, not is_possible)


def test_another_version_is_refused(trace):
    with pytest.raises(InputError, match=r"x\.kernels\.json has version 2 of its format"):
        changed(trace, **{SCHEMA: 2})


def test_what_is_missing_or_cut_is_noted(trace):
    _, notes = changed(trace, queries={}, other_threads=2, is_cut=True)
    assert [each.slug for each in notes] == ["no-traced-queries", "other-threads", "trace-cut"]


@pytest.mark.parametrize("content", ["{}", "[]", "x", '{"trexreport-kernel-trace": 1, "runs": [1]'])
def test_anything_else_is_refused(content):
    with pytest.raises(InputError):
        read_trace(content, "x")


def test_parts_of_any_kind_count_as_absent():
    found, _ = read_trace(
        json.dumps({SCHEMA: 1, "runs": 5, "configs": {}, "ranges": "x", "texts": [1], "queries": [[]]}), "x"
    )
    assert found == KernelTrace()


@pytest.mark.parametrize(("registers", "block"), [(255, [1024, 1, 1]), (16, [32, 8, 4])])
def test_launches_within_the_limits_of_cuda_are_kept(trace, registers, block):
    found, notes = changed(trace, configs__0__registers=registers, configs__0__block=block)
    assert (found.configs[0].registers, found.configs[0].block, notes) == (registers, tuple(block), [])


@pytest.mark.parametrize(("late_ns", "is_possible"), [(90_000, True), (110_000, False)])
def test_a_call_after_its_kernel_ended_is_unknown(trace, late_ns, is_possible):
    # Kernels of no query, whose calls may be at any time.
    calls = [run.end_ns + late_ns for run in trace.runs]
    found, notes = changed(trace, runs__call_begin_ns=calls, runs__query=[], queries={})
    assert [run.call_begin_ns for run in found.runs] == (calls if is_possible else [None] * 6)
    assert ("impossible-values" in [each.slug for each in notes]) is not is_possible


def test_a_call_outside_of_its_query_is_unknown(trace):
    found, notes = changed(trace, runs__query=[2, 2, 1, 1, 0, 0])
    assert [run.call_begin_ns is None for run in found.runs] == [True, True, False, False, True, True]
    assert "impossible-values" in [each.slug for each in notes]


@pytest.mark.parametrize(
    ("factor", "changes", "noted"),
    [
        (1, {}, False),
        (4, {}, True),
        (4, {"runs__stream": [7, 9] * 3}, False),
        (4, {"query_kind": "graph"}, False),
        (4, {"runs__graph_node": [1] * 6}, False),
    ],
)
def test_kernels_of_one_stream_run_one_after_another(trace, factor, changes, noted):
    changes = {"runs__stream": [7] * 6, "runs__range": [0] * 6, **changes}
    took = [factor * (run.end_ns - run.begin_ns) for run in trace.runs]
    found, notes = changed(trace, runs__duration_ns=took, **changes)
    assert len(found.runs) == 6
    assert [each.slug for each in notes] == ["kernels-overlap"] * noted


@pytest.mark.parametrize("key", ["texts", "configs", "ranges"])
def test_an_entry_that_is_there_twice_moves_the_others(trace, key):
    """The numbers of all rows would be those of other kernels and layers."""
    listed = json.loads(write_trace(trace))[key]
    with pytest.raises(InputError, match=f"x.kernels.json has an entry of '{key}' twice"):
        changed(trace, **{key: [listed[0], *listed]})


def test_a_kernel_without_blocks_is_impossible(trace):
    found, notes = changed(trace, configs__0__grid=[0, 1, 1])
    assert found.configs[0].grid == ()
    assert [note.slug for note in notes] == ["impossible-values"]
