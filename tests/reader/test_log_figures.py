"""What logs of several measurements in one folder say of themselves."""

from __future__ import annotations

import pytest
from stated_logs import metric, stated

from trexreport.model import Source
from trexreport.model.measured_log import MeasuredLog, fastest
from trexreport.reader import read_engine
from trexreport.reader.log_figures import measured_log, with_possible_batches
from trexreport.reader.trtexec_log import read_trtexec_log


def _log(name, *lines, qps=100):
    text = "\n".join([*lines, stated(f"Throughput: {qps} qps", metric("Latency"))])
    return measured_log(Source("log", name, text.encode()), read_trtexec_log(text, name))


@pytest.mark.parametrize(
    ("name", "model", "types", "batch"),
    [
        ("yolo_fp16_bs8.log", "yolo", ("FP16",), 8),
        ("fp16_int8_bs12.log", "", ("FP16", "INT8"), 12),
        ("resnet50-INT8-batch16.txt", "resnet50", ("INT8",), 16),
        ("net.best.b4.log", "net best", (), 4),
        ("fp16_sp0.4.log", "sp0 4", ("FP16",), None),
        ("yolo_qat.log", "yolo", ("INT8",), None),
        ("net_fp32.log", "net", ("FP32",), None),
        ("trtexec.log", "", (), None),
        (f"{'1' * 64} net.log", f"{'1' * 64} net", (), None),
    ],
)
def test_names_say_what_a_log_is_of(name, model, types, batch):
    log = _log(name)
    assert (log.model, log.types, log.batch) == (model, types, batch)


@pytest.mark.parametrize(("size", "model"), [(8, "net 10"), (10, "net 10 8")])
def test_the_batch_size_at_the_end_of_a_name_is_no_part_of_the_model(size, model):
    assert (
        _log("net_int8_10_8.txt", f"&&&& RUNNING TensorRT.trtexec # trtexec --shapes=x:{size}x3").model
        == model
    )


def test_a_number_of_the_model_is_kept_where_the_name_states_the_batch_size():
    assert {_log(f"vgg-16_bs{size}.txt").model for size in (1, 16)} == {"vgg 16"}


def test_options_are_believed_before_names():
    options = "--onnx=net_int8_bs2.onnx --fp16 --shapes=x:4x3"
    command = f"&&&& RUNNING TensorRT.trtexec [TensorRT v8601] # trtexec {options}"
    log = _log("net_int8_bs2.log", command)
    assert (log.types, log.batch) == (("FP16",), 4)


def test_a_run_that_loads_an_engine_ignores_options_of_types():
    run = "&&&& RUNNING TensorRT.trtexec [TensorRT v8503] # trtexec --loadEngine=net.plan --fp16"
    assert _log("run.log", run).types == ()
    assert _log("run.log", run.replace("loadEngine", "saveEngine")).types == ("FP16",)


def test_the_engine_is_asked_where_the_log_has_no_name_of_its_own():
    command = "&&&& RUNNING TensorRT.trtexec [TensorRT v8601] # trtexec --loadEngine=net_int8_bs2.engine"
    log = _log("run.log", command)
    assert (log.types, log.batch) == (("INT8",), 2)


def test_shapes_of_the_run_are_believed():
    binding = stated("Input binding for x with dimensions 16x3x8x8 is created.")
    assert _log("a_bs2.log", binding).batch == 16
    of_one = stated("Output binding for y with dimensions 1x8x8 is created.")
    assert _log("a.log", binding, of_one).batch is None


def test_a_log_is_the_fastest_by_items_where_all_batch_sizes_are_known():
    assert fastest([_log("a_bs1.log", qps=300), _log("a_bs8.log", qps=50)]).file == "a_bs8.log"
    assert fastest([_log("a.log", qps=300), _log("a_bs8.log", qps=50)]).file == "a.log"
    assert fastest([_log("a_bs2.log", qps=50), _log("b_bs2.log", qps=50)]).file == "a_bs2.log"


def test_a_log_of_unknown_batch_does_not_keep_the_others_from_being_compared_by_items():
    sized = [_log("a_bs1.log", qps=300), _log("a_bs8.log", qps=50)]
    assert fastest([*sized, _log("a.log", qps=200)]).file == "a_bs8.log"
    # Logs of one batch size need no comparison by items.
    alike = [_log("a_bs8.log", qps=50), _log("b_bs8.log", qps=60)]
    assert fastest([*alike, _log("a.log", qps=200)]).file == "a.log"


