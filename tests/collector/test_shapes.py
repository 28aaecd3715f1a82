"""Check the shapes for which trtexec builds and with which it measures."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trexreport.collector.arguments import Argument, read_arguments
from trexreport.collector.commands import check_shapes, completed_shapes, measured_shapes, plan_commands
from trexreport.collector.flags import flag_table
from trexreport.collector.jobs import Job
from trexreport.collector.versions import Version
from trexreport.errors import UsageError


def read(*words: str) -> tuple[Argument, ...]:
    return read_arguments(words, flag_table())


@pytest.mark.parametrize(
    ("version", "value"),
    [
        ("8.4.3", "x:1x3x224x224"),
        ("8.4.3", "x:1x3,y:2"),
        ("8.4.3", "'x:0':1x3"),
        ("8.4.3", "x:0:1x3,y:2"),
        ("8.4.3", "'a,b':1x3,y:2"),
        ("8.4.3", "x:-1x3"),
        ("9.3.0", "x:"),
        ("10.0.1", "x:scalar,y:2"),
    ],
)
def test_shapes_that_a_version_reads_are_passed_on(version, value):
    plan = plan_commands(Job("m.onnx", "out", (f"shapes={value}",)), Version.parse(version))
    assert [f"--shapes={value}" in command.words for command in plan.commands] == [True] * 5


@pytest.mark.parametrize(
    ("version", "value", "message"),
    [
        ("10.3.0", "x:axb", '"x:axb" is not a shape'),
        ("10.3.0", "1x3x224x224", "x:1x3x224x224"),
        ("10.3.0", ":1x3", "is not a shape"),
        ("10.3.0", "x:1x3,", "is not a shape"),
        ("10.3.0", "x:1X3", "is not a shape"),
        ("10.3.0", "x':1x3", "is not a shape"),
        ("8.6.1", "x:", "It needs TensorRT 9.3."),
        ("9.3.0", "x:scalar", "It needs TensorRT 10.0."),
    ],
)
def test_shapes_that_it_does_not_read_are_refused(version, value, message):
    with pytest.raises(UsageError) as caught:
        check_shapes(Argument("minShapes", value), Version.parse(version))
    assert message in str(caught.value)
    assert "--minShapes" in str(caught.value)


@pytest.mark.parametrize("source", ["m.onnx", "e.plan"])
def test_shapes_are_checked_for_models_and_engines(source):
    with pytest.raises(UsageError, match="optShapes"):
        plan_commands(Job(source, "out", ("optShapes=x:axb",)), Version(10, 3))


def test_other_values_are_left_alone():
    check_shapes(Argument("layerPrecisions", "a:b:c"), Version(10, 3))


names = st.text(st.characters(exclude_characters="'", exclude_categories=("Cs",)), min_size=1, max_size=8)
sizes = st.lists(st.integers(-1, 9999), min_size=1, max_size=5).map(lambda each: "x".join(map(str, each)))


@given(st.lists(st.tuples(names, sizes), min_size=1, max_size=4))
def test_quoted_names_hold_anything(tensors):
    value = ",".join(f"'{name}':{size}" for name, size in tensors)
    check_shapes(Argument("shapes", value), Version(8, 4))
    with pytest.raises(UsageError):
        check_shapes(Argument("shapes", value + "'"), Version(8, 4))


@given(st.text(max_size=30))
def test_any_value_is_read_or_refused_in_one_line(value):
    message = ""
    try:
        check_shapes(Argument("shapes", value), Version(11, 1))
    except UsageError as error:
        message = str(error)
    assert message.isprintable()
    assert message or ":" in value


@pytest.mark.parametrize(
    ("version", "words", "added"),
    [
        ("8.4.3", ["minShapes=x:1", "maxShapes=x:8"], ["--optShapes=x:8"]),
        ("8.4.3", ["minShapes=x:1"], ["--optShapes=x:1", "--maxShapes=x:1"]),
        ("8.4.3", ["optShapes=x:4", "maxShapes=x:8"], ["--minShapes=x:4"]),
        ("8.4.3", ["optShapes=x:4"], []),
        ("8.4.3", ["minShapes=x:1", "optShapes=x:4", "maxShapes=x:8"], []),
        ("8.5.3", ["minShapes=x:1"], []),
        ("8.4.3", ["shapes=x:1"], []),
    ],
)
def test_ranges_are_completed_where_trtexec_does_not(version, words, added):
    arguments = read(*words)
    found = completed_shapes(arguments, Version.parse(version))
    assert [str(each) for each in found] == [*(str(each) for each in arguments), *added]


@pytest.mark.parametrize(
    ("words", "measured"),
    [
        ([], None),
        (["shapes=x:2", "optShapes=x:4"], "--shapes=x:2"),
        (["minShapes=x:1", "optShapes=x:4", "maxShapes=x:8"], "--shapes=x:4"),
        (["minShapes=x:1", "maxShapes=x:8"], "--shapes=x:8"),
        (["minShapes=x:1"], "--shapes=x:1"),
        (["profile=0", "optShapes=x:4", "profile=1", "optShapes=x:5"], "--shapes=x:4"),
        (["profile=0", "optShapes=x:4", "profile=1", "optShapes=x:5", "useProfile=1"], "--shapes=x:5"),
        (["profile=1", "optShapes=x:5"], None),
    ],
)
def test_an_engine_is_measured_with_the_optimum(words, measured):
    found = measured_shapes(read(*words))
    assert (None if found is None else str(found)) == measured
