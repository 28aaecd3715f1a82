"""Debug tensors, tuning caches, and plain figures."""

from __future__ import annotations

import json
import math

import pytest
from accuracy_files import cache, summary

from trexreport.errors import InputError
from trexreport.model.accuracy import TensorAccuracy
from trexreport.reader.accuracy import limits, read
from trexreport.reader.accuracy.read import read_accuracy
from trexreport.reader.accuracy.results_file import read_results_file, unknown_tensors, write_results


def tensors(data, name="a.json", reference=None):
    results, _ = read_accuracy(name, data, reference and ("b.json", reference))
    return {each.name: each for each in results.tensors}


def test_two_summaries_show_ranges_of_both_sides():
    found = tensors(
        summary(a=(-1, 2), b=("-inf", "inf"), c=(0, 1)), reference=summary(a=(-4, 8), b=(-7e4, 7e4))
    )
    assert found["a"].candidate_range == (-1, 2)
    assert found["a"].reference_range == (-4, 8)
    assert found["a"].data_type == "FP16"
    assert (found["b"].candidate_non_finite, found["b"].reference_non_finite) == (True, False)
    assert found["b"].candidate_range is None
    assert found["c"].reference_range is None


def test_sides_that_seem_to_be_swapped_are_noted():
    halves, floats = summary(a=(-1, 2)), summary(a=(-1, 2)).replace(b"Half", b"Float")
    assert halves != floats
    notes = [
        read_accuracy("a.json", one, ("b.json", other))[1]
        for one, other in ((floats, halves), (halves, floats))
    ]
    assert [[note.slug for note in each] for each in notes] == [["accuracy-maybe-swapped"], []]


def test_a_log_is_no_damaged_json():
    text = b"[I] Accuracy Comparison | trt-runner vs. onnxrt-runner\n"
    with pytest.raises(InputError, match="states no accuracy"):
        read_accuracy("a.log", text)
    with pytest.raises(InputError, match="line 1, column"):
        read_accuracy("a.json", b'{"a": 1,, "b": 2}')


def test_a_tensor_that_is_written_twice_has_the_range_of_both():
    document = json.loads(summary(a=(0, 1)))
    document["tensors"] += (
        json.loads(summary(a=(-3, "nan")))["tensors"] + json.loads(summary(a=(-5, 0)))["tensors"]
    )
    found = tensors(json.dumps(document).encode())["a"]
    assert found.candidate_range == (-5, 1)
    assert found.candidate_non_finite


@pytest.mark.parametrize("limits_of", [(2, 1), (None, 1), ("x", 1), (True, 1), (1e300, 1e301)])
def test_impossible_ranges_are_not_known(limits_of):
    assert tensors(summary(a=(0, 1), b=limits_of))["b"].candidate_range is None


def test_a_tuning_cache_lists_what_was_tried():
    data = cache(
        {"iter": 1, "build_route": "--fp16", "crash": False, "accuracy_loss": {"y": 0.01}, "gpu_time": 1.5},
        {"iter": 2, "build_route": "x", "crash": True, "error_message": "no kernel", "gpu_time": -1},
        {"iter": 3, "accuracy_loss": {"y": "nan", "z": 0.5}, "gpu_time": 0},
    )
    results, _ = read_accuracy("t.json", data + b'\n{"iter": 4, "gpu_ti')
    assert results.measure == "cosine"
    assert [(each.number, each.gpu_time_ms, dict(each.losses), each.failure) for each in results.trials] == [
        (1, 1.5, {"y": 0.01}, ""),
        (2, None, {}, "no kernel"),
        (3, None, {"z": 0.5}, ""),
    ]
    with pytest.raises(InputError, match="no build that was tried"):
        read_accuracy("t.json", cache())


def test_plain_figures_count_larger_as_worse():
    results, _ = read_accuracy("a.json", b'{"conv1": 0.5, "conv2": 3, "odd": -1, "n": NaN}')
    assert [(each.name, each.value, each.candidate_non_finite) for each in results.tensors] == [
        ("conv1", 0.5, None),
        ("conv2", 3, None),
        ("odd", None, None),
        ("n", None, True),
    ]


