"""Logs of trtexec as tests write them."""

from __future__ import annotations

from trexreport.reader.setup_facts import SetupFacts
from trexreport.reader.trtexec_log import read_trtexec_log

STAMP = "[01/02/2026-03:04:05]"
BEGIN = "&&&& RUNNING TensorRT.trtexec [TensorRT v101601] [b11] # trtexec --onnx=m.onnx"
END = BEGIN.replace("RUNNING", "PASSED")


def stated(*lines: str, severity: str = "I") -> str:
    return "".join(f"{STAMP} [{severity}] {line}\n" for line in lines)


def read(*parts: str) -> SetupFacts:
    return read_trtexec_log("\n".join(part.rstrip("\n") for part in parts) + "\n", "a.log")


def slugs(facts: SetupFacts) -> list[str]:
    return [note.slug for note in facts.notes]


def metric(name: str, *percentiles: str) -> str:
    more = "".join(f", percentile({rank}%) = 4 ms" for rank in percentiles)
    return f"{name}: min = 8.7738e-05 ms, max = 4 ms, mean = 2.5 ms, median = 3 ms{more}"


def profile_row(name: str, share: str = "20.0") -> str:
    return f"      103.50       0.1000       0.2000      {share}   {name}"


NEW_TABLE = ("=== Profile (1035 iterations ) ===", "   Time(ms)     Avg.(ms)   Median(ms)   Time(%)   Layer")


WHOLE = "\n".join(
    (
        BEGIN,
        stated("=== Build Options ===", "Precision: FP16", "").rstrip("\n"),
        stated("=== Device Information ===", "Selected Device: A", "").rstrip("\n"),
        stated("* odd", severity="W").rstrip("\n"),
        stated("Throughput: 5 qps", metric("Latency", "99"), "").rstrip("\n"),
        stated(*NEW_TABLE, profile_row("a"), "").rstrip("\n"),
        END,
        "",
    )
)


DEVICE_LINES = "[I] === Device Information ===\n[I] Selected Device: {}\n[I] Compute Capability: 8.7\n[I] \n"
SUMMARY_LINES = "[I] === Performance summary ===\n[I] Throughput: {} qps\n"
