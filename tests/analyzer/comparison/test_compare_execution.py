"""Which nodes run on another execution provider than in the baseline: facts, sentences, pages."""

from __future__ import annotations

import pytest
from front_ends import ort_event, ort_events, ort_log, ort_profile, torch_dryrun

from trexreport import api, comparisons_api
from trexreport.analyzer.comparison.compare_execution import compare_execution
from trexreport.analyzer.execution import describe_execution
from trexreport.reader.execution import read_execution
from trexreport.wording.execution import compared_execution_sentence

CPU, CUDA, TENSORRT = (f"{name}ExecutionProvider" for name in ("CPU", "CUDA", "Tensorrt"))
NBSP = "\N{NO-BREAK SPACE}"


def _facts(data, name="e.json"):
    return describe_execution(read_execution(data.decode(), name)[0])


def _log(**nodes):
    return _facts(
        ort_log({provider: [("Conv", name) for name in names] for provider, names in nodes.items()})
    )


def _changed():
    """Resize moved to the CPU, NonMaxSuppression is no longer listed, Where is new."""
    events = [
        event.replace(f'"{CUDA}"', f'"{CPU}"') if "/resize/Resize" in event else event
        for event in ort_events()
        if "NonMaxSuppression" not in event
    ]
    more = [
        ort_event("/where", 1000 * run + 300, 6, operator="Where", provider=CUDA, index=9)
        for run in (1, 2, 3)
    ]
    return _facts(ort_profile([*events, *more]))


def test_nodes_that_moved_are_listed_with_their_times():
    found = compare_execution(_facts(ort_profile()), _changed())
    assert [(node.name, node.operator, node.before, node.after) for node in found.moved] == [
        ("/nms/NonMaxSuppression", "NonMaxSuppression", CPU, ""),
        ("/resize/Resize", "Resize", CUDA, CPU),
        ("/where", "Where", "", CUDA),
    ]
    assert [(node.before_ms, node.after_ms) for node in found.moved] == [
        (pytest.approx(0.036), None),
        (pytest.approx(0.01), pytest.approx(0.01)),
        (None, pytest.approx(0.006)),
    ]
    assert found.outside == (3, 3)
    assert found.outside_ms == (pytest.approx(0.05), pytest.approx(0.02))
    assert compared_execution_sentence(found) == (
        "1 node moved to another provider; 1 node is outside of TensorRT in the candidate only; "
        "1 node is outside in the baseline only. Outside of TensorRT: 3 nodes in the baseline, 3 here "
        f"(0.0500{NBSP}ms and 0.0200{NBSP}ms in a run)."
    )


def test_the_same_nodes_are_no_change():
    found = compare_execution(_facts(ort_profile()), _facts(ort_profile()))
    assert found.moved == []
    assert (
        compared_execution_sentence(found) == "3 nodes run outside of TensorRT, the same as in the baseline."
    )


def test_nodes_of_one_name_are_matched_in_order():
    before = _log(**{CPU: ["a", "a", "b"], TENSORRT: ["engine_1"]})
    after = _log(**{CPU: ["a", "b"], CUDA: ["a"], TENSORRT: ["engine_2"]})
    found = compare_execution(before, after)
    assert [(node.name, node.before, node.after) for node in found.moved] == [("a", CPU, CUDA)]
    assert found.outside_ms == (None, None)


def test_nodes_without_names_are_counted_and_not_matched():
    found = compare_execution(_log(**{CPU: [""], TENSORRT: ["e"]}), _log(**{CPU: ["", ""], TENSORRT: ["e"]}))
    assert (found.moved, found.unnamed, found.outside) == ([], 3, (1, 2))
    assert compared_execution_sentence(found) == (
        "3 nodes have no name and can't be compared. Outside of TensorRT: 1 node in the baseline, 2 here."
    )


def test_what_one_side_does_not_name_is_not_taken_for_missing():
    named = _log(**{CPU: ["a"], TENSORRT: ["e"]})
    unnamed = _facts(ort_log({CPU: [("Conv", "a"), ("Conv", "b")]}))
    assert [node.name for node in unnamed.nodes] == ["", ""]
    found = compare_execution(named, unnamed)
    assert (found.moved, found.outside, found.unnamed) == ([], (1, 2), 2)


def test_one_side_or_two_frameworks_are_not_compared():
    ours = _facts(ort_profile())
    assert compare_execution(ours, None) is None
    assert compare_execution(None, ours) is None
    assert compare_execution(ours, _facts(torch_dryrun(), "d.txt")) is None


def test_captures_of_profiles_alone_are_compared_and_claim_no_layers(tmp_path):
    fewer = [event for event in ort_events() if "NonMaxSuppression" not in event]
    for name, events in (("a", None), ("b", fewer)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "profile.json").write_bytes(ort_profile(events))
    engines = [api.load(tmp_path / name) for name in "ab"]
    comparison = comparisons_api.compare(engines)
    candidate = comparison.engines[1]
    assert (candidate.figures.layers, candidate.figures.reformats, candidate.figures.weights_bytes) == (
        None,
    ) * 3
    assert [node.name for node in candidate.execution.moved] == ["/nms/NonMaxSuppression"]
    assert comparison.engines[0].execution is None
    page = comparisons_api.render_comparison(engines).html.decode()
    assert '<td class="name">/nms/NonMaxSuppression</td>' in page
    assert "not listed</td>" in page
