"""What the rules on precisions find on engines of every kind, generated and real."""

from __future__ import annotations

from engine_findings import findings

from trexreport.analyzer import analyze
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.launches import is_mostly_launch
from trexreport.analyzer.rules.precision.trx401_fp32_compute import fp32_compute
from trexreport.reader import read_engine

#: What quantization makes faster is in these engines; others are quantized, in FP32, short or not measured.
_IN_FP16 = {"a100-resnet18-fp16", "rtx3090-resnet50-fp16"}
#: Of others quantization saves enough in one of the two sets.
IN_FP16 = {"real": _IN_FP16 | {"controlnet-trt8.6", "rtx3060-resnet18-fp16-trt10"}, "generated": _IN_FP16}


def test_nothing_is_amiss_but_that_engines_use_no_lower_precision(engines_folder, engine_source):
    """The other FP32 layers are the sections of TRX303 and normalizations in Myelin kernels."""
    folders = sorted(path for path in engines_folder.iterdir() if path.is_dir())
    assert folders
    for folder in folders:
        expected = [("TRX405", "warning")] if folder.name == "a100-resnet18-fp32" else []
        expected += [("TRX406", "info")] if folder.name in IN_FP16[engine_source] else []
        assert findings(engines_folder, folder.name, "precision").codes == expected, folder.name


def test_what_int8_promises_an_fp16_network_is_what_it_gained(engines_folder):
    before = findings(engines_folder, "a100-resnet18-fp16", "precision")
    (place,) = before.places("TRX406")
    assert len(place.layers) in {17, 18, 20}
    times = [
        findings(engines_folder, f"a100-resnet18-{name}", "precision").analysis.latency.layer_sum_ms
        for name in ("fp16", "qat-residual", "qat-residual-qgap")
    ]
    # Savings are a part of GPU compute time, which is shorter than the layers are with the profiler.
    gpu_part = Context(before.analysis).gpu_part
    for after_ms in times[1:]:
        # Poolings that quantized convolutions contain are not promised.
        assert place.gain.low_ms < (times[0] - after_ms) * gpu_part < 1.2 * place.gain.high_ms


def test_what_fp16_promises_an_fp32_network_is_what_it_gained(engines_folder):
    before = findings(engines_folder, "a100-resnet18-fp32", "precision")
    after = findings(engines_folder, "a100-resnet18-fp16", "precision")
    (place,) = before.places("TRX405")
    gained_ms = before.analysis.latency.layer_sum_ms - after.analysis.latency.layer_sum_ms
    assert place.message.startswith("23 layers compute in FP32")
    # Two poolings become faster, too.
    assert len(place.layers) == 23
    assert place.gain.kind == "estimate"
    assert place.gain.low_ms < gained_ms < place.gain.high_ms < 1.3 * gained_ms


def test_the_softmax_of_an_fp16_network_stays_in_fp32(engines_folder):
    """In the real engine it is as short as a launch, so that no type makes it shorter."""
    analysis = findings(engines_folder, "rtx3090-resnet50-fp16", "precision").analysis
    (softmax,) = [layer for layer in analysis.layers if layer.type == "SoftMax"]
    assert softmax.precision == "FP32"
    context = Context(analysis)
    found = [
        (hit.layers[0].type, hit.severity)
        for hit in fp32_compute.check(context, share_percent=0.1, place_percent=0.1)
    ]
    assert found == ([] if is_mostly_launch(context, softmax) else [("SoftMax", "info")])


def test_an_fp32_network_uses_tf32_but_for_its_first_layer(engines_folder):
    analysis = findings(engines_folder, "a100-resnet18-fp32", "precision").analysis
    context = Context(analysis)
    assert context.uses_tf32
    products = [layer for layer in analysis.layers if layer.type == "Convolution"]
    assert [layer.index for layer in products if context.kernel(layer).math_type != "TF32"] == [0]


def test_a_build_that_failed_gets_no_advice_on_faster_precisions(tmp_path):
    log = """\
&&&& RUNNING TensorRT.trtexec [TensorRT v8410] # trtexec --onnx=m.onnx --int8
[11/01/2022-10:00:00] [I] === Build Options ===
[11/01/2022-10:00:00] [I] Precision: FP32+INT8
[11/01/2022-10:00:00] [I] Calibration: Dynamic
[11/01/2022-10:00:00] [W] [TRT] Calibrator is not being used.
[11/01/2022-10:00:00] [E] Error[2]: [graph.cpp::fold::1] Error Code 2: Internal Error
"""
    (tmp_path / "build.log").write_text(log)
    (tmp_path / "passed").mkdir()
    ended = log.rsplit("[11/01", 1)[0] + "&&&& PASSED TensorRT.trtexec\n"
    (tmp_path / "passed" / "build.log").write_text(ended)
    failed, passed = (
        {each.code for each in analyze(read_engine(path)).lint.findings}
        for path in (tmp_path / "build.log", tmp_path / "passed" / "build.log")
    )
    # Only what concerns the results holds for the next build, too.
    assert failed & {"TRX407", "TRX410"} == {"TRX410"}
    assert passed >= {"TRX407", "TRX410"}
