"""Phrases about what the engine is."""

from __future__ import annotations

import pytest

from trexreport.analyzer.analysis import Identity
from trexreport.wording.identity import gpu_name, logged_value


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
