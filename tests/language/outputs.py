"""Write every output of every sample and return what a person or a program reads in it."""

from __future__ import annotations

import contextlib
import email
import email.policy
import html
import io
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
_HIDDEN = re.compile(r"<(script|style)\b.*?</\1>", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"<[^>]*>")
_SHOWN_ATTRIBUTE = re.compile(r'\b(?:title|aria-label|placeholder|alt)="([^"]*)"')

_FORMATS = ("json", "sarif", "junit", "markdown", "html", "github")
_BUDGET = "[budget]\nlatency-ms = 0.5\nreformats = 4\n[budget.regression]\ntime-percent = 2\n"
#: Commands for each sample; {other} is another sample. What they print is an output too.
_COMMANDS = (
    "report {sample} -o {out}/report.html",
    "report {sample} -o {out}/static.html --charts static --show constants,shape,noops",
    "report {sample} -o {out}/report.md",
    "report {sample} -o {out}/report.json",
    "report {sample} -o {out}/report.pdf",
    "summary {sample}",
    "summary {sample} --json",
    "lint {sample} --verbose --fail-on never",
    *(f"lint {{sample}} --fail-on never --format {kind}" for kind in _FORMATS),
    "check {sample} --baseline {other} --budget {budget} --no-summary",
    *(
        f"check {{sample}} --baseline {{other}} --budget {{budget}} --no-summary --format {kind}"
        for kind in _FORMATS
    ),
    "check {sample} --suggest",
    *(f"compare {{sample}} {{other}} -o {{out}}/compare.{kind}" for kind in ("html", "md", "json", "pdf")),
    "mail {sample} --from a@example.com --to b@example.com --eml {out}/report.eml",
    "mail {sample} {other} --from a@example.com --to b@example.com --eml {out}/compare.eml",
    "export {sample} -o {out}/layers.csv",
    "export {sample} -o {out}/layers.json",
    "export {sample} -o {out}/layers.xlsx",
    "draw {sample} -o {out}/graph.svg",
    "draw {sample} -o {out}/graph.dot",
)
#: Commands that need no sample.
_OTHERS = (
    "rules",
    "rules --format markdown",
    "explain TRX101",
    "site {samples} -o {out}/site --jobs 1",
    "doctor",
)


def output_texts(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the name and the readable text of each output.

    Args:
        folder: An empty one for the files.
    """
    samples = sorted(path.parent for path in SAMPLES.glob("*/*.graph.json"))
    budget = folder / "budget.toml"
    budget.write_text(_BUDGET, "utf-8")
    for at, sample in enumerate(samples):
        out = folder / sample.name
        out.mkdir()
        words = {"sample": sample, "other": samples[at - 1], "out": out, "budget": budget}
        for command in _COMMANDS:
            yield f"output of {sample.name}: {command}", _run(command, words)
    for command in _OTHERS:
        yield f"output of {command}", _run(command, {"samples": SAMPLES, "out": folder})
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path != budget:
            yield f"output {path.relative_to(folder)}", readable(path)


def _run(command: str, words: dict[str, object]) -> str:
    """Run a command in this process and return what it prints."""
    from trexreport.cli import main

    # Some commands write bytes.
    stream = io.BytesIO()
    printed = io.TextIOWrapper(stream, "utf-8", write_through=True)
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        try:
            status = main([word.format(**words) for word in command.split()], standalone_mode=False)
        except SystemExit as end:
            status = end.code
    text = stream.getvalue().decode("utf-8")
    if status not in (0, 1, None):
        raise AssertionError(f"{command}: exit {status}: {text}")
    return text


def readable(path: Path) -> str:
    """Return the text that a person or a program reads in a file."""
    if path.suffix in (".html", ".svg"):
        return shown_text(path.read_text("utf-8"))
    if path.suffix == ".pdf":
        return _pdf_text(path)
    if path.suffix == ".xlsx":
        from openpyxl import load_workbook

        rows = (
            row for sheet in load_workbook(path, read_only=True) for row in sheet.iter_rows(values_only=True)
        )
        return "\n".join(" ".join(str(cell) for cell in row if cell is not None) for row in rows)
    if path.suffix == ".eml":
        message = email.message_from_bytes(path.read_bytes(), policy=email.policy.default)
        parts = [part.get_content() for part in message.walk() if part.get_content_maintype() == "text"]
        return "\n".join(
            [str(message["subject"]), *(shown_text(part) if "<html" in part else part for part in parts)]
        )
    return path.read_text("utf-8")


def _pdf_text(path: Path) -> str:
    """Return the text of a PDF; without poppler it takes 30 times as long."""
    if program := shutil.which("pdftotext"):
        return subprocess.check_output([program, "-layout", path, "-"], text=True)
    from pypdf import PdfReader

    return "\n".join(page.extract_text() for page in PdfReader(path).pages)


def shown_text(page: str) -> str:
    """Return what a page shows, its labels for readers of the screen among it; not its script and style."""
    page = _HIDDEN.sub(" ", page)
    labels = "\n".join(_SHOWN_ATTRIBUTE.findall(page))
    return html.unescape(f"{_TAG.sub(chr(10), page)}\n{labels}")
