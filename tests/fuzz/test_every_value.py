"""Put every nasty value into every field of every file of a capture, several at a time."""

from __future__ import annotations

import json
from random import Random

import pytest
from commands import named
from nasty import as_bytes, deep_changes, shallow_changes
from targets import Bench

#: Changes in each file of a capture at once: few that one of them hides another, and few runs.
AT_ONCE = 40
AT_ONCE_IN_DETAIL = 16
AT_ONCE_NEAR_THE_TOP = 4


def documents(bench):
    return {role: json.loads(data) for role, data in bench.files.items() if role != "log"}


def feed_all(bench, at_once, commands, most=None):
    """Feed captures all of whose files are changed, until each change was in one of them."""
    changes = {
        role: deep_changes(document, Random(role), at_once, depth=1 if isinstance(document, list) else 0)
        for role, document in documents(bench).items()
    }
    turn = 0
    while changes and turn != most:
        files, change_of = {}, {}
        for role in list(changes):
            change_of[role], document = next(changes[role], (None, None))
            if change_of[role] is None:
                del changes[role]
            else:
                files[role] = as_bytes(document)
        if files:
            with named(str(change_of)):
                bench.feed_capture(files, turn, commands)
        turn += 1
    return turn


def test_every_value_in_every_field(tmp_path):
    bench = Bench(tmp_path)
    assert feed_all(bench, AT_ONCE, commands=1) > 40


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["inspector", "myelin", "trt11"])
def test_every_value_in_every_field_in_detail(tmp_path, kind):
    bench = Bench(tmp_path, kind)
    assert feed_all(bench, AT_ONCE_IN_DETAIL, commands=1) > 150


def feed_each(bench, role, changes):
    """Feed changes of one file."""
    for turn, (name, document) in enumerate(changes):
        with named(f"{name} of {role}"):
            bench.feed_capture({role: as_bytes(document)}, turn)


ROLES = [
    "graph",
    "profile",
    "timing",
    "metadata",
    "build-metadata",
    "profile-metadata",
    "gpu",
    "manifest",
    "samples",
]


@pytest.mark.parametrize("role", ROLES)
def test_every_value_in_the_place_of_the_whole(tmp_path, role):
    bench = Bench(tmp_path)
    feed_each(bench, role, list(shallow_changes(documents(bench)[role], depth=0))[::5])
    assert bench.runs > 5


@pytest.mark.slow
@pytest.mark.parametrize("role", ROLES)
def test_every_value_near_the_top(tmp_path, role):
    bench = Bench(tmp_path)
    document = documents(bench)[role]
    if isinstance(document, list):
        feed_each(bench, role, shallow_changes(document, depth=1))
    else:
        feed_each(bench, role, shallow_changes(document, depth=0))
        # Few values of an object hide the others.
        feed_each(bench, role, deep_changes(document, Random(role), AT_ONCE_NEAR_THE_TOP, depth=0, deepest=1))
    assert bench.runs > 30
