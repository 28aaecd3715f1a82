"""Engines for the tests of comparisons."""

from __future__ import annotations

import dataclasses
import json
import math
import tempfile
from pathlib import Path

from trexreport.model import LayerTime, QueryTimes, Setup
from trexreport.reader import read_engine


def engine_of(records, times=None, *, latencies=(), **setup):
    """Return an engine of layers' records.

    Args:
        records: As `alignment_plans.layer` makes them.
        times: Of each layer in milliseconds, None where it was not measured; no profile if not given.
        latencies: Compute times of the queries.
        setup: Sections of trtexec's options.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.engine.graph.json"
        path.write_text(json.dumps({"Layers": list(records), "Bindings": []}), "utf-8")
        engine = read_engine(path)
    times = times or [None] * len(engine.layers)
    layers = [
        dataclasses.replace(layer, time=None if time is None else LayerTime(time))
        # A list that is there twice is read once.
        for layer, time in zip(engine.layers, times, strict=False)
    ]
    queries = QueryTimes(tuple(latencies), tuple(latencies)) if latencies else None
    # Two of these engines differ only in their records: their files are not tested.
    return dataclasses.replace(
        engine, layers=tuple(layers), queries=queries, setup=Setup(**setup), sources=()
    )


def waterfall(comparison, engine, by):
    """Return an engine's waterfall, its steps by name."""
    (found,) = (each for each in comparison.engines[engine].waterfalls if each.by == by)
    return {step.name: step for step in found.steps}


def check_sums(comparison):
    """Steps sum to differences, rows hold every layer once, and columns sum to the sums of layers."""
    start = comparison.engines[comparison.baseline].figures.layer_sum_ms
    for engine, compared in enumerate(comparison.engines):
        total = compared.figures.layer_sum_ms
        for each in compared.waterfalls:
            assert (each.baseline_ms, each.candidate_ms) == (start, total)
            for steps, expected in (
                ((step.difference_ms for step in each.steps), total - start),
                ((step.baseline_ms for step in each.steps), start),
                ((step.candidate_ms for step in each.steps), total),
            ):
                assert math.isclose(math.fsum(steps), expected, rel_tol=0, abs_tol=1e-9)
        for shares in (comparison.by_operator, comparison.by_module):
            times = [share.times_ms[engine] for share in shares]
            assert math.isclose(math.fsum(time or 0 for time in times), total or 0, rel_tol=0, abs_tol=1e-9)
            # An engine in which only no-ops were measured has no times to show.
            assert total or not any(times)
        places = {
            member.index: row
            for row, each in enumerate(comparison.rows)
            for member in each.sides[engine].members
        }
        assert [places[index] for index in range(len(places))] == comparison.row_of[engine]
    for row in comparison.rows:
        for side in row.sides:
            if side.difference_ms is not None:
                assert math.isclose(
                    math.fsum(side.causes.values()), side.difference_ms, rel_tol=0, abs_tol=1e-9
                )
