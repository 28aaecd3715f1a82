"""Reports that go with a mail: in which order they become smaller and go, and that it is stated."""

from __future__ import annotations

import importlib

import pytest

from trexreport.analyzer import analyze
from trexreport.errors import UsageError
from trexreport.reader import read_engine
from trexreport.reader.report_file import read_report
from trexreport.renderer.attachments import KINDS, Attachment, fit_attachments
from trexreport.renderer.html_options import HtmlOptions
from trexreport.renderer.variants import Variant, report_variants
from trexreport.resources import resource_folder

SAMPLE = resource_folder("samples") / "resnet18-int8-before"


def attachment(kind, *sizes):
    """Return one whose variants have these sizes; what is left out is called by the size that is left."""
    return Attachment(
        kind,
        tuple(
            Variant(f"more than {size}" if at else "", lambda _, size=size: bytes(size))
            for at, size in enumerate(sizes)
        ),
    )


def fitted(attachments, most_bytes):
    def build(attached):
        files = {kind: len(content) for kind, content in attached.files.items()}
        return (files, attached.left_out.partition(": ")[2]), 1 + sum(files.values())

    return fit_attachments(attachments, most_bytes, build)


def test_what_is_missed_least_goes_first():
    attachments = [
        attachment("pdf", 50, 30),
        attachment("html", 100, 90, 80),
        attachment("md", 5),
        attachment("json", 99),
    ]
    found, most = [], 10_000
    while most:
        try:
            files, left_out = fitted(attachments, most)
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
    assert fitted([attachment("html", 100, 90)], None) == ({"html": 100}, "")
    assert fitted([], None) == ({}, "")


def test_a_letter_that_is_too_large_alone():
    with pytest.raises(UsageError, match=r"The mail has 1\sB even without any report\."):
        fitted([attachment("pdf", 5)], 0)


def test_a_variant_is_rendered_only_once():
    made = []
    counted = Attachment("pdf", (Variant("", lambda _: made.append(1) or b"pdf"),))
    fitted([counted, attachment("html", 100, 90, 80), attachment("json", 7)], 84)
    assert made == [1]


def test_reports_say_what_was_left_out_of_them():
    engine = read_engine(SAMPLE)
    variants = report_variants("html", analyze(engine), engine.sources, HtmlOptions(interactive_charts=False))
    whole, few, bare = (each.render("Left out here: it." if each.left_out else "") for each in variants)
    assert len(whole) > len(few) > len(bare)
    assert read_report(few, "x").sources == engine.sources
    assert b"Left out here" not in whole
    for made in (few, bare):
        assert b"Left out here: it." in made


def test_kinds_are_those_that_the_command_knows():
    assert importlib.import_module("trexreport.cli.mail")._KINDS == KINDS
