"""Steps in the times of runs: which run made it slower, and which was slow only once."""

from __future__ import annotations

from statistics import median

from hypothesis import given
from hypothesis import strategies as st

from trexreport.site.steps import LEVEL_RUNS, find_steps


def marks_of(times, effect=1.05):
    """What runs are, for a judge that knows no noise."""

    def judge(level, run):
        ratio = times[run] / median(times[at] for at in level)
        return "slower" if ratio >= effect else "faster" if ratio <= 1 / effect else ""

    return find_steps([time is not None for time in times], judge)


def kinds(times):
    return [f"{mark.kind} {mark.direction}".strip() for mark in marks_of(times)]


def test_a_step_is_at_the_run_that_made_it():
    assert kinds([10, 10, 10, 12, 12, 12]) == ["first", "level", "level", "step slower", "level", "level"]
    assert kinds([10, 10, 8, 8]) == ["first", "level", "step faster", "level"]


def test_one_slow_run_is_no_step():
    assert kinds([10, 10, 12, 10, 10]) == ["first", "level", "once slower", "level", "level"]


def test_the_last_run_is_yet_to_be_confirmed():
    assert kinds([10, 10, 12]) == ["first", "level", "open slower"]


def test_a_slow_run_before_a_fast_one_is_slow_once():
    assert kinds([10, 10, 12, 8, 8]) == ["first", "level", "once slower", "step faster", "level"]


def test_two_steps_in_a_row_are_two():
    assert kinds([10, 12, 14.5, 14.5]) == ["first", "step slower", "step slower", "level"]


def test_small_changes_that_add_up_are_found():
    times = [10 * 1.01**run for run in range(20)]
    assert "step slower" in kinds(times)


def test_runs_without_a_time_are_passed_over():
    assert kinds([None, 10, None, 12, None, 12]) == [
        "unmeasured",
        "first",
        "unmeasured",
        "step slower",
        "unmeasured",
        "level",
    ]


def test_a_run_is_compared_with_the_first_runs_of_its_level():
    marks = marks_of([10] * 8 + [12, 12, 12])
    assert marks[7].level == tuple(range(LEVEL_RUNS))
    assert marks[8].level == tuple(range(LEVEL_RUNS))
    assert marks[10].level == (8, 9)


@given(st.lists(st.none() | st.sampled_from([10.0, 10.1, 12.0, 14.5, 8.0]), max_size=30))
def test_marks_make_sense_for_any_times(times):
    marks = marks_of(times)
    assert len(marks) == len(times)
    measured = [at for at, time in enumerate(times) if time is not None]
    assert [at for at, mark in enumerate(marks) if mark.kind != "unmeasured"] == measured
    assert [mark.kind == "first" for mark in marks].count(True) == min(1, len(measured))
    for at, mark in enumerate(marks):
        assert bool(mark.direction) == (mark.kind in {"step", "open", "once"})
        assert all(level < at and times[level] is not None for level in mark.level)
        assert len(mark.level) <= LEVEL_RUNS
        # Only the next run can say that one before it was no accident.
        assert mark.kind != "open" or at == measured[-1]
        assert mark.kind != "step" or at != measured[-1]


@given(st.lists(st.sampled_from([10.0, 12.0]), min_size=1, max_size=20))
def test_turning_times_round_turns_the_marks_round(times):
    other = {"slower": "faster", "faster": "slower", "": ""}
    turned = marks_of([120 / time for time in times])
    assert [(mark.kind, other[mark.direction]) for mark in turned] == [
        (mark.kind, mark.direction) for mark in marks_of(times)
    ]
