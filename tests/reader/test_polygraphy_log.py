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
