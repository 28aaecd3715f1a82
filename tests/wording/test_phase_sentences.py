"""Check what is written of phases."""

from __future__ import annotations

from trexreport.analyzer.analysis.phases import PhaseFacts, PhasesFacts
from trexreport.wording.phases import measure_title, phases_sentence


def facts(*phases, measure="gpu_compute", total_ms=None):
    return PhasesFacts([PhaseFacts(*phase) for phase in phases], measure, total_ms)


def test_the_total_names_the_slowest_phase():
    text = phases_sentence(
        facts(("prefill", 1, 2.0, 2.0, 25.0), ("decode", 12, 0.5, 6.0, 75.0), total_ms=8.0)
    )
    assert text.replace("\N{NO-BREAK SPACE}", " ") == (
        "2 phases take 8.00 ms by median GPU compute time and the stated counts; decode takes 6.00 ms "
        "(75.0%)."
    )


def test_a_phase_without_a_count_is_named():
    text = phases_sentence(facts(("prefill", None, 2.0, None, None), ("decode", 12, 0.5, 6.0, None)))
    assert "There is no total: how often prefill runs is not stated (--times NAME=N)." in text


def test_without_counts_the_sentence_says_how_to_state_them():
    text = phases_sentence(facts(("a", None, 2.0, None, None), ("b", None, 1.0, None, None)))
    assert "There is no total" in text
    assert "--times NAME=N" in text


def test_without_a_common_measure_nothing_is_added():
    text = phases_sentence(facts(("a", 1, None, None, None), measure=None))
    assert text == "1 phase. Some have no time, so they can't be added."


def test_different_gpus_follow():
    one = PhasesFacts([PhaseFacts("a", None, 1.0, None, None)], "layers", None, ["NVIDIA L4", "Orin"])
    assert phases_sentence(one).endswith(". The phases ran on different GPUs: NVIDIA L4, Orin.")


def test_a_measure_as_a_heading():
    assert measure_title("gpu_compute") == "Median GPU compute time"
