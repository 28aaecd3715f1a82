"""Phrases about what the engine is."""

from __future__ import annotations

import pytest

from trexreport.analyzer import analyze
from trexreport.analyzer.analysis import Identity
from trexreport.reader import read_engine
from trexreport.wording.identity import gpu_name, known_shapes, logged_value


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (f"{9.0405e-5} s", "<0.001 s"),
        ("1.5e+03 MiB", "1,500 MiB"),
        ("2e+02", "200"),
        ("0.000205979 s", "0.000205979 s"),
        ("GPU-00112233-12e4-6677", "GPU-00112233-12e4-6677"),
        ("1e5", "1e5"),
        ("net-1e-05", "net-1e-05"),
        ("", ""),
        ("16384 MiB", "16.0\u00a0GiB"),
        ("16 MB", "16.0\u00a0MiB"),
        ("88883200 bytes", "84.8\u00a0MiB"),
        ("workspace: 16384 MiB", "workspace: 16384 MiB"),
    ],
)
def test_values_of_logs_are_written_as_others(value, shown):
    assert logged_value(value) == shown


@pytest.mark.parametrize(
    ("gpu", "board", "shown"),
    [
        ("Orin", "NVIDIA Jetson AGX Orin Developer Kit", "Orin (NVIDIA Jetson AGX Orin Developer Kit)"),
        ("Jetson Orin NX", "Orin NX", "Jetson Orin NX"),
        ("", "NVIDIA DRIVE AGX", "NVIDIA DRIVE AGX"),
        ("NVIDIA L4", "", "NVIDIA L4"),
        ("", "", ""),
    ],
)
def test_a_gpu_of_a_board_is_named_with_it(gpu, board, shown):
    identity = Identity("n", "", gpu, "", "", [], None, False, False, 0, [0], board=board)
    assert gpu_name(identity) == shown


@pytest.mark.parametrize(
    ("created", "shown"),
    [
        (["Input binding for x with dimensions 4x8", "Output binding for y with dimensions 4x2"], "x 4×8"),
        (
            [f"Output binding for {name} with dimensions 4x2" for name in "abcd"],
            "outputs a 4×2, b 4×2, c 4×2 and 1 more",
        ),
        ([], ""),
    ],
)
def test_outputs_are_named_where_a_log_states_no_inputs(created, shown, tmp_path):
    path = tmp_path / "x.log"
    lines = ["Throughput: 30 qps", *(f"{each} is created." for each in created)]
    path.write_text("".join(f"[I] {line}\n" for line in lines))
    assert known_shapes(analyze(read_engine(path))) == shown
