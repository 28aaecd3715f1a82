"""Times per image that applications print beside the messages of TensorRT."""

import pytest

from trexreport.reader import read_engine
from trexreport.reader.application_times import application_times

SPEED = "Speed: {}ms preprocess, {}ms inference, {}ms postprocess per image at shape (1, 3, 640, 640)\n"
STAGES = ("Preprocessing per image", "Inference per image", "Postprocessing per image")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (SPEED.format(1.2, 7.9, 1.1), ("1.2 ms", "7.9 ms", "1.1 ms")),
        (
            "Speed: 0.3ms pre-process, 12.0ms inference, 1.2ms NMS per image at shape (1, 3, 640, 640)",
            ("0.3 ms", "12 ms", "1.2 ms"),
        ),
        (
            "Speed: 0.1ms preprocess, 1.4ms inference, 0.0ms loss, 0.7ms postprocess per image",
            ("0.1 ms", "1.4 ms", "0.7 ms"),
        ),
    ],
)
def test_stages_of_an_image_are_read(line, expected):
    assert tuple(application_times(line)[each] for each in STAGES) == expected


def test_of_several_calls_the_medians_count():
    text = SPEED.format(9.0, 300.0, 5.0) + SPEED.format(6.0, 8.0, 2.0) * 4
    assert application_times(text)["Inference per image"] == "8 ms"


@pytest.mark.parametrize(
    "form", ["image {}/6 /data/a b.jpg: 640x640 3 persons, {}ms", "{}: 640x640 1 cat, {}ms"]
)
def test_the_first_image_is_beside_the_median(form):
    lines = (form.format(number, ms) for number, ms in enumerate((412.3, 8.1, 7.9, 8.0, 8.0, 7.9)))
    found = application_times("\n".join((*lines, SPEED.format(1.2, 75.4, 1.1))))
    assert (found["Inference of the first image"], found["Median inference of an image"]) == (
        "412.3 ms",
        "8 ms",
    )
    assert found["Images"] == "6"


def test_other_models_in_a_log_are_left_out():
    loading = "Loading yolo.{} for {} inference...\n"
    engine, other = loading.format("engine", "TensorRT"), loading.format("onnx", "ONNX Runtime")
    slow, fast = SPEED.format(2.0, 90.0, 3.0), SPEED.format(2.0, 8.0, 3.0)
    image = "0: 640x640 1 cat, {}ms\n"
    text = "".join((image.format(90.0), slow * 9, engine, image.format(8.0) * 6, fast, other, slow * 9))
    assert {key: application_times(text)[key] for key in ("Inference per image", "Images")} == {
        "Inference per image": "8 ms",
        "Images": "6",
    }
    assert application_times(slow + engine) == {}


@pytest.mark.parametrize(
    "text", ["", "Speed: 3 fps", "image 1/2 a.jpg: 640x640, 8.0ms", "Average 7ms inference, "]
)
def test_other_texts_state_nothing(text):
    assert application_times(text) == {}


def test_a_log_has_them_among_its_facts(tmp_path):
    path = tmp_path / "yolo.log"
    path.write_text(
        f"[11/26/2023-23:04:58] [TRT] [I] Loaded engine size: 25 MiB\n{SPEED.format(30.2, 7.8, 1.6)}"
    )
    assert read_engine(path).setup.build_facts["Preprocessing per image"] == "30.2 ms"


def test_a_log_without_messages_of_tensorrt_is_one(tmp_path):
    path = tmp_path / "yolo.txt"
    path.write_text(f"Loading yolo.engine for TensorRT inference...\n\n{SPEED.format(30.2, 7.8, 1.6)}")
    engine = read_engine(path)
    assert engine.setup.build_facts["Inference per image"] == "7.8 ms"
    assert "log-not-trtexec" not in {note.slug for note in engine.notes}
