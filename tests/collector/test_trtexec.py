"""Check how trtexec is found and asked for its version."""

from __future__ import annotations

import os
import shlex
import sys

import pytest

from trexreport.collector.trtexec import ask_version, find_trtexec
from trexreport.collector.versions import Version
from trexreport.errors import MissingToolError, UsageError

pytestmark = pytest.mark.skipif(os.name != "posix", reason="trexreport collects on POSIX systems")


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "bin" / "trtexec"
    path.parent.mkdir()
    path.write_text("#!/bin/sh\necho hello\n")
    path.chmod(0o755)
    return path


def test_it_is_found_on_the_path(program):
    assert find_trtexec(environment={"PATH": str(program.parent)}, places=()) == (str(program),)


def test_it_is_found_where_packages_put_it(program):
    assert find_trtexec(environment={"PATH": ""}, places=("/nowhere/trtexec", str(program))) == (
        str(program),
    )


def test_the_variable_goes_before_the_path_and_the_option_before_both(program):
    environment = {"PATH": str(program.parent), "TREXREPORT_TRTEXEC": "docker run --rm 'my image' trtexec"}
    assert find_trtexec(environment=environment) == ("docker", "run", "--rm", "my image", "trtexec")
    assert find_trtexec("ssh host trtexec", environment) == ("ssh", "host", "trtexec")


def test_an_empty_variable_is_none(program):
    environment = {"PATH": str(program.parent), "TREXREPORT_TRTEXEC": " "}
    assert find_trtexec(environment=environment) == (str(program),)


@pytest.mark.parametrize(("stated", "message"), [("", "is empty"), ("a 'b", "can't be split")])
def test_a_command_that_is_none(stated, message):
    with pytest.raises(UsageError, match=message):
        find_trtexec(stated)


def test_without_one_it_is_stated_how_to_get_it():
    with pytest.raises(MissingToolError) as error:
        find_trtexec(environment={"PATH": ""}, places=())
    assert error.value.exit_code == 4
    assert "libnvinfer-bin" in error.value.hint
    assert "--trtexec" in error.value.hint


def test_it_states_its_version(double):
    double.wish("8.6.1")
    assert ask_version(double.program) == Version(8, 6, 1)


def test_the_version_is_found_without_a_gpu(double):
    double.wish("11.1.0", fails="no_gpu")
    assert ask_version(double.program) == Version(11, 1)


def test_another_program_is_not_taken_for_it(program):
    with pytest.raises(MissingToolError, match="printed nothing that trtexec prints") as error:
        ask_version((str(program),))
    assert error.value.details == ("hello",)


def test_one_that_is_not_there_or_may_not_run(program):
    program.chmod(0o644)
    for words, hint in (((str(program),), "chmod +x"), (("/nowhere/trtexec",), "libnvinfer-bin")):
        with pytest.raises(MissingToolError) as error:
            ask_version(words)
        assert hint in error.value.hint


def test_one_that_lacks_its_libraries_says_which(program):
    program.write_text(
        "#!/bin/sh\necho 'trtexec: error while loading shared libraries: libnvinfer.so.10: cannot open "
        "shared object file: No such file or directory' >&2\nexit 127\n"
    )
    with pytest.raises(MissingToolError, match=r"lacks a library: libnvinfer\.so\.10"):
        ask_version((str(program),))


def test_one_that_never_answers(program):
    program.write_text("#!/bin/sh\nexec sleep 60\n")
    with pytest.raises(MissingToolError, match=r"after 0\.5 s"):
        ask_version((str(program),), timeout_s=0.5)


def test_a_command_of_several_words(double):
    text = shlex.join(["env", "A=b", *double.program])
    assert ask_version(find_trtexec(text)) == Version(10, 16)
    assert sys.executable in text
