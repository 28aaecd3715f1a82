"""Who does the jobs: this process, others, or a real Dask cluster."""

from __future__ import annotations

import os
import signal

import pytest
from site_captures import build, files_of, write_history

from trexreport.errors import MissingToolError, ToolFailedError
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
