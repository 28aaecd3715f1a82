"""What a program that failed prints in place of measurements, and what TensorRT warns it of."""

from __future__ import annotations

import pytest

from trexreport.reader.trtexec_log import read_trtexec_log

ERROR = "[01/04/2026-14:04:20] [TRT] [E] CaffeParser: Could not open file net.prototxt\n"
SUMMARY = (
    "[01/04/2026-14:04:20] [I] === Performance summary ===\n[01/04/2026-14:04:20] [I] Throughput: 5 qps\n"
)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (f"{ERROR}Average time of only GPU: 0\nAverage time of both: 0.00 ms\n", "2 averages of 0"),
        (f"{ERROR}Average latency: 0\n", "1 average of 0"),
        (f"{ERROR}Average time: 0.5 ms\n", None),
        (f"{ERROR}Average number: 0\n", None),
        # trtexec measured the run itself.
        (f"{SUMMARY}Average time of copies: 0\n", None),
    ],
)
def test_averages_of_0_are_no_measurements(text, count):
    notes = [each for each in read_trtexec_log(text, "a.log").notes if each.slug == "log-zero-averages"]
    assert len(notes) == (count is not None)
    assert all(each.message.replace("\N{NO-BREAK SPACE}", " ").startswith(count or "") for each in notes)


def test_an_implicit_batch_is_noted():
    line = "[01/04/2026-14:04:20] [TRT] [W] The implicit batch dimension mode has been deprecated. Please …\n"
    slugs = [[each.slug for each in read_trtexec_log(text, "a.log").notes] for text in (line + ERROR, ERROR)]
    assert ["log-implicit-batch" in each for each in slugs] == [True, False]
