"""Measure the PDF report at several sizes: CPU, peak memory, pages and bytes.

Usage: python benchmarks/pdf.py [LAYERS | FOLDER ...]

The plans are synthetic decoders; a folder is a capture. Limits: 70 layers 4 s, 1,309 layers 15 s and 400 MB,
20,000 layers 60 s and 800 MB. CPU seconds grow by half where other programs share the caches.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "samples"))

from generator.large import llm_like

SIZES = ("70", "1309", "20000")


def measure(capture: Path, output: Path) -> str:
    """Run the report command in a process of its own and return a line about it."""
    command = [sys.executable, "-m", "trexreport", "report", str(capture), "-o", str(output), "--quiet"]
    process = subprocess.Popen(command)
    _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status):
        raise SystemExit(f"{' '.join(command)} failed")
    unit = 2**20 if sys.platform == "darwin" else 2**10
    data = output.read_bytes()
    pages = subprocess.run(["pdfinfo", str(output)], capture_output=True, text=True, check=False).stdout
    found = re.search(r"Pages: +(\d+)", pages)
    return (
        f"{usage.ru_utime + usage.ru_stime:7.1f} s {usage.ru_maxrss / unit:6.0f} MB "
        f"{found.group(1) if found else '?':>6} pages {len(data) / 1e6:7.2f} MB"
    )


def main(arguments: list[str]) -> None:
    """Print a line for each size or capture."""
    with tempfile.TemporaryDirectory() as folder:
        for number, argument in enumerate(arguments or SIZES):
            capture = Path(argument)
            if argument.isdecimal():
                capture = Path(folder, f"llm-{argument}")
                capture.mkdir()
                for name, content in llm_like(int(argument)).items():
                    (capture / name).write_bytes(content)
            print(f"{capture.name:40} {measure(capture, Path(folder, f'{number}.pdf'))}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
