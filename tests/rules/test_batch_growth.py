"""What TRX818 states of the time of a query beside the items per second."""

from __future__ import annotations

import pytest

from trexreport.analyzer import analyze
from trexreport.reader import read_engine

FIGURE = "{}: min = {} ms, max = {} ms, mean = {} ms, median = {} ms\n"


@pytest.mark.parametrize(
    ("lines", "times", "expected"),
    [
        (("Latency", "GPU Compute Time"), ((9, 8), (20, 16)), "The latency grows from 9.00 ms to 20.0 ms."),
        (("GPU Compute Time",), ((8,), (16,)), "The GPU compute time grows from 8.00 ms to 16.0 ms."),
        # Pauses of the host are in the rate only.
        (("Latency", "GPU Compute Time"), ((9, 8), (8, 7)), ""),
    ],
)
def test_the_time_that_grows_is_named(tmp_path, lines, times, expected):
    for (batch, qps), figures in zip(((1, 100), (2, 50)), times, strict=True):
        text = "".join(FIGURE.format(line, *[ms] * 4) for line, ms in zip(lines, figures, strict=True))
        log = f"=== Performance summary ===\nThroughput: {qps} qps\n{text}"
        (tmp_path / f"net_fp16_bs{batch}.log").write_text(log)
    findings = analyze(read_engine(tmp_path)).lint.findings
    (found,) = (each for each in findings if each.code == "TRX818")
    message = found.places[0].message.replace("\N{NO-BREAK SPACE}", " ")
    assert message.partition("100.0 at 2. ")[2] == expected
