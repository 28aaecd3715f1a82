"""Check that logs of any length are read in little memory."""

from __future__ import annotations

import pytest

from trexreport.collector import log_notes
from trexreport.collector.log_notes import text_of_log

TIME = "[11/21/2026-07:39:40]"


def test_verbose_lines_are_left_out(tmp_path):
    log = tmp_path / "log"
    kept = f"&&&& RUNNING\n{TIME} [I] this\n{TIME} [V] two{TIME} [E] threads\n"
    log.write_text(f"{TIME} [V] [TRT] much\n{kept}{TIME} [V] more")
    assert text_of_log(log) == kept


@pytest.mark.parametrize("count", [0, 1, 10, 20, 21, 1000])
def test_of_a_huge_log_the_beginning_and_the_end_are_kept(tmp_path, monkeypatch, count):
    monkeypatch.setattr(log_notes, "_MOST_BYTES", 50)
    lines = [f"{number:04}\n" for number in range(count)]
    (tmp_path / "log").write_text("".join(lines))
    kept = lines if count <= 20 else [*lines[:10], *lines[-10:]]
    assert text_of_log(tmp_path / "log") == "".join(kept)


def test_a_line_without_an_end_is_not_kept_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(log_notes, "_MOST_BYTES", 2**17)
    (tmp_path / "log").write_bytes(b"a" * 2**20 + b"z")
    stated = text_of_log(tmp_path / "log")
    assert len(stated) <= 2**18
    assert stated.endswith("z")


def test_what_is_no_text_is_shown_as_such(tmp_path):
    (tmp_path / "log").write_bytes(b"\xff\n")
    assert text_of_log(tmp_path / "log") == "\ufffd\n"
