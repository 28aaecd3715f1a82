"""Workflow commands: one line each, which says exactly what was meant."""

from __future__ import annotations

import re

from hypothesis import given
from lint_runs import empty_run, hostile_texts, make_run

from trexreport.renderer.findings import FORMATS
from trexreport.visible import one_line

render_github = FORMATS["github"]
COMMAND = re.compile(r"::(error|warning|notice) title=([^:,]*)::([^\r\n]*)")


def decoded(text):
    for code, character in (("%3A", ":"), ("%2C", ","), ("%0D", "\r"), ("%0A", "\n"), ("%25", "%")):
        text = text.replace(code, character)
    return text


def commands(run):
    first, *lines = render_github(run).decode().removesuffix("\n").split("\n")
    assert not first.startswith("::")
    return [COMMAND.fullmatch(line).groups() for line in lines]


def test_each_finding_and_each_defect_is_a_command():
    found = [(kind, decoded(title)) for kind, title, _ in commands(make_run())]
    assert found == [
        ("error", "TRX101 family1.trx101"),
        ("warning", "TRX201 family2.trx201"),
        ("notice", "TRX301 family3.trx301"),
        ("warning", "TRX501 is broken"),
        ("warning", "trexreport"),
    ]


@given(text=hostile_texts, name=hostile_texts)
def test_no_name_becomes_a_command(text, name):
    assert len(commands(make_run(text, name))) == 5
    assert "\r" not in render_github(make_run(text, name)).decode()


@given(hostile_texts)
def test_messages_arrive_as_they_were(text):
    *_, (_, _, message) = commands(make_run(text))
    assert decoded(message) == one_line(text)


def test_a_percent_sign_in_a_text_is_no_code():
    *_, (_, _, message) = commands(make_run("100%0A"))
    assert message == "100%250A"


def test_nothing_found_is_stated():
    assert b"No findings" in render_github(empty_run())
