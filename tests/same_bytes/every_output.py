"""Write everything that trexreport writes of some captures, as one process in one environment does.

Called as `every_output.py CAPTURES OUT [GROUP ...]`: captures lie below CAPTURES; what each command leaves or
prints becomes a file in OUT. Needs only what the command itself needs, so that any Python can run it.
"""

from __future__ import annotations

import builtins
import contextlib
import io
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

BUDGET = """\
[budget]
latency-ms = 0.5
reformats = 4
fp32-layers = 0

[budget.regression]
time-percent = 2
"""

FINDINGS = ("text", "json", "sarif", "junit", "markdown", "html", "github")

#: Group to the commands in it; {before}, {after}, {other} are captures and {out} is where files go.
COMMANDS = {
    "report": (
        "report {other} -o {out}/interactive.html",
        "report {before} -o {out}/static.html --charts static",
        "report {other} -o {out}/shown.html --charts static --show constants,shape,noops",
        "report {before} -o {out}/redacted.html --charts static --redact names,paths,host",
        "report {before} -o {out}/fitted.html --charts static --max-size 480kB",
        "report {other} -o {out}/summary.md",
        "report {other} -o {out}/analysis.json",
        "summary {other}",
        "summary {before} --json",
        "archive {before} -o {out}/kept.trexa --charts static",
        "extract {out}/kept.trexa -o {out}/extracted",
        "report {out}/kept.trexa -o {out}/again.json",
        "mail {before} --from a@example.com --to b@example.com --eml {out}/mail.eml --attach html,md,json",
        "rules",
        "explain TRX101",
    ),
    "draw": (
        "draw {before} -o {out}/all.svg",
        "draw {other} -o {out}/other.svg --color-by latency --edge-text shape,format",
        "draw {other} -o {out}/collapsed.svg --collapse --color-by findings",
        "draw {before} -o {out}/all.dot --node-text name,type,time,precision,tactic",
        "draw {before} -o {out}/around.dot --around 7 --radius 3",
    ),
    "lint": (
        *(f"lint {{before}} --format {kind}" for kind in FINDINGS),
        "lint {other} --verbose",
    ),
    "check": (
        "check {after} --baseline {before} --budget {out}/budget.toml"
        + "".join(f" -o {{out}}/check.{ending}" for ending in ("json", "sarif", "xml", "md", "txt")),
        "check {after} --suggest",
    ),
    "export": ("export {other} -o {out}/layers.csv", "export {other} -o {out}/layers.json"),
    "compare": (
        "compare {before} {after} -o {out}/compare.html -o {out}/compare.md -o {out}/compare.json",
        "compare {before} {after} {before} --baseline 2 --redact names -o {out}/three.json",
    ),
    "tables": ("export {other} -o {out}/layers.xlsx", "export {other} -o {out}/layers.parquet"),
    "pdf": (
        "report {other} -o {out}/report.pdf",
        "compare {before} {after} -o {out}/compare.pdf",
        "mail {before} --from a@example.com --to b@example.com --eml {out}/pdf.eml --attach pdf",
    ),
    "site": ("site {captures} -o {out}/site --jobs {jobs} --compare previous",),
}


def call(command: str, words: dict[str, str], printed: Path) -> None:
    """Run a command in this process and keep what it prints to standard output, and its exit code."""
    from trexreport.cli import main

    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="backslashreplace", newline="\n")
    with contextlib.redirect_stdout(stream), contextlib.redirect_stderr(io.StringIO()) as stated:
        try:
            # A word at a time: a folder's name may have spaces.
            code = main([word.format(**words) for word in command.split()], standalone_mode=False) or 0
        except SystemExit as end:
            code = end.code
    stream.flush()
    printed.write_bytes(stream.buffer.getvalue() + f"\nexit {code}\n".encode())
    if code not in (0, 1):
        raise AssertionError(f"{command}: exit {code}: {stated.getvalue()}")


def watched_sums() -> set[str]:
    """Have sum() add to a set where in the package it adds floating-point numbers; return the set.

    It rounds each step up to Python 3.11 and the end alone from 3.12 on; math.fsum() rounds the end in all.
    """
    plain_sum, found = builtins.sum, set()

    def watched(values: Iterable[Any], /, start: Any = 0) -> Any:
        total = plain_sum(values, start)
        caller = sys._getframe(1)
        if isinstance(total, float) and "/trexreport/" in caller.f_code.co_filename:
            found.add(f"{caller.f_code.co_filename}:{caller.f_lineno}")
        return total

    builtins.sum = watched
    return found


def write_all(captures: str, out: Path, groups: list[str], jobs: str = "1") -> None:
    """Run the commands of the groups."""
    out.mkdir(parents=True, exist_ok=True)
    (out / "budget.toml").write_text(BUDGET, "utf-8")
    words = {
        "captures": captures,
        "out": str(out),
        "jobs": jobs,
        "before": f"{captures}/resnet18-int8-before",
        "after": f"{captures}/resnet18-int8-after",
        "other": f"{captures}/transformer-trt10-myelin",
    }
    for group in groups:
        for number, command in enumerate(COMMANDS[group]):
            call(command, words, out / f"{group}-{number}.printed.txt")


if __name__ == "__main__":
    sums = watched_sums()
    write_all(sys.argv[1], Path(sys.argv[2]), sys.argv[4:] or list(COMMANDS), sys.argv[3])
    if sums:
        sys.exit(f"sum() of floating-point numbers is not the same in all Pythons: {', '.join(sorted(sums))}")
