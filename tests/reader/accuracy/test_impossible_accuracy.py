"""Figures of accuracy that nothing can have are unknown, and noted with their place."""

import json

import pytest
from accuracy_files import accuracy_results, cache, cosine, elementwise, snr, summary

from trexreport.reader.accuracy.read import read_accuracy
from trexreport.reader.accuracy.results_file import read_results_file, write_results

GOOD = {"t": snr(40), "u": snr(30)}
TRIAL = {"iter": 0, "gpu_time": 1.0, "accuracy_loss": {"t": 0.1}, "crash": False}


def messages(data):
    results, notes = read_accuracy("a.json", data if isinstance(data, bytes) else data.encode())
    return results, [note.message for note in notes if note.slug in ("impossible-values", "unusual-values")]


@pytest.mark.parametrize("value", ["abc", 2_000, -2_000, [1], True])
def test_an_impossible_ratio_of_polygraphy_is_noted(value):
    results, (message,) = messages(accuracy_results([[{**GOOD, "t": snr(value)}]]))
    assert [each.relative_error is None for each in results.tensors] == [True, False]
    assert message.startswith("Impossible values in a.json count as unknown: 't' = ")


@pytest.mark.parametrize(
    "result",
    [cosine(1.5), cosine("x"), elementwise(max_absdiff=-3), elementwise(mean_absdiff=1e300), -3, "x", [1]],
)
def test_other_impossible_results_of_polygraphy_are_noted(result):
    assert len(messages(accuracy_results([[{**GOOD, "u": result}]]))[1]) == 1


@pytest.mark.parametrize(
    "result",
    [
        snr(float("inf")), snr(float("-inf")), snr(float("nan")), snr(None), False, True, None,
        cosine(1.0005), elementwise(mean_reldiff=float("inf"), max_absdiff=0),
    ],
)  # fmt: skip
def test_what_polygraphy_writes_of_zero_and_infinite_tensors_is_not_noted(result):
    assert messages(accuracy_results([[{**GOOD, "u": result}]]))[1] == []


@pytest.mark.parametrize(
    "data",
    [
        accuracy_results([[{"t": elementwise(max_absdiff=1, mean_absdiff=1.5)}]]),
        "tensor,max_abs_error,mean_abs_error\nt,1,1.5\n",
        '[{"tensor": "t", "max_abs_error": 1, "mean_abs_error": 1.5}]',
    ],
)
def test_a_mean_above_the_maximum_is_noted(data):
    results, found = messages(data)
    assert found == [
        "Impossible values in a.json count as unknown: mean of 't' = 1.5 is above the maximum 1."
    ]
    assert (results.tensors[0].mean_abs_error, results.tensors[0].max_abs_error) == (None, None)
    data = data if isinstance(data, str) else data.decode()
    results, found = messages(data.replace("1.5", "1.001"))
    assert (results.tensors[0].mean_abs_error, found) == (1.001, [])


@pytest.mark.parametrize(
    ("name", "value", "is_possible"),
    [
        ("top1", -76.1, False), ("top-5", 176.1, False), ("mAP@0.5", -0.1, False), ("Top1", 76.1, True),
        ("top5", 0.931, True), ("perplexity", 176.1, True), ("log-likelihood", -3.2, True),
    ],
)  # fmt: skip
def test_shares_of_answers_are_within_0_and_100(name, value, is_possible):
    document = {"trexreport-accuracy": 1, "format": "metrics", "metrics": {name: value}}
    results, found = messages(json.dumps(document))
    assert results.metrics == ({name: value} if is_possible else {})
    assert len(found) == (not is_possible)


@pytest.mark.parametrize(
    ("content", "is_noted"),
    [
        ("tensor,snr_db,max_abs_error\nt,40,-3\nu,30,1\n", True),
        ("tensor,snr_db,max_abs_error\nt,40,abc\nu,30,1\n", True),
        ("tensor,snr_db,max_abs_error,note\nt,40,,x\nu,inf,nan,y\n", False),
        ('[{"tensor": "t", "snr_db": 40, "cosine_similarity": 2}]', True),
        ('[{"tensor": "t", "snr_db": 40, "cosine_similarity": 1}]', False),
    ],
)
def test_a_second_figure_of_a_tensor_is_noted(content, is_noted):
    assert len(messages(content)[1]) == is_noted


@pytest.mark.parametrize(("second", "is_noted"), [(3, True), (40, False)])
def test_rows_of_one_tensor_that_differ_are_noted(second, is_noted):
    results, notes = messages(f"tensor,snr_db\nt,40\nt,{second}\n")
    assert len(results.tensors) == 1
    message = "'t' has several rows, of which the largest error counts."
    assert notes == [f"Unusual values in a.json, which are kept: {message}"] * is_noted


