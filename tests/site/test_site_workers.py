"""Who does the jobs: this process, others, or a real Dask cluster."""

from __future__ import annotations

import multiprocessing.connection
import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from unittest import mock

import pytest
from site_captures import build, files_of, write_history
from waiting import HANG_S

from trexreport.errors import MissingToolError, ToolFailedError
from trexreport.site import workers as module
from trexreport.site.workers import Processes, SerialWorkers, open_workers


def square(number):
    if number == 3:
        raise ValueError("three")
    return number * number


def square_or_die(number):
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


def outcomes(workers, function, count=8):
    found = dict(workers.run(function, ((number, (number,)) for number in range(count))))
    return {key: value if isinstance(value, int) else type(value).__name__ for key, value in found.items()}


EXPECTED = {number: number * number for number in range(8)} | {3: "ValueError"}


def test_an_exception_is_the_outcome_of_its_job_alone():
    assert outcomes(SerialWorkers(), square) == EXPECTED
    with open_workers(2) as workers:
        assert outcomes(workers, square) == EXPECTED


def test_one_job_means_this_process():
    with open_workers(1) as workers:
        assert isinstance(workers, SerialWorkers)


def test_a_process_that_is_killed_costs_only_its_own_job():
    pool = Processes(2)
    try:
        assert outcomes(pool, square_or_die) == EXPECTED | {3: "ToolFailedError"}
        assert outcomes(pool, square) == EXPECTED
    finally:
        pool.close()


def test_jobs_are_taken_as_they_are_needed():
    taken = []

    def tasks():
        for number in range(100):
            taken.append(number)
            yield number, (number,)

    with open_workers(2) as workers:
        results = workers.run(square, tasks())
        next(results)
        assert len(taken) < 20
        assert len(list(results)) == 99


def finish(path, wait_s):
    time.sleep(wait_s)
    path.touch()
    return 1


#: No test waits for it, unless it fails: then it ends after all.
_LONG_S = 2 * HANG_S


def test_an_interruption_waits_for_no_job(tmp_path):
    slow = tmp_path / "slow"
    with pytest.raises(KeyboardInterrupt), open_workers(2) as workers:  # noqa: PT012
        next(workers.run(finish, [("slow", (slow, _LONG_S)), ("quick", (tmp_path / "quick", 0))]))
        raise KeyboardInterrupt
    assert not slow.exists()
    assert multiprocessing.active_children() == []


def test_an_interruption_while_processes_end_leaves_none(tmp_path, monkeypatch):
    with pytest.raises(KeyboardInterrupt), open_workers(2) as workers:  # noqa: PT012
        next(workers.run(finish, [("quick", (tmp_path / "quick", 0))]))
        children = multiprocessing.active_children()
        pool = workers._pool
        monkeypatch.setattr(pool, "shutdown", mock.Mock(side_effect=KeyboardInterrupt))
    monkeypatch.undo()
    # They end by themselves; what follows collects them, and would end them another way.
    multiprocessing.connection.wait([child.sentinel for child in children], HANG_S)
    pool.shutdown()
    assert [child.exitcode for child in children] == [1]


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="signals can't be blocked on Windows")
def test_an_interruption_does_not_reach_a_process_that_begins(monkeypatch):
    blocked = []

    class Pool(ThreadPoolExecutor):
        def submit(self, *arguments):
            blocked.append(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ()))
            return super().submit(*arguments)

    monkeypatch.setattr(module, "ProcessPoolExecutor", lambda count, *_, **__: Pool(count))
    with open_workers(2) as workers:
        assert outcomes(workers, square) == EXPECTED
    assert set(blocked) == {True}
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=2, processes=True, dashboard_address=":0", host="127.0.0.1"
    ) as running:
        yield running.scheduler_address


def test_a_dask_cluster_makes_the_same_site(cluster, tmp_path):
    write_history(tmp_path / "captures", [1.0, 1.0, 1.2, 1.2])
    build(tmp_path / "captures", tmp_path / "here")
    with open_workers(1, cluster) as workers:
        site = build(tmp_path / "captures", tmp_path / "there", workers=workers)
        assert site.failures == []
        assert site.made == 5
    assert files_of(tmp_path / "there") == files_of(tmp_path / "here")


def test_an_exception_on_the_cluster_is_reported(cluster):
    with open_workers(1, cluster) as workers:
        assert outcomes(workers, abs_or_raise) == EXPECTED


def abs_or_raise(number):
    """Sent by value: the module of a test is not known to a worker."""
    if number == 3:
        raise ValueError("three")
    return number * number


abs_or_raise.__module__ = "__main__"


def test_no_scheduler_is_one_line(monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr("trexreport.site.workers._CONNECT_S", 0.5)
    with (
        pytest.raises(ToolFailedError, match="no Dask scheduler at tcp") as raised,
        open_workers(1, "tcp://127.0.0.1:9"),
    ):
        pass
    assert "\n" not in str(raised.value)


def test_without_dask_it_is_stated_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "distributed", None)
    with pytest.raises(MissingToolError, match=r"trexreport\[dask\]"), open_workers(1, "tcp://127.0.0.1:9"):
        pass
