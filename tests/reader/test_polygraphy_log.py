"""What Polygraphy logs of the build and of the comparison with a reference."""

from __future__ import annotations

import pytest

from trexreport.reader.trtexec_log import read_trtexec_log

LINES = """[I] Building engine with configuration:
    Flags                  | [FP16, INT8, TF32]
    Memory Pools           | [WORKSPACE: 22517.44 MiB]
[W] Int8 Calibration is using randomly generated input data.
[I]     Comparing Output: 'a' (dtype=float32, shape=(1, 8))
[I]         Error Metrics: a
[E]         FAILED | Difference exceeds tolerance (rel=0.001, abs=0.001)
[I]         Error Metrics: b
[I]         PASSED | Difference is within tolerance (rel=0.001, abs=0.001)
[E]     FAILED | Mismatched outputs: ['a']
"""


def test_a_comparison_that_failed_and_the_types_of_the_build():
    setup = read_trtexec_log(LINES, "run.log").setup
    assert setup.build_options["Precision"] == "FP32+FP16+INT8"
    assert setup.build_facts == {
        "Outputs beyond the tolerance": "1 of 2: a",
        "Tolerance of the comparison": "rel=0.001, abs=0.001",
        "Inputs of the calibration": "random",
    }


@pytest.mark.parametrize(
    ("line", "precision"),
    [
        ("    Flags                  | []", "FP32"),
        (
            "    Precision              | TF32: False, FP16: True, INT8: False, Strict Types: False",
            "FP32+FP16",
        ),
        ("    Flags                  | [STRONGLY_TYPED]", None),
        ("    Flags                  | none", None),
    ],
)
def test_the_types_of_other_versions(line, precision):
    text = f"[I] Building engine with configuration:\n{line}\n[I] Finished engine building in 9.1 seconds\n"
    assert read_trtexec_log(text, "run.log").setup.build_options.get("Precision") == precision


def test_earlier_versions_name_the_output_with_the_result():
    failed = "[E]         FAILED | Output: 'a' | Difference exceeds tolerance (rel=1e-05, abs=1e-05)"
    facts = read_trtexec_log(f"[I]         Error Metrics: a\n{failed}\n", "run.log").setup.build_facts
    assert facts["Outputs beyond the tolerance"] == "1 of 1: a"


def test_ultralytics_states_device_version_and_type():
    text = (
        "Ultralytics 8.4.1 \N{ROCKET} Python-3.10.12 torch-2.3.0 CUDA:0 (Orin, 15657MiB)\n"
        "\x1b[34m\x1b[1mTensorRT:\x1b[0m starting export with TensorRT 10.3.0...\n"
        "[03/24/2026-16:51:14] [TRT] [I] Local timing cache in use.\n"
        "\x1b[34m\x1b[1mTensorRT:\x1b[0m building FP16 engine as a.engine\n"
    )
    setup = read_trtexec_log(text, "run.log").setup
    assert setup.tensorrt_version == "10.3.0"
    assert setup.build_options == {"Precision": "FP32+FP16"}
    assert setup.device == {"Selected Device": "Orin", "Device Global Memory": "15657 MiB"}
    single = read_trtexec_log(text.replace("FP16", "FP32"), "run.log").setup
    assert single.build_options == {"Precision": "FP32"}


STATS = (
    "[I]         {}-runner-N0-02/21/23-13:21:06: {} | Stats: mean={}, std-dev=inf, var=inf, median=0, min={} "
    "at (0,), max={} at (1,), avg-magnitude=1\n"
)


def test_values_that_are_not_finite_in_the_engine_alone():
    def facts(*lines):
        return read_trtexec_log(
            LINES + "".join(STATS.format(*each) for each in lines), "run.log"
        ).setup.build_facts

    broken = "Outputs with NaN or infinity"
    assert facts(("trt", "a", "nan", "nan", "nan"), ("onnxrt", "a", "0", "-1", "1"))[broken] == "a"
    assert facts(("trt", "a", "inf", "-1", "inf"), ("trt", "b", "0", "-inf", "1"))[broken] == "a, b"
    # A reference has such values, too, or a sum of finite ones overflows.
    assert broken not in facts(("trt", "a", "inf", "-51.188", "44.031"))
    assert broken not in facts(("trt", "a", "nan", "nan", "nan"), ("onnxrt", "a", "nan", "nan", "nan"))