def test_a_figure_that_is_impossible_is_noted_and_its_tensor_stays():
    results, _ = read_accuracy("a.json", b'{"conv1": 0.5, "odd": -1, "even": 1e300}')
    # A report carries them, and says the same when it is read again.
    notes = unknown_tensors(read_results_file(write_results(results).decode(), "x.accuracy.json")[0])
    assert [note.slug for note in notes] == ["accuracy-unknown"]
    assert "without figures" in notes[0].message
    assert "2; the first is 'odd'" in notes[0].message


def test_of_several_rows_of_one_tensor_the_worst_counts():
    found = tensors(b"tensor,snr_db,cosine\na,40,0.5\na,20,0.9\na,x,nan\nb,20,1\n", "a.csv")
    assert found["a"].relative_error == pytest.approx(0.1)
    assert found["a"].cosine_similarity == 0.5
    assert found["a"].candidate_non_finite
    assert found["b"].candidate_non_finite is None


@pytest.mark.parametrize(
    "data",
    [
        b"layer_name,type,time_ms,launches\na,conv,2,1\nb,relu,1,1\n",
        b'{"a": {"time_ms": 2, "share": 1}}',
    ],
)
def test_a_table_of_something_else_is_no_table_of_errors(data):
    with pytest.raises(InputError, match="several columns of figures, none of which is a known measure"):
        read_accuracy("layers.csv", data)


def test_other_columns_beside_a_known_measure_are_left_out():
    results, _ = read_accuracy("a.csv", b"tensor,elements,snr_db,rank\na,64,20,1\n")
    (found,) = results.tensors
    assert (found.relative_error, found.value) == (pytest.approx(0.1), None)
    assert not results.measure


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ('{"measure": "snr_db", "tensors": {"a": 20}}', "relative_error", 0.1),
        ('{"a": {"qdq_err": 60.0, "xmodel_err": 20.0}}', "relative_error", 0.1),
        ('{"a": {"cosine_similarity": 0.5}}', "cosine_similarity", 0.5),
        ('{"measure": "MSE", "tensors": {"a": 2}}', "value", 2),
        ("tensor,snr_db\na,20\n", "relative_error", 0.1),
        ("\ufefflayer,max_abs_error,note\na,2,hello\n", "max_abs_error", 2),
        ('"name","relative_error_percent"\r\n"a","25"\r\n', "relative_error", 0.25),
        ("Tensor Name,SQNR (dB),Elements\na,20,7\n", "relative_error", 0.1),
        ("Layer Name;Relative error (%);Note\na;25,5;x\n", "relative_error", 0.255),
        ("tensor\tCosine Similarity\na\t0.5\n", "cosine_similarity", 0.5),
        ('[{"Tensor Name": "a", "SQNR (dB)": 20}]', "relative_error", 0.1),
    ],
)
def test_measures_are_known_by_name(text, key, value):
    (found,) = tensors(text.encode(), "a.csv").values()
    assert getattr(found, key) == pytest.approx(value)


def test_a_measure_of_another_name_is_kept_with_its_name():
    assert read_accuracy("a.csv", b"node,KL divergence\na,2\n")[0].measure == "KL divergence"


@pytest.mark.parametrize(
    "data",
    [b"[]", b"{}", b'{"a": "text"}', b'{"a": null}', b"tensor,snr_db\n", b'tensor,x\na,"\x00', b"[1, 2]"],
)
def test_no_figures_is_one_line(data):
    with pytest.raises(InputError) as error:
        read_accuracy("a.json", data)
    assert "\n" not in str(error.value)
    assert error.value.hint


def test_files_are_bounded(monkeypatch):
    monkeypatch.setattr(read, "LARGEST_BYTES", 100)
    with pytest.raises(InputError, match="is larger than"):
        read_accuracy("a.json", b" " * 101)
    monkeypatch.undo()
    rows = {f"t{at}": 1.0 for at in range(limits.MOST_TENSORS + 5)}
    assert len(read_accuracy("a.json", json.dumps(rows).encode())[0].tensors) == limits.MOST_TENSORS


def test_figures_beyond_any_are_not_known():
    found = tensors(b'{"a": 1, "b": {"snr_db": 1e9}, "c": 1e308, "d": {"snr_db": -40}}')
    assert {name for name, each in found.items() if each == TensorAccuracy(name)} == {"b", "c"}
    assert found["d"].relative_error == pytest.approx(100)
    assert math.isfinite(found["a"].value)
