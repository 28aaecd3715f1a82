"""What TRX926 says of engines that a session builds."""

from __future__ import annotations

import pytest
from case_files import run_case

from trexreport.analyzer.rules.registry import built_in_rules

RULE = next(each for each in built_in_rules() if each.code == "TRX926")


def messages(folder, **execution):
    _, outcome = run_case({"layers": ["a"], "execution": execution}, RULE, folder)
    return [place.message for finding in outcome.findings for place in finding.places]


@pytest.mark.parametrize(
    ("options", "ending"),
    [
        ({}, "the last build."),
        ({"trt_timing_cache_enable": "0"}, "the last build."),
        ({"trt_engine_cache_enable": "1", "trt_timing_cache_enable": "0"}, "the last build."),
        ({"trt_engine_cache_enable": "0"}, "It stores none of them (trt_engine_cache_enable: 0)."),
    ],
)
def test_engines_are_not_stored_where_their_cache_is_off(options, ending, tmp_path):
    (message,) = messages(tmp_path, options=options, builds=[("a", 60_000.0), ("a", 60_000.0)])
    assert message.endswith(ending)


@pytest.mark.parametrize(
    ("ms", "text"), [(0.0, "session: "), (150.0, ", in 0.30 s: "), (30_000.0, ", in 60 s: ")]
)
def test_short_builds_do_not_take_0_seconds(ms, text, tmp_path):
    (message,) = messages(tmp_path, builds=[("a", ms), ("a", ms)])
    assert text in message
