"""JUnit XML: valid, counted right, and well-formed whatever the names are."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from lint_runs import empty_run, hostile_texts, make_run

from trexreport.renderer.findings import FORMATS

xmlschema = pytest.importorskip("xmlschema")
SCHEMA = xmlschema.XMLSchema(Path(__file__).with_name("junit.xsd"))


def parsed(run):
    data = FORMATS["junit"](run)
    root = ET.fromstring(data)  # noqa: S314 - our own output
    SCHEMA.validate(root)
    return root


@pytest.mark.parametrize("make", [make_run, empty_run])
def test_it_is_valid(make):
    assert parsed(make()).tag == "testsuites"


def test_the_schema_would_say_no():
    root = parsed(make_run())
    root.find("testsuite/testcase/failure").set("severity", "high")
    with pytest.raises(xmlschema.XMLSchemaValidationError):
        SCHEMA.validate(root)


@given(text=hostile_texts, name=hostile_texts)
def test_it_is_valid_whatever_the_names_are(text, name):
    root = parsed(make_run(text, name))
    assert root.get("tests") == "6"
    assert not any("\n" in value for element in root.iter() for value in element.attrib.values())


def outcomes(root):
    return {
        case.get("classname")[-6:].upper(): [child.tag for child in case] for case in root.iter("testcase")
    }


def test_a_finding_fails_its_case_from_the_chosen_severity_on():
    printed, failed = ["system-out"], ["failure"]
    always = {"TRX401": ["skipped"], "TRX501": ["error"], "TRX601": ["system-out"]}
    expected = {
        "error": [failed, printed, printed],
        "warning": [failed, failed, printed],
        "info": [failed, failed, ["failure", "system-out"]],
        "never": [printed, printed, printed],
    }
    for fail_on, tags in expected.items():
        root = parsed(make_run(fail_on=fail_on))
        assert outcomes(root) == dict(zip(["TRX101", "TRX201", "TRX301"], tags, strict=True)) | always
        failures = sum(tag[0] == "failure" for tag in tags)
        assert (root.get("failures"), root.get("errors")) == (str(failures), "1")


def test_what_is_kept_quiet_is_printed_with_its_reason():
    case = parsed(make_run("Because.")).findall(".//testcase")[2]
    assert case.findtext("system-out").count("Suppressed: Because.") == 2
