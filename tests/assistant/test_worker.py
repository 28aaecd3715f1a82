"""The process that answers is begun when it is asked, ended when it takes too long, and begun again."""

from __future__ import annotations

import threading

import pytest

from trexreport.assistant import worker as module
from trexreport.assistant.worker import Worker, _result
from trexreport.errors import InputError, ToolFailedError
from trexreport.pipeline.settings import Settings
from trexreport.resources import resource_folder


class Broken:
    def answer(self, _tool, arguments):
        raise arguments["error"]


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (InputError("a\nb " + "x" * 900), "a"),
        (MemoryError(), "more memory than there is"),
        (KeyError("secret"), "summary failed unexpectedly (KeyError)"),
    ],
)
def test_every_error_is_one_short_line(error, text):
    is_answer, found = _result(Broken(), "summary", {"error": error})
    assert not is_answer
    assert text in found
    assert "\n" not in found
    assert "secret" not in found
    assert len(found) <= 500


@pytest.mark.slow
def test_a_process_answers_many_at_once_and_survives_what_is_wrong():
    worker = Worker([str(resource_folder("samples"))], Settings())
    try:
        found = []
        ask = {"capture": "samples/resnet18-int8-before", "max_tokens": 400}
        threads = [
            threading.Thread(target=lambda: found.append(worker.answer("summary", ask))) for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(found) == 8
        assert len(set(found)) == 1
        with pytest.raises(InputError, match="does not exist"):
            worker.answer("summary", {"capture": "samples/x", "max_tokens": 400})
        worker._process.kill()
        worker._process.join()
        assert worker.answer("summary", ask) == found[0]
    finally:
        worker.close()


@pytest.mark.slow
def test_an_answer_that_takes_too_long_is_ended():
    worker = Worker([str(resource_folder("samples"))], Settings(), time_limit_s=0.0)
    try:
        with pytest.raises(ToolFailedError, match="took more than 0 s"):
            worker.answer("list_captures", {"part": "", "max_tokens": 400})
        assert worker._process is None
    finally:
        worker.close()


def test_too_many_questions_are_refused(monkeypatch):
    monkeypatch.setattr(module, "MAX_WAITING", 0)
    worker = Worker([str(resource_folder("samples"))], Settings())
    with pytest.raises(ToolFailedError, match="questions wait"):
        worker.answer("list_captures", {})
