"""The tables of docs/gpus.md, written from the built-in table of GPUs."""

from __future__ import annotations

import re

from trexreport.analyzer.roofline.table import TENSOR_KEYS, VECTOR_KEYS, built_in_table

#: A table of Markdown.
TABLE = re.compile(r"^\|.*\n(?:\|.*\n)+", re.MULTILINE)
_COLUMNS = ("fp32", "tf32", "fp16", "bf16", "fp16_fp16", "fp8", "int8", "fp4")
_NAMES = [{**VECTOR_KEYS, **TENSOR_KEYS}[key] for key in _COLUMNS]


def with_gpu_tables(page: str) -> str:
    """Return the page with its two tables as `gpus.toml` has them today."""
    table = built_in_table()
    boards = _markdown(
        ["GPU", "CC", "SMs", "Clock, GHz", *_NAMES, "GB/s", "L2, MiB", "Source"], map(_row, table.boards)
    )
    rates = _markdown(
        ["Compute capability", *_NAMES],
        ([" ".join(filter(None, key)), *_peaks(per_clock)] for key, per_clock in table.rates.items()),
    )
    current = iter((boards, rates))
    page, count = TABLE.subn(lambda _: next(current), page)
    assert count == 2
    return page


def _row(board):
    return [
        board.name if board.certain else f"{board.name} ?",
        board.compute_capability,
        _number(board.sms),
        _number(board.boost_ghz),
        *_peaks(board.peaks),
        _number(board.bandwidth_gbs),
        _number(board.l2_mib),
        _source(board),
    ]


def _source(board):
    source = f"[{board.source}]({board.url})" if board.url else board.source
    notes = (board.derived and f"peaks derived: {board.derived}", board.differs)
    return "; ".join(filter(None, (source, *notes)))


def _peaks(peaks):
    return [_number(peaks.get(key)) for key in _COLUMNS]


def _number(value):
    return "–" if value is None else f"{float(f'{value:.4g}'):g}"


def _markdown(head, rows):
    lines = [head, ["---", *["--:"] * (len(head) - 2), "---"], *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)
