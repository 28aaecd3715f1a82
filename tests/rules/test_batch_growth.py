"""What TRX817 and TRX818 state of measurements at several batch sizes."""

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


RUN = "## {heading}\n```bash\n{summary}Throughput: {qps} qps\nGPU Compute Time: {time}\n```\n\n"
TIME = "min = {0} ms, max = {0} ms, mean = {0} ms, median = {0} ms"
SUMMARY = "=== Performance summary ===\n"


def of_page(tmp_path, runs, *, first_has_summary=True):
    """Return the messages of TRX817 and TRX818 about runs of (heading, qps) on a page."""
    text = "# Results\n\n"
    for number, (heading, qps) in enumerate(runs):
        summary = SUMMARY if number or first_has_summary else ""
        text += RUN.format(heading=heading, summary=summary, qps=qps, time=TIME.format(1000 / qps))
    (tmp_path / "README.md").write_text(text)
    findings = analyze(read_engine(tmp_path / "README.md")).lint.findings
    return [
        [place.message.replace("\N{NO-BREAK SPACE}", " ") for place in each.places]
        for code in ("TRX817", "TRX818")
        for each in findings
        if each.code == code
    ]


@pytest.mark.parametrize("first_has_summary", [True, False])
def test_batch_sizes_that_begin_again_are_of_another_engine(tmp_path, first_has_summary):
    runs = [(f"Batch size {size}", qps) for size, qps in ((1, 100), (4, 50), (8, 25))]
    slower = [(f"Batch size {size}", qps) for size, qps in ((1, 40), (4, 20), (8, 10))]
    _, places = of_page(tmp_path, [*runs, *slower], first_has_summary=first_has_summary)
    message = "From batch 4 on, more items in a batch give hardly more items/s, run"
    assert [each.partition(" The ")[0] for each in places] == [
        f"{message} 1 to run 3: 100.0 at 1, 200.0 at 4 and 200.0 at 8.",
        f"{message} 4 to run 6: 40.00 at 1, 80.00 at 4 and 80.00 at 8.",
    ]


def test_a_batch_size_that_was_measured_twice_is_named_once(tmp_path):
    runs = [(f"Batch size {size}", qps) for size, qps in ((1, 100), (4, 50), (4, 50.5), (8, 25))]
    _, places = of_page(tmp_path, runs)
    assert "100.0 at 1, 202.0 at 4 and 200.0 at 8." in places[0]
    assert len(places) == 1


def test_items_count_where_one_run_states_no_batch_size(tmp_path):
    runs = [("Batch size 1", 100), ("Batch size 4", 50), ("Resilience", 120)]
    (message,) = of_page(tmp_path, runs)[0]
    assert "Highest items/s: run 2, batch 4, 50.00 qps" in message
    assert message.endswith("(of those with a known batch size).")
