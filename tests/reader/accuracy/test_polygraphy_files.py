"""Polygraphy's results and outputs give the figures that its own formulas give; damage is one line."""

from __future__ import annotations

import base64
import io
import json
import math
import os
import zipfile

import numpy as np
import pytest
from accuracy_files import accuracy_results, cosine, elementwise, iteration, lazy, npy, run_results, snr

from trexreport.errors import InputError
from trexreport.reader import read_engine
from trexreport.reader.accuracy.read import read_accuracy
from trexreport.reader.accuracy.results_file import unknown_tensors

ONE = np.array([[3.0, 4.0]], np.float32)
OTHER = np.array([[3.0, 4.5]], np.float32)


def tensors(data, reference=None):
    results, _ = read_accuracy("a.json", data, reference and ("b.json", reference))
    return {each.name: each for each in results.tensors}


def test_results_of_several_functions_are_one_row_for_each_tensor():
    data = accuracy_results(
        [
            [{"a": snr(40.0), "b": snr(math.inf)}, {"a": snr(20.0), "b": snr(math.inf)}],
            [{"a": cosine(0.99)}, {"a": cosine(0.9)}],
            [{"a": elementwise(max_absdiff=2.0, mean_absdiff=0.5, mean_reldiff=0.25)}],
        ]
    )
    results, notes = read_accuracy("a.json", data)
    assert (results.candidate, results.reference, results.iterations) == (
        "trt-runner-N0",
        "onnxrt-runner-N0",
        2,
    )
    a, b = results.tensors
    # 40 dB are 1% and 20 dB are 10%.
    assert a.relative_error == pytest.approx(math.sqrt((0.01**2 + 0.1**2) / 2))
    assert (a.cosine_similarity, a.max_abs_error, a.mean_abs_error, a.relative_difference) == (
        0.9,
        2,
        0.5,
        0.25,
    )
    assert b.relative_error == 0
    assert not notes


def test_the_older_encoding_is_read():
    document = json.loads(accuracy_results([[{"a": snr(20.0)}]]).decode())
    text = json.dumps(document)
    for kind in ("SnrResult", "AccuracyResult", "AccuracyResults"):
        text = text.replace(f'"polygraphy_class": "{kind}"', f'"__polygraphy_encoded_{kind}": true')
    assert "polygraphy_class" not in text
    assert tensors(text.encode())["a"].relative_error == pytest.approx(0.1)


def test_what_is_not_a_number_is_not_an_error_of_zero():
    found = tensors(accuracy_results([[{"a": snr(math.nan), "b": False, "c": snr("x"), "d": snr(None)}]]))
    assert found["a"].candidate_non_finite
    assert found["b"].has_other_shape
    assert [found[name].relative_error for name in "abcd"] == [None] * 4


def test_the_runner_of_tensorrt_is_the_candidate():
    results, _ = read_accuracy("a.json", accuracy_results([[{"a": snr(1.0)}]], ("onnxrt-1", "trt-2")))
    assert (results.candidate, results.reference) == ("trt-2", "onnxrt-1")


def test_outputs_of_two_runners_in_one_file_are_compared():
    found = tensors(run_results(onnxrt=[{"y": ONE}], trt_runner=[{"y": OTHER}]))["y"]
    assert found.relative_error == pytest.approx(0.5 / 5)
    assert found.max_abs_error == 0.5
    assert found.mean_abs_error == 0.25
    assert found.reference_norm == 5
    assert found.cosine_similarity == pytest.approx((9 + 18) / 5 / math.hypot(3, 4.5))
    assert found.candidate_range == (3, 4.5)
    assert found.reference_range == (3, 4)
    assert (found.elements, found.data_type) == (2, "FP32")


def test_outputs_of_two_files_are_compared_over_all_iterations():
    found = tensors(
        run_results(trt=[{"y": ONE}, {"y": OTHER}, {"y": OTHER}]),
        run_results(onnxrt=[{"y": ONE}, {"y": ONE}]),
    )
    assert found["y"].relative_error == pytest.approx(0.5 / math.sqrt(50))
    assert found["y"].elements == 4


def test_outputs_alone_show_ranges_and_no_error():
    found = tensors(run_results(trt=[{"y": ONE, "n": np.array([np.inf, 1], np.float16)}]))
    assert found["y"].candidate_range == (3, 4)
    assert found["y"].relative_error is None
    assert found["n"].candidate_non_finite
    assert found["n"].candidate_range == (1, 1)


@pytest.mark.parametrize(
    "document",
    [[iteration({"y": ONE})], iteration({"y": ONE}), [{"y": lazy(ONE)}], [{"y": npy(ONE)}]],
    ids=["list of iterations", "one iteration", "saved inputs", "saved inputs without wrapper"],
)
def test_other_forms_of_outputs_are_read(document):
    assert tensors(json.dumps(document).encode())["y"].candidate_range == (3, 4)


def test_arrays_as_latin_1_are_read():

    encoded = npy(ONE)
    encoded["array"] = base64.b64decode(encoded["array"]).decode("latin-1")
    assert tensors(json.dumps([{"y": encoded}]).encode())["y"].candidate_range == (3, 4)


