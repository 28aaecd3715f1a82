"""Check the table of flags in itself and against what trtexec's parsers answer."""

from __future__ import annotations

import re

import pytest

from trexreport.collector.flags import Stage, Support, flag_table
from trexreport.collector.versions import Version

TABLE = flag_table()


def release(version: str) -> Version:
    found = Version.parse(version)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("flag", "version", "support"),
    [
        ("fp16", "10.16.1", Support.TAKEN),
        ("fp16", "11.0.0", Support.GONE),
        ("fp16", "12.3.0", Support.GONE),
        ("bf16", "8.6.1", Support.NOT_YET),
        ("bf16", "9.0.0", Support.UNKNOWN),
        ("bf16", "9.3.0", Support.TAKEN),
        ("skipInference", "8.5.3", Support.NOT_YET),
        ("skipInference", "8.6.0", Support.TAKEN),
        ("buildOnly", "9.3.0", Support.TAKEN),
        ("buildOnly", "9.5.0", Support.UNKNOWN),
        ("buildOnly", "10.0.0", Support.GONE),
        ("onnx", "8.2.1", Support.TAKEN),
        ("onnx", "8.0.3", Support.UNKNOWN),
        ("madeUp", "10.3.0", Support.UNKNOWN),
    ],
)
def test_support(flag, version, support):
    assert TABLE.support(flag, release(version)) is support


def test_every_name_in_the_table_is_a_flag():
    known = set(TABLE.spans)
    for names in (TABLE.switches, TABLE.repeatable, TABLE.stages, TABLE.no_effect, TABLE.deprecated):
        assert set(names) <= known
    assert set(TABLE.unmeasurable) <= known
    assert set(TABLE.renamed) | set(TABLE.renamed.values()) | set(TABLE.reasons) <= known
    assert TABLE.own - known == {"h"}
    assert set(TABLE.asked) <= set(TABLE.studied)
    assert {flag for flag, _ in TABLE.value_spans} <= known
    assert {first for first, _ in TABLE.spans.values()} <= set(TABLE.studied)
    assert {last for _, last in TABLE.spans.values()} <= {*TABLE.studied, None}


def test_stages():
    assert TABLE.stages_of("fp16") == {Stage.BUILD}
    assert TABLE.stages_of("duration") == {Stage.PROFILE, Stage.TIMING}
    assert TABLE.stages_of("timeRefit") == {Stage.BUILD}  # it needs the model
    assert TABLE.stages_of("shapes") == TABLE.stages_of("madeUp") == set(Stage)


@pytest.mark.parametrize(
    ("flag", "version", "words"),
    [
        ("fp16", "11.1.0", ("trtexec 11.1", "--fp16", "AutoCast")),
        ("bf16", "8.6.1", ("trtexec 8.6", "--bf16", "9.3")),
        ("restricted", "11.0.0", ("--restricted", "Leave it out")),
    ],
)
def test_reasons_are_one_line(flag, version, words):
    why = TABLE.why_not(flag, release(version))
    assert all(word in why for word in words)
    assert "\n" not in why
    assert "  " not in why


def test_a_newer_name_makes_the_older_deprecated():
    assert not TABLE.is_deprecated("streams", release("8.5.3"))
    assert TABLE.is_deprecated("streams", release("8.6.1"))
    assert TABLE.is_deprecated("useSpinWait", release("11.0.0"))
    assert not TABLE.is_deprecated("useSpinWait", release("10.16.0"))


def test_parsers_know_the_flags_that_the_table_says(answers):
    checked = 0
    for command, by_version in answers.items():
        named = re.findall(r"--(\w+)", command)
        flags = set(named)
        if len(named) > len(flags):  # the second of two is unknown in any version
            continue
        for version, answer in by_version.items():
            unknown = set(re.findall(r"Unknown option: --(\w+)", answer.words))
            for flag in flags:
                # A parser that stops at a bad value names no unknown flag.
                if answer.verdict == "REJ" and not unknown:
                    continue
                assert TABLE.takes(flag, release(version)) == (flag not in unknown), (command, version)
                checked += 1
    assert checked > 2000


def test_parsers_know_the_values_that_the_table_says(answers):
    refusal = re.compile(
        r"Unknown (?:tactic source|preview feature|memory pool|hardwareCompatibilityLevel): (\w+)"
    )
    checked = set()
    for command, by_version in answers.items():
        named = re.findall(r"--(\w+)=(\S+)", command)
        words = [(flag, word) for flag, value in named for word in re.findall(r"\w+", value)]
        for version, answer in by_version.items():
            unknown = set(refusal.findall(answer.words))
            for flag, word in words:
                if (flag, word) not in TABLE.value_spans or (answer.verdict == "REJ" and not unknown):
                    continue
                taken = TABLE.value_support(flag, word, release(version)) is Support.TAKEN
                # The parser stops at the first word that it does not know.
                assert taken == (not unknown), (command, version)
                checked.add((flag, word))
    # The parsers were not asked for this one.
    assert checked | {("tacticSources", "CUBLAS_LT")} == set(TABLE.value_spans)


def test_parsers_warn_about_the_flags_that_the_table_says(answers):
    warning = re.compile(r"--(\w+)(?: flag)? (?:has been|is) deprecated|(Weakly-typed)")
    checked = {True: 0, False: 0}
    for command, by_version in answers.items():
        flags = set(re.findall(r"--(\w+)", command)) - {"fp16", "stronglyTyped"}
        for version, answer in by_version.items():
            if answer.verdict == "REJ" or "stronglyTyped" in command:
                continue
            warned = {flag for flag, _ in warning.findall(answer.words) if flag}
            weakly = "Weakly-typed" in answer.words
            for flag in flags - {"nvtxMode", "workspace", "profilingVerbosity"}:
                expected = flag in warned or (weakly and flag not in {"onnx", "calib"})
                assert TABLE.is_deprecated(flag, release(version)) == expected, (command, version, flag)
                checked[expected] += 1
    assert checked[True] > 20
    assert checked[False] > 1000


def test_sources_know_the_flags_that_the_table_says(flags_by_version):
    """--int8 and others are read by the safety and DLA samples too; --consistency is in every help text."""
    others = {"std", "serialized", "consistency"}
    assert len(flags_by_version) > 100
    for flag, by_version in flags_by_version.items():
        for version, known in by_version.items():
            if flag not in others and not (flag == "int8" and version.startswith("11.")):
                assert TABLE.takes(flag, release(version)) == known, (flag, version)
    assert set(TABLE.spans) == set(flags_by_version) - {"std", "serialized"}
