"""How many samples trtexec's throughput counts for each query."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from trexreport.model.commands import BATCH, times_queries
from trexreport.model.engine import Engine
from trexreport.model.measurement import Measurement, Setup
from trexreport.regex import regex

_COUNT = regex(r"\d{1,9}(?!\d)", re.ASCII)
_MAX_BATCH = regex(r"--maxBatch[= ]+[\"']?(\d{1,9})\b", re.ASCII)
#: Models that have no explicit batch.
_IMPLICIT = regex(r"--(?:deploy|uff|model)\b")
#: The first version without implicit batches.
_FIRST_WITHOUT = 10
#: A throughput of at least this many times the queries, to this part of a multiple, is one of samples.
_LEAST_SAMPLES, _ROUNDED = 1.9, 0.002


def has_explicit_batch(engine: Engine) -> bool:
    """Return whether all shapes of an engine are known to state the batch: by its version or its options."""
    if _is_without(engine.setup.tensorrt_version):
        return True
    for setup in (engine.setup, *(file.setup for file in engine.files)):
        texts = (
            setup.build_options.get("Max batch", ""),
            setup.model_options.get("Max batch", ""),
            setup.inference_options.get("Batch", ""),
        )
        if any(text.casefold().startswith("explicit") for text in texts):
            return True
    return False


def _is_without(version: str) -> bool:
    """Return whether a version of TensorRT has no implicit batches."""
    major = version.partition(".")[0]
    return major.isascii() and major.isdecimal() and int(major) >= _FIRST_WITHOUT


def samples_per_query(engine: Engine) -> int | None:
    """Return how many samples trtexec's throughput counts for each query: the implicit batch size.

    1 for the networks of today, which have an explicit batch. None where the files state several, or only the
    largest that the engine takes.

    Source: sampleReporting.cpp of trtexec 8.0 to 8.6.
    """
    return samples_of((engine.setup, *(file.setup for file in engine.files)), engine.measurement)


def samples_of(setups: Sequence[Setup], measurement: Measurement) -> int | None:
    """Return `samples_per_query` of the run of a capture, or of one log.

    A summary alone states no batch size; its totals show by what trtexec multiplied the throughput.

    Args:
        setups: What the files state, the one of the run first.
        measurement: Of the run.
    """
    if _is_without(setups[0].tensorrt_version):
        return 1
    found = {size for setup in setups for size in _of_runs(setup)}
    if not found:
        # trtexec's default is a single sample, and that of an engine for several is not known.
        if any(size != 1 for setup in setups for size in _largest(setup)):
            return None
        return samples_by_totals(measurement) if _states_no_run(setups) else 1
    return found.pop() if len(found) == 1 else None


def samples_by_totals(measurement: Measurement) -> int:
    """Return how many samples a throughput counts for each query, as total GPU compute time shows; else 1."""
    mean, rate = measurement.summary.get("GPU Compute Time"), measurement.throughput_qps
    if not (mean and mean.mean_ms and rate and measurement.walltime_s and measurement.gpu_time_s):
        return 1
    queries = round(1000 * measurement.gpu_time_s / mean.mean_ms)
    times = rate * measurement.walltime_s / queries if queries else 1.0
    is_multiple = times >= _LEAST_SAMPLES and abs(times - round(times)) <= _ROUNDED * times
    return round(times) if is_multiple else 1


def _states_no_run(setups: Sequence[Setup]) -> bool:
    return not any(each.commands or each.inference_options or each.tensorrt_version for each in setups)


def _of_runs(setup: Setup) -> Iterator[int]:
    """Yield the batch sizes that the inference options and the command lines of runs state."""
    option = setup.inference_options.get("Batch", "")
    if option:
        found = _COUNT.match(option)
        yield max(int(found[0]), 1) if found else 1
        return
    largest = max(_largest(setup), default=1)
    for command in filter(times_queries, setup.commands):
        if stated := BATCH.search(command):
            yield max(int(stated[1]), 1)
        elif largest == 1:
            yield 1


def _largest(setup: Setup) -> Iterator[int]:
    """Yield the largest batch sizes that the options of a build state."""
    texts = [setup.build_options.get("Max batch", ""), setup.model_options.get("Max batch", "")]
    texts += [stated[1] for command in setup.commands if (stated := _MAX_BATCH.search(command))]
    yield from (max(int(found[0]), 1) for text in texts if (found := _COUNT.match(text)))


def may_ignore_batch(engine: Engine) -> bool:
    """Return whether the batch size that a run states may be none of the engine's.

    trtexec multiplies its throughput by --batch also where a loaded engine has an explicit batch and ignores
    the option. Only the build shows that it does not.
    """
    return may_ignore_batch_of((engine.setup, *(file.setup for file in engine.files)))


def may_ignore_batch_of(setups: Sequence[Setup]) -> bool:
    """Return `may_ignore_batch` for what files state."""
    if _states_no_run(setups):
        return True
    commands = [command for setup in setups for command in setup.commands]
    is_built = any(max(_largest(setup), default=1) > 1 for setup in setups) or any(
        map(_IMPLICIT.search, commands)
    )
    return any("--loadEngine" in command for command in commands) and not is_built
