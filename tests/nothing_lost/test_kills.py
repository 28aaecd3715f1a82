"""Kill every command that writes between any two things that it does to files, and amid writing."""

from __future__ import annotations

import os
import re
import resource
import signal

import pytest
from writers import OLD, WRITERS, command, contents, in_child, is_whole, kill_at, put_old

#: What a killed command may leave beside its result; nothing reads it, and it can be removed.
TEMPORARY = re.compile(r"(?:.*/)?\.[^/]*\.tmp")


def check(out, new):
    """Each file is the old or the whole new one."""
    for path, data in contents(out).items():
        if not TEMPORARY.fullmatch(path):
            assert data == OLD or is_whole(path, data, new), (path, data[:80])


@pytest.mark.parametrize("name", WRITERS)
def test_killed_before_anything_that_it_does(tmp_path, places, whole, name):
    new, survived = whole(name), 0
    for deed in range(1, 60):
        out = tmp_path / f"{deed}"
        put_old(name, out)
        ended = in_child(command(name, out, **places), kill_at(deed, out))
        check(out, new)
        if not ended.killed_by:
            assert ended.code in (0, 1), ended
            assert not [path for path in contents(out) if TEMPORARY.fullmatch(path)]
            break
        survived += 1
    else:
        pytest.fail("it never came to its end")
    assert survived >= 3


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("part", [0.0, 0.6])
def test_killed_amid_writing(tmp_path, places, whole, name, part):
    new = whole(name)
    largest = max(len(data) for data in new.values())

    def die_when_it_is_too_large():
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(part * largest), resource.RLIM_INFINITY))

    out = tmp_path / "out"
    put_old(name, out)
    ended = in_child(command(name, out, **places), die_when_it_is_too_large)
    # What it says may be the first that is too much.
    assert ended.killed_by == signal.SIGXFSZ
    check(out, new)


def test_an_interrupted_command_leaves_nothing(tmp_path, places):
    """A command that may still act removes what it has begun."""

    def interrupted():
        kept = os.fsync

        def fsync(descriptor):
            os.kill(os.getpid(), signal.SIGINT)
            kept(descriptor)

        os.fsync = fsync
        signal.signal(signal.SIGINT, signal.default_int_handler)

    out = tmp_path / "out"
    put_old("report", out)
    ended = in_child(command("report", out, **places), interrupted)
    assert ended.code == 130, ended
    assert contents(out) == {"r.html": OLD}
    assert "Traceback" not in ended.stated
