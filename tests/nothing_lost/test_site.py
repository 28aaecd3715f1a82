"""Kill the making of a site anywhere: the next run makes of it what an undisturbed one makes."""

from __future__ import annotations

import shutil
from contextlib import contextmanager

import pytest
from writers import contents, in_child, kill_at

from trexreport.site import workers

#: Between two moments of the quick test; the other takes every one.
STEP = 7


@contextmanager
def here(*_):
    yield workers.SerialWorkers()


@pytest.fixture
def captures(tmp_path, places, monkeypatch):
    # Its processes would outlive the one that is killed.
    monkeypatch.setattr(workers, "open_workers", here)
    for name in ("one", "two"):
        shutil.copytree(places["it"], tmp_path / "captures" / name)
    (tmp_path / "captures" / "two" / "m.profile.json").unlink()
    return tmp_path / "captures"


def site(captures, out):
    return ["site", str(captures), "-o", str(out), "--quiet"]


def shown(out):
    """Return the files of a site without the hidden ones that a killed run may leave."""
    return {path: data for path, data in contents(out).items() if not path.rpartition("/")[2].startswith(".")}


@pytest.mark.parametrize("step", [STEP, pytest.param(1, marks=pytest.mark.slow)])
def test_a_killed_site_is_whole_after_the_next_run(tmp_path, captures, step):
    undisturbed = tmp_path / "undisturbed"
    assert in_child(site(captures, undisturbed), lambda: None).code == 0
    wanted = contents(undisturbed)
    for deed in range(1, 1000, step):
        out = tmp_path / f"{deed}"
        ended = in_child(site(captures, out), kill_at(deed, out))
        for path, data in shown(out).items():
            assert path == "trexreport-site.json" or data == wanted[path], path
        again = in_child(site(captures, out), lambda: None)
        assert again.code == 0, again
        assert shown(out) == wanted
        if not ended.killed_by:
            return
    pytest.fail("it never came to its end")
