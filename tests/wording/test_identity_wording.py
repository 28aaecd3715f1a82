"""Phrases about what the engine is."""

from __future__ import annotations

import pytest

from trexreport.wording.identity import fixed_notation


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
    ],
)
def test_values_of_logs_have_no_exponent(value, shown):
    assert fixed_notation(value) == shown
