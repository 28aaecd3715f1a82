"""Samples of the GPU's state."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trexreport.errors import InputError
from trexreport.model import GpuPhase, GpuProcess
from trexreport.reader import read_engine
from trexreport.reader.gpu_file import read_gpu_samples

DOCUMENT = {
    "schema": "trexreport-gpu-samples",
    "schema_version": 1,
    "gpu": {"name": "NVIDIA L4", "power_limit_w": 72, "index": None},
    "locked_sm_clock": "sustained",
    "set_power_limit_w": 60,
    "phases": [{"name": "timing", "begin_s": 0, "end_s": 0.3}],
    "other_processes": [{"pid": 12, "program": None, "memory_bytes": 1024}],
    "samples": {
        "time_s": [0, 0.1, 0.2],
        "sm_clock_mhz": [1500, None, 1400],
        "power_w": [70.5, 71, 72],
        "throttle_reasons": [0, 4, None],
    },
}


def read(document):
    samples, notes = read_gpu_samples(
        document if isinstance(document, str) else json.dumps(document), "x.gpu.json"
    )
    return samples, [note.slug for note in notes]


def test_every_part_is_read():
    samples, slugs = read(DOCUMENT)
    assert slugs == []
    assert samples.time_s == (0, 0.1, 0.2)
    assert samples.sm_clock_mhz == (1500, None, 1400)
    assert samples.throttle_reasons == (0, 4, None)
    assert samples.temperature_c == (None, None, None), "a quantity that is not there is not known"
    assert samples.phases == (GpuPhase("timing", 0, 0.3),)
    assert samples.other_processes == (GpuProcess(12, "", 1024),)
    assert (samples.locked_sm_clock, samples.set_power_limit_w) == ("sustained", 60)
    assert samples.facts == {"name": "NVIDIA L4", "power_limit_w": 72, "index": None}


def test_rows_without_a_later_time_are_left_out_and_counted():
    table = {"time_s": [0, "x", 0.2, 0.1, None, 0.3], "power_w": [1, 2, 3, 4, 5]}
    samples, slugs = read({"samples": table})
    assert samples.time_s == (0, 0.2, 0.3)
    assert samples.power_w == (1, 3, None)
    assert slugs == ["gpu-samples"]


@pytest.mark.parametrize(("clock", "known"), [(1.41, None), (7, 7), (1410, 1410), (1.41e6, None)])
def test_a_clock_in_another_unit_is_refused(clock, known):
    samples, slugs = read({"samples": {"time_s": [0, 1], "sm_clock_mhz": [1400, clock]}})
    assert samples.sm_clock_mhz == (1400, known)
    assert slugs == ([] if known else ["impossible-values"])


@pytest.mark.parametrize("document", [{}, [], {"samples": {}}, {"samples": {"time_s": 3}}, "{"])
def test_what_holds_no_samples_is_an_error(document):
    with pytest.raises(InputError, match=r"x\.gpu\.json"):
        read(document)


def test_a_later_form_is_not_guessed_at():
    with pytest.raises(InputError, match="later trexreport"):
        read({**DOCUMENT, "schema_version": 2})


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=10,
)


@given(
    st.fixed_dictionaries(
        {
            "samples": st.fixed_dictionaries(
                {"time_s": st.lists(JSON | st.integers(0, 9))}, optional={"power_w": JSON}
            )
        },
        optional=dict.fromkeys(("gpu", "phases", "other_processes", "locked_sm_clock"), JSON),
    )
)
def test_columns_are_always_of_one_length_and_finite(document):
    samples, _ = read(document)
    assert len(samples.power_w) == len(samples.throttle_reasons) == len(samples.time_s)
    assert all(a < b for a, b in zip(samples.time_s, samples.time_s[1:], strict=False))
    assert all(each is None or math.isfinite(each) for each in samples.power_w)


def test_the_file_belongs_to_its_capture(capture):
    folder = capture(graph={"Layers": [{"Name": "a"}]}, timing=[{"latencyMs": 1.0}], gpu=DOCUMENT)
    engine = read_engine(folder)
    assert engine.gpu is not None
    assert len(engine.gpu) == 3
    assert [source.role for source in engine.sources] == ["graph", "timing", "gpu"]


def test_it_is_known_by_its_content(tmp_path):
    (tmp_path / "watch.json").write_text(json.dumps(DOCUMENT))
    (tmp_path / "times.json").write_text('[{"latencyMs": 1.0}]')
    assert read_engine(tmp_path).gpu is not None


def test_damage_in_it_is_noted_and_the_rest_is_shown(capture):
    folder = capture(graph={"Layers": [{"Name": "a"}]}, timing=[{"latencyMs": 1.0}], gpu="nothing")
    engine = read_engine(folder)
    assert engine.gpu is None
    assert "file-left-out" in [note.slug for note in engine.notes]


@pytest.mark.parametrize(
    ("times", "phase", "is_kept"),
    [
        ([0, 0.1, 2.9], (0.2, 2.6), False),
        ([0, 1000, 2000], (0.2, 2.6), False),  # In ms.
        ([0, 1, 2], (500, 502), False),
        ([0, 1, 2], (1.2, 1.4), True),
        ([0, 1, 2], (0.5, 1.6), True),
        ([], (0.2, 2.6), True),  # Of the watch nothing is left that they could be compared with.
    ],
)
def test_phases_that_last_have_samples(times, phase, is_kept):
    phases = [{"name": "timing", "begin_s": phase[0], "end_s": phase[1]}]
    samples, slugs = read({**DOCUMENT, "phases": phases, "samples": {"time_s": times}})
    assert bool(samples.phases) == is_kept
    assert ("impossible-values" in slugs) != is_kept
