"""The summary of a step: what fits is appended, and nothing that would make GitHub drop all of it."""

from __future__ import annotations

import pytest

from trexreport.step_summary import MAX_BYTES, append_step_summary


def filled(max_bytes):
    return b"x" * max(max_bytes, 1)


def test_it_appends_and_keeps_what_is_there(tmp_path):
    path = tmp_path / "summary"
    assert append_step_summary(path, lambda _: b"one\n") == ""
    assert append_step_summary(path, lambda _: b"two\n") == ""
    assert path.read_bytes() == b"one\n\ntwo\n"


@pytest.mark.parametrize("written", [0, 1, MAX_BYTES // 2, MAX_BYTES - 2])
def test_the_file_never_grows_beyond_what_github_takes(tmp_path, written):
    path = tmp_path / "summary"
    path.write_bytes(b"a" * written)
    assert append_step_summary(path, filled) == ""
    assert path.stat().st_size == MAX_BYTES


@pytest.mark.parametrize("written", [MAX_BYTES - 1, MAX_BYTES, MAX_BYTES + 1])
def test_a_full_summary_is_left_as_it_is_and_stated_to_be_full(tmp_path, written):
    path = tmp_path / "summary"
    path.write_bytes(b"a" * written)
    assert append_step_summary(path, filled) == "The summary of this step is full; nothing was added to it."
    assert path.read_bytes() == b"a" * written


@pytest.mark.parametrize("name", ["missing/summary", ".", "a\0b", "n" * 300])
def test_what_can_not_be_written_is_one_line(tmp_path, name):
    message = append_step_summary(f"{tmp_path}/{name}", filled)
    assert message.startswith("The summary of this step can't be written: ")
    assert "\n" not in message
