"""Run jobs on the cores of this machine or on a Dask cluster, one failure never stopping the others."""

from __future__ import annotations

import atexit
import gc
import multiprocessing
import os
import signal
import threading
import weakref
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from itertools import islice
from multiprocessing.connection import Connection
from typing import Any, TypeVar

from trexreport.errors import MissingToolError, ToolFailedError

Key = TypeVar("Key")
Result = TypeVar("Result")
#: Of each job its key and the arguments.
Jobs = Iterable[tuple[Key, tuple[Any, ...]]]
#: Of each job its key and what it returned or raised, as they end.
Outcomes = Iterator[tuple[Key, Result | BaseException]]
#: Is called with how many of how many jobs are done, and the name of the last one.
Progress = Callable[[int, int, str], None]
#: How many jobs each worker has waiting: enough to keep it busy, few enough to fit into memory.
_WAITING_FOR_EACH = 3
_CONNECT_S = 10
#: In bytes: larger than what a page needs in one piece, and at most 32 MiB.
_LARGE_BLOCK = 2**24
_ENDED = "The process that worked on it was killed, possibly because it ran out of memory."
_LOST = "The connection to the Dask cluster was lost."


class SerialWorkers:
    """This process alone."""

    def run(self, function: Callable[..., Result], jobs: Jobs[Key]) -> Outcomes[Key, Result]:
        """Do one job after another."""
        for key, arguments in jobs:
            try:
                result: Result | BaseException = function(*arguments)
            except Exception as error:  # noqa: BLE001 - the caller gets it as a result
                result = error
            yield key, result


class Processes:
    """A pool of processes."""

    def __init__(self, count: int) -> None:
        self._count = count
        # Processes end when the other end is closed, as it is when this process ends, however it does.
        self._until, end = multiprocessing.Pipe(duplex=False)
        self.kill = weakref.finalize(self, end.close)
        self._pool = self._new_pool(count)

    def run(self, function: Callable[..., Result], jobs: Jobs[Key]) -> Outcomes[Key, Result]:
        """Do as many jobs at once as there are processes."""
        left = iter(jobs)
        while True:
            broken = yield from _run(self._pool, self._count, function, left)
            if not broken:
                return
            # One of these ended its process; to find which one, run them one by one.
            self._pool.shutdown(wait=False, cancel_futures=True)
            for key, arguments in broken:
                with self._new_pool(1) as pool:
                    future = _submit(pool, function, arguments)
                    error = future.exception()
                    yield key, future.result() if error is None else _public_error(error)
            self._pool = self._new_pool(self._count)

    def close(self) -> None:
        """End the processes; jobs that have not begun are dropped."""
        try:
            self._pool.shutdown(wait=True, cancel_futures=True)
        finally:
            # This, too, may be interrupted.
            self.kill()

    def _new_pool(self, count: int) -> ProcessPoolExecutor:
        # A fork of a program with threads, such as one that draws a progress bar, can block for ever.
        context = multiprocessing.get_context("spawn")
        return ProcessPoolExecutor(count, context, initializer=_begin, initargs=(self._until,))


def _begin(until: Connection) -> None:
    """Make ready a process that works for another one, until the other end of the connection is closed."""
    # The parent handles Ctrl-C: each child would print a traceback.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Jobs search for garbage themselves, when there may be some.
    gc.disable()
    # As the end of the process frees all of it.
    atexit.register(gc.freeze)
    _keep_freed_memory()
    threading.Thread(target=_end_with, args=(until,), daemon=True).start()


def _keep_freed_memory() -> None:
    """Let the C library keep memory that a page needed for the next one.

    glibc gives large blocks back to the system as they are freed, and asking for them again with each page
    costs a fiftieth of its time. Once a block of some size was freed, it keeps those that are smaller.
    """
    bytes(_LARGE_BLOCK)


def _end_with(until: Connection) -> None:
    with suppress(EOFError, OSError):
        until.recv()
    os._exit(1)


