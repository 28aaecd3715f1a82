"""Check how a user's words for trtexec are read, and what is refused before anything runs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trexreport.collector.arguments import Argument, check_arguments, notes_on, read_arguments
from trexreport.collector.flags import Support, flag_table
from trexreport.collector.versions import Version
from trexreport.errors import UsageError

TABLE = flag_table()


def read(*words: str) -> list[str]:
    return [str(argument) for argument in read_arguments(words, TABLE)]


def refusal(version: str, *words: str) -> str:
    found = Version.parse(version)
    assert found is not None
    with pytest.raises(UsageError) as caught:
        check_arguments(read_arguments(words, TABLE), found, TABLE)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("words", "flags"),
    [
        (["int8", "fp16", "shapes=x:32x3x224x224"], ["--int8", "--fp16", "--shapes=x:32x3x224x224"]),
        (["--int8", "--", "--shapes=x:1"], ["--int8", "--shapes=x:1"]),
        (["--shapes", "x:1x3", "fp16"], ["--shapes=x:1x3", "--fp16"]),
        (["duration", "-1"], ["--duration=-1"]),
        (["--plugins", "/a b/p.so", "plugins=q=r.so"], ["--plugins=/a b/p.so", "--plugins=q=r.so"]),
        (["-v", "--verbose=1"], ["--verbose", "--verbose"]),
        (["--newFlag", "--other=a b"], ["--newFlag", "--other=a b"]),
        (["newFlag=3"], ["--newFlag=3"]),
        (["refitFromOnnx=m.onnx"], ["--refitFromOnnx=m.onnx"]),
        (["--saveAllDebugTensors=numpy"], ["--saveAllDebugTensors=numpy"]),
        (["int8=1"], ["--int8"]),
        (["", "--memPoolSize=workspace:1,dlaSRAM:2"], ["--memPoolSize=workspace:1,dlaSRAM:2"]),
    ],
)
def test_words_become_flags(words, flags):
    assert read(*words) == flags


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["fp61"], "Did you mean fp16?"),
        (["model.onnx"], "not a flag of trtexec"),
        (["x:1x3"], "not a flag of trtexec"),
        (["--shapes"], "--shapes lacks its value"),
        (["--duration", "--fp16"], "--duration lacks its value"),
        (["fp16=0"], "switches it on"),
        (["--int8=False"], "switches it on"),
        (["--int8=calib.bin"], "--int8 takes no value"),
        (["--\x1b[31m"], "␛"),
    ],
)
def test_words_that_are_no_flags_are_refused(words, message):
    with pytest.raises(UsageError) as caught:
        read(*words)
    assert message in str(caught.value)
    assert "\x1b" not in str(caught.value)


known = st.sampled_from(sorted(TABLE.spans))
values = st.text(st.characters(min_codepoint=33, max_codepoint=0x2FF), min_size=1, max_size=12)


@st.composite
def arguments(draw):
    name = draw(known)
    return Argument(name, draw(values) if TABLE.takes_value(name) else None)


@given(st.lists(arguments(), max_size=6), st.booleans())
def test_dashes_make_no_difference(given_arguments, dashes):
    words = [str(each) if dashes else str(each).removeprefix("--") for each in given_arguments]
    assert list(read_arguments(words, TABLE)) == given_arguments


@given(st.lists(arguments().filter(lambda each: each.value is not None), max_size=4))
def test_a_value_may_be_a_word_of_its_own(given_arguments):
    given_arguments = [
        each
        for each in given_arguments
        if not each.value.startswith("-") and each.value.partition("=")[0] not in TABLE.spans
    ]
    words = [word for each in given_arguments for word in (f"--{each.name}", each.value)]
    assert list(read_arguments(words, TABLE)) == given_arguments


@given(st.lists(st.text(max_size=15) | st.sampled_from(["--int8", "--shapes=x:1", "--best"]), max_size=3))
def test_any_words_are_read_or_refused_in_one_line(words):
    found, message = (), ""
    try:
        found = read_arguments(words, TABLE)
    except UsageError as error:
        message = str(error)
    assert message.isprintable()
    assert all(str(each).startswith("--") for each in found)


def test_precisions_are_explained_together():
    message = refusal("11.1.0", "fp16", "--int8", "--calib=c.cache")
    assert "trtexec 11.1 no longer takes --fp16 and --int8." in message
    assert "--calib" in message
    assert message.count("strongly typed") == 1


@pytest.mark.parametrize(
    ("version", "words", "message"),
    [
        ("8.6.1", ["bf16"], "trtexec 8.6 does not take --bf16 yet; 9.3 does."),
        ("10.3.0", ["minTiming=1"], "Use --avgTiming."),
        ("10.3.0", ["batch=4"], "--optShapes"),
        ("10.3.0", ["onnx=m.onnx"], "Give the model"),
        ("10.3.0", ["--help"], "trtexec --help"),
        ("10.3.0", ["--exportTimes=a"], "set for each run"),
        ("11.0.0", ["tacticSources=-CUDNN,+CUBLAS"], "no longer knows CUDNN in --tacticSources"),
        (
            "8.4.3",
            ["tacticSources=+JIT_CONVOLUTIONS"],
            "does not know JIT_CONVOLUTIONS in --tacticSources yet",
        ),
        ("9.3.0", ["memPoolSize=workspace:1,tacticSharedMem:1"], "tacticSharedMem"),
        ("10.3.0", ["fp16", "--fp16"], "--fp16 is given twice"),
        ("10.3.0", ["duration=3", "duration=5"], "--duration is given twice: --duration=3 and --duration=5"),
        ("10.3.0", ["profile=0", "optShapes=x:1", "optShapes=x:2"], "--optShapes is given twice"),
    ],
)
def test_refusals(version, words, message):
    assert message in refusal(version, *words)


@pytest.mark.parametrize(
    ("version", "words"),
    [
        ("10.3.0", ["plugins=a.so", "plugins=b.so"]),
        ("10.3.0", ["profile=0", "optShapes=x:1", "profile=1", "optShapes=x:2"]),
        ("9.0.0", ["--bf16"]),  # between two versions that are known: trtexec decides
        ("11.4.0", ["--madeUp=1"]),
        ("10.10.0", ["preview=+runtimeActivationResize"]),
        ("11.1.0", ["tacticSources=-EDGE_MASK_CONVOLUTIONS,+JIT_CONVOLUTIONS"]),
    ],
)
def test_what_trtexec_may_take_is_not_refused(version, words):
    check_arguments(read_arguments(words, TABLE), Version.parse(version), TABLE)


def test_notes_name_what_is_unknown_or_warned_of():
    notes = list(notes_on(read_arguments(["--fp61", "--fp16", "--refit"], TABLE), Version(10, 16), TABLE))
    assert len(notes) == 2
    assert "--fp61 is not known" in notes[0]
    assert "Did you mean fp16?" in notes[0]
    assert "takes --fp16 with a warning" in notes[1]


@given(known, st.sampled_from(TABLE.studied))
def test_a_flag_is_refused_if_the_version_lacks_it(name, release):
    version = Version(*release)
    argument = Argument(name, "1" if TABLE.takes_value(name) else None)
    if name == "refPair" and TABLE.takes(name, version):
        assert "two pairs" in refusal(str(version), str(argument))
    elif (
        name in {*TABLE.own, *TABLE.unmeasurable, *TABLE.refused}
        or TABLE.support(name, version) is not Support.TAKEN
    ):
        assert f"--{name}" in refusal(str(version), str(argument))
    else:
        check_arguments([argument], version, TABLE)
