"""Times per image that applications print beside the messages of TensorRT."""

import pytest
from front_ends import SPEED, STAGES_IN_A_LINE, TIMING_REPORT, application_log

from trexreport.analyzer import analyze
from trexreport.model.application import STAGES
from trexreport.reader import read_engine
from trexreport.reader.application_times import application_times
from trexreport.wording.latency import stated_run

LINE = f"{SPEED}\n"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (LINE.format(1.2, 7.9, 1.1), ("1.2 ms", "7.9 ms", "1.1 ms")),
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
    text = LINE.format(9.0, 300.0, 5.0) + LINE.format(6.0, 8.0, 2.0) * 4
    assert application_times(text)["Inference"] == "8 ms"


@pytest.mark.parametrize(
    "form", ["image {}/6 /data/a b.jpg: 640x640 3 persons, {}ms", "{}: 640x640 1 cat, {}ms"]
)
def test_the_first_image_is_beside_the_median(form):
    lines = (form.format(number, ms) for number, ms in enumerate((412.3, 8.1, 7.9, 8.0, 8.0, 7.9)))
    found = application_times("\n".join((*lines, LINE.format(1.2, 75.4, 1.1))))
    assert (found["First inference"], found["Median inference"]) == (
        "412.3 ms",
        "8 ms",
    )
    assert found["Inferences"] == "6"


def test_other_models_in_a_log_are_left_out():
    loading = "Loading yolo.{} for {} inference...\n"
    engine, other = loading.format("engine", "TensorRT"), loading.format("onnx", "ONNX Runtime")
    slow, fast = LINE.format(2.0, 90.0, 3.0), LINE.format(2.0, 8.0, 3.0)
    image = "0: 640x640 1 cat, {}ms\n"
    text = "".join((image.format(90.0), slow * 9, engine, image.format(8.0) * 6, fast, other, slow * 9))
    assert {key: application_times(text)[key] for key in ("Inference", "Inferences")} == {
        "Inference": "8 ms",
        "Inferences": "6",
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
        f"[11/26/2023-23:04:58] [TRT] [I] Loaded engine size: 25 MiB\n{LINE.format(30.2, 7.8, 1.6)}"
    )
    assert read_engine(path).setup.build_facts["Preprocessing"] == "30.2 ms"


def test_a_log_without_messages_of_tensorrt_is_one(tmp_path):
    path = tmp_path / "yolo.txt"
    path.write_text(f"Loading yolo.engine for TensorRT inference...\n\n{LINE.format(30.2, 7.8, 1.6)}")
    engine = read_engine(path)
    assert engine.setup.build_facts["Inference"] == "7.8 ms"
    assert "log-not-trtexec" not in {note.slug for note in engine.notes}


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("inference time: {} ms", "8 ms"),
        ("[INFO] [1690282576.76{}] [yolo]: Inference took 0.008 seconds", "8 ms"),
        ("frame_{}.jpg infer latency (us) = 8000", "8 ms"),
    ],
)
def test_programs_state_times_in_many_ways(lines, expected):
    found = application_times("\n".join(lines.format(each) for each in (80, 8, 8, 9, 7, 8)))
    assert found["Inference"] == expected
    assert found["Inferences"] == "6"


@pytest.mark.parametrize("form", [SPEED, STAGES_IN_A_LINE, TIMING_REPORT])
def test_stages_are_medians_of_all_calls(form):
    text = application_log(form, [(1.5, ms, 2.5) for ms in (80, 8, 8, 9, 7, 8)]).decode()
    found = application_times(text)
    assert tuple(found[stage] for stage in STAGES) == ("1.5 ms", "8 ms", "2.5 ms")


@pytest.mark.parametrize(
    "text",
    [
        "inference time: 8",
        "inference: 30 fps",
        "PyTorch inference time: 80 ms",
        "total inference time: 80 ms",
        "detector inference time: 8 ms\nclassifier inference time: 2 ms",
        "A | Average inference time: 2 ms\nB | Average inference time: 8 ms",
        "Input inference shape : x=1x3x8x8",
        f"inference time: 8 ms{' ' * 400}.",
    ],
)
def test_times_of_something_else_are_not_read(text):
    assert application_times(text) == {}


def test_another_framework_is_left_out_beside_the_engine():
    text = "ONNX inference time: 80 ms\nTensorRT inference time: 8 ms\n"
    assert application_times(text) == {"Inference": "8 ms"}


@pytest.mark.parametrize(
    ("lines", "shown"),
    [
        (
            ["inference time: 8 ms"] * 6,
            ("Median inference time", "8.00\xa0ms", "of 6, stated by the application"),
        ),
        (["inference time: 8 ms"], ("Inference time", "8.00\xa0ms", "stated by the application")),
        (["Avg inference time: 8 ms"], ("Mean inference time", "8.00\xa0ms", "stated by the application")),
        (
            ["FPS: 41.2", "FPS: 40.8", "FPS: 0"],
            ("Frames per second", "41.00 fps", "stated by the application"),
        ),
        (
            ["**PERF:  0.00 (0.00)", "**PERF:  31.2 (29.90)", "**PERF:  30.01 (29.97)"],
            ("Frames per second", "29.97 fps", "stated by the application"),
        ),
        (
            ["**PERF:  25.01 (24.80)\t25.11 (25.02)\t12.50 (12.41)\t"],
            ("Frames per second", "24.80 fps (median of 3 streams)", "stated by the application"),
        ),
        (
            ["1000 frames in 13.2 s (75.83 fps)"],
            ("Frames per second", "75.83 fps", "stated by the application"),
        ),
        (["Stream 0: video, 30 fps", "(0 fps)", "Input FPS: 30", "FPS: 1,130.5", "FPS: 7.2.1"], None),
        ([], None),
    ],
)
def test_a_stated_time_is_shown_where_queries_have_none(tmp_path, lines, shown):
    path = tmp_path / "app.log"
    path.write_text("\n".join(["[11/26/2023-23:04:58] [I] [TRT] Loaded engine size: 25 MiB", *lines]))
    analysis = analyze(read_engine(path))
    assert "Inference" not in analysis.settings["Build figures"]
    assert stated_run(analysis) == shown
