"""Compare what is read from real logs with figures that a person read in them, one log of each version."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from trexreport.reader.trtexec_log import read_trtexec_log

SHARED = Path(__file__).resolve().parents[3] / "shared" / "trtexec"


@dataclass(frozen=True)
class Sheet:
    """What is in a log: set-up, and the rows of its summary as (min, max, mean, median, percentiles)."""

    log: str
    version: str
    device: str
    sms: str
    precision: str | None
    built: str | None
    duration: str
    throughput_qps: float
    ranks: tuple[float, ...]
    latency: tuple[float, ...]
    gpu: tuple[float, ...]
    enqueue: tuple[float, ...]
    walltime_s: float
    transfers: str = "Enabled"


SHEETS = (
    Sheet(
        log="real-8.x/trtexec-8.0.3-fp16.log",
        version="8.0.3",
        device="NVIDIA GeForce GTX 1070",
        sms="16",
        precision="FP32+FP16",
        built="5.1349 s",
        duration="3s (+ 200ms warm up)",
        throughput_qps=6182.1,
        ranks=(99,),
        latency=(0.155029, 0.435913, 0.158729, 0.158081, 0.166382),
        gpu=(0.149414, 0.427979, 0.15217, 0.151611, 0.157715),
        enqueue=(0.0292969, 0.174316, 0.0399243, 0.0373535, 0.081665),
        walltime_s=3.00109,
    ),
    Sheet(
        log="real-8.x/trtexec-8.4.1-fp16.log",
        version="8.4.1",
        device="NVIDIA GeForce GTX 1070",
        sms="16",
        precision="FP32+FP16",
        built="3.05461 s",
        duration="3s (+ 200ms warm up)",
        throughput_qps=6106.55,
        ranks=(99,),
        latency=(0.158203, 1.80566, 0.169435, 0.161621, 0.433105),
        gpu=(0.152466, 1.80005, 0.16247, 0.154663, 0.427002),
        enqueue=(0.027832, 0.250244, 0.0402379, 0.03479, 0.0844727),
        walltime_s=3.00055,
    ),
    Sheet(
        log="writer-8.6.1/12_one_shot_build_and_time.stdout.log",
        version="8.6.1",
        device="NVIDIA H200",
        sms="132",
        precision="FP32",
        built="0.00527381 s",
        duration="1s (+ 200ms warm up)",
        throughput_qps=938.876,
        ranks=(90, 95, 99),
        latency=(1.03992, 1.09009, 1.0651, 1.06503, 1.08504, 1.09003, 1.09003),
        gpu=(1, 1.05005, 1.02508, 1.02502, 1.04504, 1.04999, 1.05005),
        enqueue=(8.01086e-05, 0.00149202, 0.000107665, 0.000100136, 0.000119686, 0.000121117, 0.000200033),
        walltime_s=1.00226,
    ),
    Sheet(
        log="writer-10.0.1/02_profile_separate.stdout.log",
        version="10.0.1",
        device="NVIDIA H200",
        sms="132",
        precision=None,
        built=None,
        duration="1s (+ 100ms warm up)",
        throughput_qps=938.96,
        ranks=(90, 95, 99, 99.9),
        latency=(1.03998, 1.09009, 1.06501, 1.06503, 1.08504, 1.09003, 1.09003, 1.09009),
        gpu=(1, 1.05005, 1.02499, 1.02499, 1.04504, 1.04999, 1.05005, 1.05005),
        enqueue=(
            *(8.96454e-05, 0.000390053, 0.000109997, 0.000109673),
            *(0.0001297, 0.000130653, 0.000150681, 0.000390053),
        ),
        walltime_s=1.00217,
    ),
    Sheet(
        log="writer-10.13.3/12_one_shot_build_and_time.stdout.log",
        version="10.13.3",
        device="NVIDIA H200",
        sms="132",
        precision="FP32",
        built="0.00398151 s",
        duration="1s (+ 200ms warm up)",
        throughput_qps=938.876,
        ranks=(90, 95, 99),
        latency=(1.03992, 1.09009, 1.0651, 1.06503, 1.08508, 1.09003, 1.09003),
        gpu=(1, 1.05005, 1.02508, 1.02502, 1.04504, 1.04999, 1.05005),
        enqueue=(9.91821e-05, 0.000521183, 0.000125302, 0.000121117, 0.000149965, 0.000160217, 0.000190735),
        walltime_s=1.00226,
    ),
    Sheet(
        log="real-10.16.1-h100/trtexec-result-01.log",
        version="10.16.1",
        device="NVIDIA H100 PCIe",
        sms="114",
        precision="FP32",
        built="8.09138 s",
        duration="3s (+ 200ms warm up)",
        throughput_qps=15374.3,
        ranks=(90, 95, 99),
        latency=(0.0410156, 0.14917, 0.0441053, 0.0440674, 0.0450439, 0.0458984, 0.0512695),
        gpu=(0.0331421, 0.140381, 0.0359588, 0.0361328, 0.0368652, 0.0371094, 0.041748),
        enqueue=(0.0247803, 0.137939, 0.0271685, 0.0267334, 0.0283203, 0.0299072, 0.0357666),
        walltime_s=3.00013,
    ),
    Sheet(
        log="writer-11.0/12_one_shot_build_and_time.stdout.log",
        version="11.0.0",
        device="NVIDIA H200",
        sms="132",
        precision="Strongly Typed",
        built="0.0039872 s",
        duration="1s (+ 200ms warm up)",
        throughput_qps=1082.26,
        ranks=(90, 95, 99),
        latency=(0.899902, 0.94812, 0.923996, 0.924011, 0.944031, 0.947998, 0.947998),
        gpu=(0.899902, 0.94812, 0.923996, 0.924011, 0.944031, 0.947998, 0.947998),
        enqueue=(6.99759e-05, 0.028563, 0.000106091, 7.99894e-05, 8.10027e-05, 0.000100017, 0.00010097),
        walltime_s=1.00254,
        transfers="Disabled",
    ),
    Sheet(
        log="writer-11.1/12_one_shot_build_and_time.stdout.log",
        version="11.1.0",
        device="NVIDIA H200",
        sms="132",
        precision="Strongly Typed",
        built="0.0039764 s",
        duration="1s (+ 200ms warm up)",
        throughput_qps=1082.26,
        ranks=(90, 95, 99),
        latency=(0.899902, 0.94812, 0.923996, 0.924011, 0.944, 0.947998, 0.947998),
        gpu=(0.899902, 0.94812, 0.923996, 0.924011, 0.944, 0.947998, 0.947998),
        enqueue=(6.99759e-05, 0.00011003, 7.74661e-05, 7.99894e-05, 8.09431e-05, 8.10027e-05, 8.10623e-05),
        walltime_s=1.00254,
        transfers="Disabled",
    ),
)


@pytest.mark.engines
@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.version)
def test_a_log_says_what_a_person_reads_in_it(sheet):
    path = SHARED / sheet.log
    facts = read_trtexec_log(path.read_text(encoding="utf-8", errors="replace"), path.name)
    assert facts.setup.tensorrt_version == sheet.version
    assert facts.setup.device["Selected Device"] == sheet.device
    assert facts.setup.device["SMs"] == sheet.sms
    assert facts.setup.build_options.get("Precision") == sheet.precision
    assert facts.setup.build_facts.get("Engine built in") == sheet.built
    assert facts.setup.inference_options["Duration"] == sheet.duration
    assert facts.setup.inference_options["Data transfers"] == sheet.transfers
    assert facts.measurement.throughput_qps == sheet.throughput_qps
    assert facts.measurement.walltime_s == sheet.walltime_s
    assert facts.finished is True
    rows = {"Latency": sheet.latency, "GPU Compute Time": sheet.gpu, "Enqueue Time": sheet.enqueue}
    for name, (least, most, mean, median, *percentiles) in rows.items():
        statistic = facts.measurement.summary[name]
        assert (statistic.min_ms, statistic.max_ms) == (least, most)
        assert (statistic.mean_ms, statistic.median_ms) == (mean, median)
        assert statistic.percentiles == dict(zip(sheet.ranks, percentiles, strict=True))
