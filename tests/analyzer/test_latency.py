"""The latency of an engine, and where it comes from."""

from __future__ import annotations

import pytest
from figure_plans import engine

from trexreport.analyzer import analyze
from trexreport.analyzer.analysis.timing import GapReason
from trexreport.model import (
    Engine,
    Measurement,
    QueryTimes,
    Setup,
    Statistic,
)
from trexreport.wording.timing import measurement_warnings


class TestLatency:
    @staticmethod
    def latency(mean, *, options=None, enqueue=None, layers=(("A", (), (), 2.0),)):
        summary = {
            "GPU Compute Time": Statistic(1, 3, mean, mean, {90.0: 2.5, 99.0: 3}),
            "Latency": Statistic(11, 13, 12, 12, {99.0: 13}),
        }
        if enqueue:
            summary["Enqueue Time"] = Statistic(enqueue, enqueue, enqueue, enqueue)
        plan = engine(
            *layers,
            measurement=Measurement(summary=summary, throughput_qps=7.0),
            setup=Setup(inference_options=options or {}),
            profiled_iterations=1,
        )
        return analyze(plan).latency

    def test_percentiles_are_those_of_trtexec(self):
        found = self.latency(2.0).gpu_compute
        assert (found.min_ms, found.max_ms, found.mean_ms) == (1, 3, 2)
        assert found.percentiles == {"90": 2.5, "99": 3}
        assert self.latency(2.0).end_to_end.mean_ms == 12

    def test_agreement(self):
        assert self.latency(2.0).gap_percent == 0
        assert self.latency(2.0).gap_reasons == [GapReason("agreement")]

    def test_reasons_for_more(self):
        found = self.latency(1.0, options={"CUDA Graph": "Enabled"})
        assert found.gap_percent == pytest.approx(100)
        assert found.gap_reasons == [GapReason("profiling-overhead"), GapReason("single-iteration")]

    @pytest.mark.parametrize(("slowest_ms", "code"), [(2.0, "slow-iteration"), (0.5, "profiling-overhead")])
    def test_the_layer_that_was_slow_once_is_the_reason_for_more(self, slowest_ms, code):
        others = [("B", (), (), 0.18)] * 10
        found = self.latency(2.0, layers=[("A", (), (), slowest_ms), *others])
        assert found.gap_reasons[0] == GapReason(code)

    def test_reasons_for_less(self):
        missing = self.latency(4.0, enqueue=3.9, layers=(("A", (), (), 2.0), ("B", (), (), None)))
        assert missing.gap_reasons[:2] == [GapReason("unprofiled-layers", 1), GapReason("enqueue-bound")]

    @pytest.mark.parametrize(
        ("starts", "qps"),
        [
            ([4.0 * at for at in range(20)], 250.0),
            ([4.0 * at for at in range(9)], None),
            # The queries of two runs.
            ([4.0 * (at % 10) for at in range(20)], None),
            ([], None),
        ],
    )
    def test_without_a_log_the_starts_of_queries_show_the_throughput(self, starts, qps):
        queries = QueryTimes((3.0,) * 20, (3.0,) * 20, start_ms=tuple(starts))
        found = analyze(Engine("e", (), queries=queries)).latency
        assert found.throughput_qps == pytest.approx(qps)
        assert found.gpu_busy_percent == (qps and pytest.approx(75.0))

    def test_a_stated_throughput_comes_before_that_of_starts(self):
        queries = QueryTimes((3.0,) * 20, (3.0,) * 20, start_ms=tuple(4.0 * at for at in range(20)))
        measurement = Measurement(throughput_qps=200.0)
        found = analyze(Engine("e", (), queries=queries, measurement=measurement)).latency
        assert (found.throughput_qps, found.gpu_busy_percent) == (200.0, None)

    def test_queries_stand_in_for_the_summary(self):
        found = analyze(Engine("e", (), queries=QueryTimes((1.0, 3.0)))).latency
        assert (found.end_to_end.mean_ms, found.end_to_end.count) == (2, 2)
        assert found.gpu_compute is None
        assert found.gap_percent is None

    def test_gpu_time_of_the_queries_is_what_layers_are_compared_with(self):
        found = analyze(engine(("A", (), (), 2.0), queries=QueryTimes((5.0, 5.0), (1.0, 3.0)))).latency
        assert (found.gpu_compute.mean_ms, found.gap_percent) == (2, 0)

    def test_any_percentile_that_trtexec_was_asked_for(self):
        summary = {"Latency": Statistic(1, 3, 2, 2, {99.9: 3, 50.0: 2, 75.0: 2.5})}
        found = analyze(Engine("e", (), measurement=Measurement(summary=summary))).latency.end_to_end
        assert list(found.percentiles.items()) == [("50", 2), ("75", 2.5), ("99.9", 3)]
        assert found.p99_ms is None

    def test_queries_give_what_no_summary_says(self):
        queries = QueryTimes((4.0, 6.0), (1.0, 3.0), (0.5, 0.5), (0.0, 0.0), (0.9, 1.1))
        found = analyze(Engine("e", (), queries=queries)).latency
        assert (found.enqueue.mean_ms, found.h2d.mean_ms, found.d2h) == (1, 0.5, None)

    def test_only_the_end_to_end_time_contains_transfers(self):
        found = analyze(engine(("A", (), (), 2.0), queries=QueryTimes((5.0, 5.0)))).latency
        assert GapReason("transfers-included") in found.gap_reasons

    @pytest.mark.parametrize(
        ("version", "counts"),
        [("8.4.3", True), ("8.2.1", True), ("8.5.1", False), ("10.1.0", False), ("", False)],
    )
    def test_warnings_about_the_measurement(self, version, counts):
        plan = Engine(
            "e",
            (),
            queries=QueryTimes((1.0,)),
            setup=Setup(tensorrt_version=version),
            measurement=Measurement(warnings=("GPU compute time is unstable.",)),
        )
        found = analyze(plan)
        assert list(found.measurement_warnings) == ["GPU compute time is unstable."]
        assert found.stability.includes_warm_up == counts
        assert measurement_warnings(found)[0] == "GPU compute time is unstable."
        assert any("warm-up" in warning for warning in measurement_warnings(found)) == counts
