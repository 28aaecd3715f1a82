"""What the rules on precisions find on engines of every kind, generated and real."""

from __future__ import annotations

from engine_findings import findings

from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.precision.trx401_fp32_compute import fp32_compute


def test_nothing_is_amiss_but_that_one_engine_is_in_fp32(engines_folder):
    """The other FP32 layers are the sections of TRX303 and normalizations in Myelin kernels."""
    folders = sorted(path for path in engines_folder.iterdir() if path.is_dir())
    assert folders
    for folder in folders:
        expected = [("TRX405", "warning")] if folder.name == "a100-resnet18-fp32" else []
        assert findings(engines_folder, folder.name, "precision").codes == expected, folder.name


def test_what_fp16_promises_an_fp32_network_is_what_it_gained(engines_folder):
    before = findings(engines_folder, "a100-resnet18-fp32", "precision")
    after = findings(engines_folder, "a100-resnet18-fp16", "precision")
    (place,) = before.places("TRX405")
    gained_ms = before.analysis.latency.layer_sum_ms - after.analysis.latency.layer_sum_ms
    assert place.message.startswith("21 layers compute in FP32")
    # Two poolings become faster, too.
    assert len(place.layers) == 23
    assert place.gain.kind == "estimate"
    assert place.gain.low_ms < gained_ms < place.gain.high_ms < 1.3 * gained_ms


def test_the_softmax_of_an_fp16_network_stays_in_fp32(engines_folder):
    """It takes 0.14% of layer time, which is below the default threshold."""
    analysis = findings(engines_folder, "rtx3090-resnet50-fp16", "precision").analysis
    (hit,) = fp32_compute.check(Context(analysis), share_percent=0.1, place_percent=0.1)
    assert hit.layers[0].type == "SoftMax"
    assert hit.severity == "info"
    assert 0 < hit.gain.low_ms < hit.gain.high_ms < hit.layers[0].avg_ms / 2


def test_an_fp32_network_uses_tf32_but_for_its_first_layer(engines_folder):
    analysis = findings(engines_folder, "a100-resnet18-fp32", "precision").analysis
    context = Context(analysis)
    assert context.uses_tf32
    products = [layer for layer in analysis.layers if layer.type == "Convolution"]
    assert [layer.index for layer in products if context.kernel(layer).math_type != "TF32"] == [0]