def test_pickles_are_never_opened(tmp_path):
    class Trap:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "opened"),)

    import io
    import pickle

    file = io.BytesIO()
    np.save(file, np.array([Trap()], dtype=object), allow_pickle=True)
    objects = {"array": base64.b64encode(file.getvalue()).decode(), "polygraphy_class": "ndarray"}
    torch = {"tensor": base64.b64encode(pickle.dumps(Trap())).decode(), "polygraphy_class": "Tensor"}
    data = json.dumps([{"objects": objects, "torch": torch, "y": lazy(ONE)}]).encode()
    results, _ = read_accuracy("a.json", data)
    assert [each.candidate_range for each in results.tensors] == [None, None, (3, 4)]
    assert [note.slug for note in unknown_tensors(results)] == ["accuracy-unknown"]
    with pytest.raises(InputError, match="is not opened"):
        read_accuracy("a.pkl", pickle.dumps(Trap()))
    assert not (tmp_path / "opened").exists()


def test_a_header_that_claims_more_than_there_is_is_refused():

    data = base64.b64decode(npy(ONE)["array"]).replace(b"(1, 2)", b"(1, 2**40)"[:6])
    large = base64.b64decode(npy(ONE)["array"]).replace(b"(1, 2), }     ", b"(1, 2000000), ")
    for each in (data, large, b"\x93NUMPY", b"\x93NUMPY\x01\x00\xff\xff{", b""):
        encoded = {"array": base64.b64encode(each).decode(), "polygraphy_class": "ndarray"}
        found = tensors(json.dumps([{"y": encoded, "z": lazy(ONE)}]).encode())
        assert found["y"].candidate_range is None
        assert found["z"].candidate_range == (3, 4)


@pytest.mark.parametrize(
    ("one", "other", "part"),
    [
        (
            run_results(trt=[{"y": ONE}]),
            run_results(onnxrt=[{"z": ONE}]),
            "no tensor is in the outputs of both",
        ),
        (run_results(trt=[{"y": ONE}]), accuracy_results([[{"y": snr(1)}]]), "can't be compared"),
        (run_results(), None, "holds no outputs"),
        (accuracy_results([]), None, "does not compare two runners"),
        (b'{"Layers": []}', None, "states no accuracy"),
        (b"{", None, "is cut off"),
        (b"", None, "is empty"),
    ],
)
def test_what_does_not_fit_is_one_line(one, other, part):
    with pytest.raises(InputError, match=part) as error:
        read_accuracy("a.json", one, other and ("b.json", other))
    assert "\n" not in str(error.value)
    assert "a.json" in str(error.value)
    assert error.value.hint


def archived(compression=zipfile.ZIP_STORED, *, files=1):
    """Return results of two runners, whose arrays are archives as text, as those of Polygraphy 0.29 are."""
    document = json.loads(run_results(trt=[{"a": OTHER}], onnxrt=[{"a": ONE}]))
    for _, iterations in document["lst"]:
        encoded = iterations[0]["outputs"]["a"]["values"]
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", compression) as archive:
            for number in range(files):
                archive.writestr(f"arr_{number}.npy", base64.b64decode(encoded["array"]))
        encoded["array"] = file.getvalue().decode("latin-1")
    return json.dumps(document).encode()


def test_arrays_in_archives_are_read():
    assert tensors(archived())["a"].relative_error == pytest.approx(0.1)


@pytest.mark.parametrize("data", [archived(zipfile.ZIP_DEFLATED), archived(files=2)])
def test_nothing_else_is_unpacked(data):
    assert tensors(data)["a"].relative_error is None


def test_a_damaged_archive_is_no_array():
    data = archived().replace(b"arr_0.npy", b"arr_0.npx", 1)
    assert tensors(data)["a"].relative_error is None


def test_files_that_are_swapped_are_taken_the_right_way_round():
    engine, reference = run_results(trt_runner=[{"y": OTHER}]), run_results(onnxrt_runner=[{"y": ONE}])
    right, notes = read_accuracy("a.json", engine, ("b.json", reference))
    assert not notes
    swapped, notes = read_accuracy("b.json", reference, ("a.json", engine))
    assert (swapped.candidate, swapped.reference) == ("trt-runner", "onnxrt-runner")
    assert swapped.tensors == right.tensors
    assert [note.slug for note in notes] == ["accuracy-swapped"]


def test_values_of_a_gigabyte_are_not_read(tmp_path):
    large = tmp_path / "x.accuracy.json"
    with large.open("wb") as file:
        file.truncate(2**30)
    graph = tmp_path / "x.graph.json"
    graph.write_text('{"Layers": [{"Name": "a", "LayerType": "Convolution"}]}')
    with pytest.raises(InputError, match="larger than 256"):
        read_engine(graph, files={"accuracy": large})
    # Nor is one that is found; it is left out with a note.
    engine = read_engine(graph)
    assert engine.accuracy is None
    assert "file-too-large" in {note.slug for note in engine.notes}
