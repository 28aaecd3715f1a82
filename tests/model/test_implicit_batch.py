"""What trtexec's throughput counts, in one place for contradictions, figures and rules."""

import pytest

from trexreport.analyzer import analyze
from trexreport.model import Engine, FileFacts, Measurement, Setup, Statistic
from trexreport.model.implicit_batch import samples_per_query

RUN = "trtexec --loadEngine=a.engine"


@pytest.mark.parametrize(
    ("setup", "samples"),
    [
        (Setup(), 1),
        (Setup(commands=(RUN,)), 1),
        (Setup(commands=(f"{RUN} --batch=32",)), 32),
        (Setup(commands=(f"{RUN} --batch 32",)), 32),
        (Setup(inference_options={"Batch": "Explicit"}, commands=(f"{RUN} --batch=32",)), 1),
        (Setup(inference_options={"Batch": "8"}), 8),
        (Setup(inference_options={"Batch": "0"}), 1),
        (Setup(commands=(f"{RUN} --batch=32", RUN)), None),
        (Setup(commands=(f"{RUN} --batch=32", "trtexec --onnx=a.onnx --buildOnly")), 32),
        (Setup(commands=("trtexec --deploy=a.prototxt --maxBatch=16",)), None),
        (Setup(commands=("trtexec --deploy=a.prototxt --maxBatch=16 --batch=4",)), 4),
        (Setup(model_options={"Max batch": "16"}), None),
        (Setup(build_options={"Max batch": "explicit batch"}), 1),
        (Setup(tensorrt_version="10.2.0", commands=(f"{RUN} --batch=32",)), 1),
    ],
)
def test_the_samples_of_a_query(setup, samples):
    assert samples_per_query(Engine("a", (), setup=setup)) == samples


def test_files_that_state_other_batches_leave_it_unknown():
    files = [
        FileFacts(f"{size}.log", "log", setup=Setup(commands=(f"{RUN} --batch={size}",))) for size in (1, 8)
    ]
    assert samples_per_query(Engine("a", (), setup=files[0].setup, files=tuple(files))) is None


@pytest.mark.parametrize(
    ("commands", "rate", "batch"),
    [
        # An engine with an explicit batch ignores the option, and trtexec multiplies by it all the same.
        ([f"{RUN} --batch=1024"], 5.0, None),
        ([f"{RUN} --batch=1024", "trtexec --deploy=a.prototxt --maxBatch=1024 --buildOnly"], 5.0, 1024),
        ([f"{RUN} --batch=1024", f"{RUN} --batch=8"], None, None),
        ([RUN], 5120.0, None),
    ],
)
def test_throughput_counts_queries(commands, rate, batch):
    measured = Measurement(5120.0, {"GPU Compute Time": Statistic(190.0, 190.0, 190.0, 190.0)}, 4.0)
    analysis = analyze(Engine("a", (), measurement=measured, setup=Setup(commands=tuple(commands))))
    assert analysis.latency.throughput_qps == rate
    assert analysis.identity.batch == batch
    if rate == 5.0:
        assert analysis.latency.gpu_compute.count == 20
        assert analysis.latency.gpu_busy_percent == pytest.approx(95)