def _submit(pool: Executor, function: Callable[..., Result], arguments: tuple[Any, ...]) -> Future[Result]:
    """Give a pool a job. It may begin a process for it, which Ctrl-C must not reach before it is ready."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        return pool.submit(function, *arguments)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        return pool.submit(function, *arguments)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class Cluster:
    """A Dask cluster, by way of the executor that its client offers."""

    def __init__(self, executor: Executor, count: int) -> None:
        self._executor, self._count = executor, count

    def run(self, function: Callable[..., Result], jobs: Jobs[Key]) -> Outcomes[Key, Result]:
        """Do as many jobs at once as there are threads in the cluster."""
        yield from _run(self._executor, self._count, function, iter(jobs))


#: What runs the jobs.
Workers = SerialWorkers | Processes | Cluster


def _run(
    pool: Executor, count: int, function: Callable[..., Result], jobs: Iterator[tuple[Key, tuple[Any, ...]]]
) -> Generator[tuple[Key, Result | BaseException], None, list[tuple[Key, tuple[Any, ...]]]]:
    """Yield outcomes; return the jobs that were under way when the pool broke, none if it did not."""
    waiting: dict[Future[Result], tuple[Key, tuple[Any, ...]]] = {}
    while True:
        # An iterator that has come to its end stays there.
        for task in islice(jobs, _WAITING_FOR_EACH * count - len(waiting)):
            try:
                waiting[_submit(pool, function, task[1])] = task
            except BrokenProcessPool:  # noqa: PERF203 - any of the jobs may break it
                return [*waiting.values(), task]
        if not waiting:
            return []
        ended, _ = wait(waiting, return_when=FIRST_COMPLETED)
        for future in ended:
            error = _error_of(future)
            if isinstance(error, BrokenProcessPool):
                return list(waiting.values())
            key, _ = waiting.pop(future)
            yield key, future.result() if error is None else _public_error(error)


def _error_of(future: Future[Any]) -> BaseException | None:
    try:
        return future.exception()
    except CancelledError:
        raise ToolFailedError(_LOST) from None


def _public_error(error: BaseException) -> BaseException:
    return ToolFailedError(_ENDED) if isinstance(error, BrokenProcessPool) else error


def usable_cores() -> int:
    """Return how many cores this process may use, which in a container can be fewer than there are."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def open_workers(jobs: int, dask: str | None = None) -> Iterator[Workers]:
    """Yield what runs the jobs.

    Args:
        jobs: How many processes; one is this one.
        dask: Address of a scheduler, such as "tcp://host:8786", instead of processes.

    Raises:
        MissingToolError: Dask is wanted and not installed.
        ToolFailedError: There is no such scheduler.
    """
    if dask is not None:
        with _cluster(dask) as cluster:
            yield cluster
    elif jobs == 1:
        _keep_freed_memory()
        yield SerialWorkers()
    else:
        processes = Processes(jobs)
        try:
            yield processes
        except BaseException:
            # What they work on is of no use any more.
            processes.kill()
            raise
        finally:
            processes.close()


@contextmanager
def _cluster(address: str) -> Iterator[Cluster]:
    try:
        from distributed import Client
    except ImportError:
        raise MissingToolError("--dask needs dask.distributed.", "pip install 'trexreport[dask]'") from None
    connect: Any = Client
    try:
        client = connect(address, timeout=_CONNECT_S, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        lines = str(error).strip().splitlines()
        why = lines[0].rstrip(".") if lines else type(error).__name__
        raise ToolFailedError(
            f"There is no Dask scheduler at {address} that responds ({why}).", "Check the address."
        ) from None
    try:
        threads = sum(client.nthreads().values())
        if not threads:
            raise ToolFailedError(
                f"The Dask cluster at {address} has no workers.", "Start some: dask worker."
            )
        yield Cluster(client.get_executor(pure=False), threads)
    finally:
        client.close()
