"""Reports that go with a mail: in which order they become smaller and go, and that it is said."""

from __future__ import annotations

import importlib

import pytest

from trexreport.analyzer import analyze
from trexreport.errors import UsageError
from trexreport.reader import read_engine
from trexreport.reader.report_file import read_report
from trexreport.renderer.mail.enclosures import (
    KINDS,
    Enclosure,
    Form,
    fit_enclosures,
    report_enclosures,
)
from trexreport.resources import resource_folder

SAMPLE = resource_folder("samples") / "resnet18-int8-before"


def enclosure(kind, *sizes):
    """Return one whose forms have these sizes; what is left out is called by the size that is left."""
    return Enclosure(
        kind,
        tuple(
            Form(f"more than {size}" if at else "", lambda _, size=size: bytes(size))
            for at, size in enumerate(sizes)
        ),
    )


def fitted(enclosures, most_bytes):
    def build(enclosed):
        files = {kind: len(content) for kind, content in enclosed.files.items()}
        return (files, enclosed.left_out.partition(": ")[2]), 1 + sum(files.values())

    return fit_enclosures(enclosures, most_bytes, build)


def test_what_is_missed_least_goes_first():
    enclosures = [
        enclosure("pdf", 50, 30),
        enclosure("html", 100, 90, 80),
        enclosure("md", 5),
        enclosure("json", 99),
    ]
    found, most = [], 10_000
    while most:
        try:
            files, left_out = fitted(enclosures, most)
        except UsageError:
            break
        found.append((list(files.values()), left_out))
        most = sum(files.values())
    assert found == [
        ([50, 100, 5, 99], ""),
        ([50, 100, 5], "the JSON."),
        ([50, 90, 5], "the JSON; of the HTML more than 90."),
        ([50, 80, 5], "the JSON; of the HTML more than 90, more than 80."),
        ([50, 5], "the HTML, the JSON."),
        ([30, 5], "the HTML, the JSON; of the PDF more than 30."),
        ([5], "the PDF, the HTML, the JSON."),
        ([], "the PDF, the HTML, the Markdown, the JSON."),
    ]


def test_nothing_is_left_out_unasked():
    assert fitted([enclosure("html", 100, 90)], None) == ({"html": 100}, "")
    assert fitted([], None) == ({}, "")


def test_a_letter_that_is_too_large_alone():
    with pytest.raises(UsageError, match=r"The mail has 1\sB even without any report\."):
        fitted([enclosure("pdf", 5)], 0)


def test_a_form_is_made_once_only():
    made = []
    counted = Enclosure("pdf", (Form("", lambda _: made.append(1) or b"pdf"),))
    fitted([counted, enclosure("html", 100, 90, 80), enclosure("json", 7)], 84)
    assert made == [1]


def test_reports_say_what_was_left_out_of_them():
    engine = read_engine(SAMPLE)
    (page,) = report_enclosures(analyze(engine), engine.sources, ["html"])
    whole, few, bare = (form.render("Left out here: it." if form.left_out else "") for form in page.forms)
    assert len(whole) > len(few) > len(bare)
    assert read_report(few, "x").sources == engine.sources
    assert b"Left out here" not in whole
    for made in (few, bare):
        assert b"Left out here: it." in made


def test_kinds_are_those_that_the_command_knows():
    assert importlib.import_module("trexreport.cli.mail")._KINDS == KINDS