def test_a_folder_of_logs_is_named_after_itself_and_shows_the_fastest(tmp_path):
    folder = tmp_path / "detector"
    folder.mkdir()
    for name, qps in (("fp16_bs1.log", 300), ("fp16_bs8.log", 50)):
        (folder / name).write_text(
            f"=== Performance summary ===\nThroughput: {qps} qps\n{metric('Latency')}\n"
        )
    engine = read_engine(folder)
    assert engine.name == "detector"
    assert [log.file for log in engine.logs] == ["fp16_bs1.log", "fp16_bs8.log"]
    assert engine.measurement.throughput_qps == 50
    assert not engine.contradictions


def test_one_log_is_no_list_of_logs(tmp_path):
    path = tmp_path / "fp16_bs1.log"
    path.write_text(f"=== Performance summary ===\nThroughput: 3 qps\n{metric('Latency')}\n")
    assert read_engine(path).logs == ()


@pytest.mark.parametrize(
    ("name", "batch"),
    [
        ("efficientnet_b4", None),
        ("efficientnet_b4_b8", 8),
        ("efficientnetv2-b0", None),
        ("net_b4", 4),
        ("mobilenetv2_b8", 8),
        ("mobilenet_v2_b1_fp16", 1),
        ("summit_b2", 2),
        ("clip_vit_b32_fp16", None),
        ("vit-b16", None),
        ("vit_b8", None),
        ("vit_b64", 64),
    ],
)
def test_the_size_of_a_model_is_no_batch_size(name, batch):
    assert _log(f"{name}.log").batch == batch


def test_a_throughput_of_samples_is_one_of_queries():
    command = "&&&& RUNNING TensorRT.trtexec [TensorRT v8601] # trtexec --loadEngine=m.plan --batch=64"
    log = _log("a.log", command, qps=6400)
    assert (log.throughput_qps, log.batch, log.items_per_s) == (100, None, None)


def test_a_summary_states_transfers_and_how_busy_the_gpu_is(tmp_path):
    lines = [
        "=== Performance summary ===",
        "Throughput: 100 qps",
        metric("Latency"),
        metric("GPU Compute Time"),
        metric("H2D Latency"),
        "Total Host Walltime: 2 s",
        "Total GPU Compute Time: 1.5 s",
    ]
    source = Source("log", "a.log", "\n".join(lines).encode())
    log = measured_log(source, read_trtexec_log("\n".join(lines), "a.log"))
    assert log.gpu_busy_percent == 75
    assert log.h2d_ms == pytest.approx(8.7738e-05)
    assert log.d2h_ms is None


def test_shapes_of_the_run_come_before_those_of_the_build():
    shapes = "--optShapes=x:64x3 --shapes=x:16x3"
    command = f"&&&& RUNNING TensorRT.trtexec [TensorRT v8601] # trtexec --onnx=m.onnx {shapes}"
    assert _log("a.log", command).batch == 16
    assert _log("a.log", command.replace(" --shapes=x:16x3", "")).batch == 64


def test_copies_that_wait_count_as_the_fastest():
    line = "[I] H2D Latency: min = 0.12 ms, max = 24 ms, mean = 12 ms, median = 14 ms"
    assert _log("a.log", line).h2d_ms == 0.12


def test_averages_state_how_busy_the_gpu_is_where_the_summary_is_cut():
    average = "Average on 10 runs - GPU latency: {} ms - Host latency: 20 ms (enqueue 0.5 ms)"
    text = "\n".join(
        [
            *map(average.format, (11, 13)),
            "=== Performance summary ===",
            "Throughput: 80 qps",
            "Latency: min = 1",
        ]
    )
    log = measured_log(Source("log", "a.log", text.encode()), read_trtexec_log(text, "a.log"))
    assert log.gpu_busy_percent == pytest.approx(96)


def _measured(batch, h2d_ms, compute_ms):
    return MeasuredLog("x", "net", (), batch, 5.0, None, compute_ms, h2d_ms=h2d_ms)


@pytest.mark.parametrize(
    ("other", "batches"),
    [
        (_measured(8, 3.87, 180.0), [None, None]),
        # Eight times the input, or twice the computation, is another batch.
        (_measured(8, 31.0, 180.0), [1, 8]),
        (_measured(8, 3.87, 360.0), [1, 8]),
        (_measured(1, 3.87, 180.0), [1, 1]),
        (_measured(8, 0.01, 180.0), [1, 8]),
        (_measured(None, 3.87, 180.0), [1, None]),
    ],
)
def test_a_batch_size_that_changes_no_time_is_not_that_of_the_engine(other, batches):
    logs = with_possible_batches([_measured(1, 3.9, 179.0), other])
    assert [log.batch for log in logs] == batches