@pytest.mark.parametrize("limits", [(1.0, -1.0), ("abc", 1.0), (None, 1.0), ([1], 1.0)])
def test_an_impossible_range_is_noted(limits):
    results, (message,) = messages(summary(t=limits, u=(-1.0, 1.0)))
    assert [each.candidate_range for each in results.tensors] == [None, (-1.0, 1.0)]
    assert "range of 't'" in message


@pytest.mark.parametrize("limits", [(-1.0, 1.0), (0, 0), ("nan", 1.0), ("-inf", "inf")])
def test_ranges_of_tensors_are_not_noted(limits):
    assert messages(summary(t=limits))[1] == []


@pytest.mark.parametrize(
    ("shape", "statistics", "non_finite"),
    [
        # All are NaN: no comparison replaced the ends.
        ([1, 8], {"min": 3.40282e38, "max": -3.40282e38, "avg": "nan"}, True),
        ([0, 8], {"min": 3.40282e38, "max": -3.40282e38, "avg": "-nan"}, None),
        ([0, 8], {"min": 2**63 - 1, "max": -(2**63), "avg": None}, None),
        # A type that trtexec does not convert.
        ([1, 8], {}, None),
    ],
)
def test_what_trtexec_writes_of_tensors_without_a_range_is_not_noted(shape, statistics, non_finite):
    document = json.loads(summary(t=(0, 1), u=(0, 1)))
    document["tensors"][0] |= {"shape": shape, "statistics": statistics}
    results, notes = messages(json.dumps(document))
    assert notes == []
    assert [each.candidate_range for each in results.tensors] == [None, (0, 1)]
    assert results.tensors[0].candidate_non_finite is non_finite


@pytest.mark.parametrize("shape", [[-1, 8], "x", [1.5]])
def test_an_impossible_shape_is_noted(shape):
    document = json.loads(summary(t=(0, 1)))
    document["tensors"][0]["shape"] = shape
    assert len(messages(json.dumps(document))[1]) == 1


@pytest.mark.parametrize(
    "changes", [{"gpu_time": -1}, {"gpu_time": "x"}, {"iter": -3}, {"accuracy_loss": {"t": -1}}]
)
def test_an_impossible_build_of_a_tuning_cache_is_noted(changes):
    assert len(messages(cache(TRIAL, {**TRIAL, **changes}))[1]) == 1
    # A build that failed may state anything.
    failed = changes | {"iter": 1, "crash": True}
    assert messages(cache(TRIAL, {**TRIAL, **failed}))[1] == []


@pytest.mark.parametrize("loss", ["nan", "inf", float("nan"), float("inf")])
def test_a_build_whose_outputs_overflow_has_no_finite_loss(loss):
    results, notes = messages(cache(TRIAL, {**TRIAL, "accuracy_loss": {"t": loss}}))
    assert ([each.losses for each in results.trials], notes) == ([{"t": 0.1}, {}], [])


def test_a_line_of_a_tuning_cache_that_is_not_json_is_noted():
    lines = cache(TRIAL, TRIAL).decode().splitlines()
    assert len(messages("\n".join([*lines[:2], "garbage", lines[2]]))[1]) == 1
    # The last one may be cut off.
    assert messages("\n".join([*lines, lines[2][:20]]))[1] == []


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("iterations", -3), ("iterations", 1.5), ("metrics", {"top1": "x"}), ("candidate", 7),
        ("tensors", [{"name": "t", "relative_error": -1, "elements": 4}]),
        ("tensors", [{"name": "t", "relative_error": 0.1, "elements": -4}]),
        ("tensors", [{"name": 7, "relative_error": 0.1}]),
        ("tensors", [{"name": "t", "cosine_similarity": 1.5}]),
        ("trials", [{"number": -1, "gpu_time_ms": 1.0}]),
        ("trials", [{"number": 1, "gpu_time_ms": 1e30}]), ("trials", [{"losses": {"t": -1}}]),
    ],
)  # fmt: skip
def test_what_is_impossible_in_the_file_of_a_capture_is_noted(key, value):
    written = json.loads(write_results(read_accuracy("a.json", accuracy_results([[GOOD]]))[0]))
    assert read_results_file(json.dumps(written), "x.accuracy.json")[1] == []
    results, notes = read_results_file(json.dumps({**written, key: value}), "x.accuracy.json")
    assert [note.slug for note in notes] == ["impossible-values"]
    assert results.iterations in (1, None)


@pytest.mark.parametrize(("error", "expected"), [(0.1, 0.1), (0.2, None)])
def test_a_tensor_that_is_there_twice_counts_once(error, expected):
    results, _ = read_accuracy("a.json", accuracy_results([[{"t": snr(40), "u": snr(30)}]]))
    document = json.loads(write_results(results))
    rows = [{"name": name, "relative_error": each} for name, each in (("t", 0.1), ("u", 0.3), ("t", error))]
    found, (note,) = read_results_file(json.dumps({**document, "tensors": rows}), "x.accuracy.json")
    assert [(each.name, each.relative_error) for each in found.tensors] == [("t", expected), ("u", 0.3)]
    assert "is stated a second time" in note.message
