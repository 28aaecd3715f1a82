"""Describe the table of GPUs for people, as the Markdown of docs/gpus.md."""

from __future__ import annotations

from collections.abc import Mapping

from trexreport.analyzer.roofline.table import TENSOR_KEYS, VECTOR_KEYS, Board, built_in_table

_HEAD = """\
# GPUs of the roofline

Generated from `trexreport/analyzer/roofline/gpus.toml`; do not edit this page.

Peaks are in 10^12 dense operations per second at boost clock, bandwidth in 10^9 bytes per second. FP32 is the
peak of the CUDA cores; the other types are peaks of the Tensor Cores. `FP16/FP16` is for FP16 products with
FP16 accumulation, which GeForce boards do at twice the speed. If the last column says "derived", the peaks
are operations per SM and clock (below) times SMs times boost clock. `?` marks figures on which documents
differ.

The figures were entered by hand from the named documents: compare a figure with its document before you rely
on it. INT8 of V100, 62.8 and 56, is the peak of its CUDA cores and not in the table below.

The GPU of a capture is found by the name of the device; SMs, memory and bus width must match if the capture
states them. Clocks that it states scale the peaks. A GPU that is not listed gets peaks derived
from its compute capability, SMs, clocks and bus width if the capture states them all. `--gpu
NAME` overrides it.
"""

_OWN = """\
## Add your own GPU

The same keys in [trexreport.toml](configuration.md) add GPUs, or replace those of the same name:

```toml
[gpus."My board"]             # the device name must contain the words of this name
words = ["my", "board"]       # or these words
compute_capability = "8.6"
sms = 20
boost_ghz = 1.5               # the clock that the peaks are for; a capture's clock scales them
bandwidth_gbs = 400
memory_gb = [16]
bus_bits = 256
l2_mib = 4
source = "measured"
peaks = { fp32 = 15.4, fp16 = 61.4, fp16_fp16 = 123, int8 = 246 }
```

Only `bandwidth_gbs` and `peaks` are required. Instead of `peaks` you can give a known `compute_capability`
(with `segment = "geforce"` for GeForce boards), `sms` and `boost_ghz`.
"""

_COLUMNS = ("fp32", "tf32", "fp16", "bf16", "fp16_fp16", "fp8", "int8", "fp4")
_NAMES = {**VECTOR_KEYS, **TENSOR_KEYS}


def gpu_document() -> str:
    """Return the Markdown of the built-in table."""
    table = built_in_table()
    head = ["GPU", "CC", "SMs", "Clock, GHz", *(_NAMES[key] for key in _COLUMNS), "GB/s", "L2, MiB", "Source"]
    boards = [_row(board) for board in table.boards]
    rates = [
        [f"{capability} {segment}".strip(), *_peaks(per_clock)]
        for (capability, segment), per_clock in table.rates.items()
    ]
    per_clock_head = ["Compute capability", *(_NAMES[key] for key in _COLUMNS)]
    parts = [
        _HEAD,
        _markdown(head, boards),
        "## Operations per SM and clock\n",
        _markdown(per_clock_head, rates),
        _OWN,
    ]
    return "\n".join(parts)


def _row(board: Board) -> list[str]:
    return [
        board.name if board.certain else f"{board.name} ?",
        board.compute_capability,
        str(board.sms),
        _number(board.boost_ghz),
        *_peaks(board.peaks),
        _number(board.bandwidth_gbs),
        _number(board.l2_mib),
        board.source,
    ]


def _peaks(peaks: Mapping[str, float]) -> list[str]:
    return [_number(peaks.get(key)) for key in _COLUMNS]


def _number(value: float | None) -> str:
    return "–" if value is None else f"{float(f'{value:.4g}'):g}"


def _markdown(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---", *["--:"] * (len(head) - 2), "---"], *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)
