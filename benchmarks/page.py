"""Measure the HTML report at several sizes: bytes by part, CPU, peak memory, and how it opens in Chromium.

Usage: python benchmarks/page.py [LAYERS ...]

The plans are synthetic decoders. "Beyond the fixed part" leaves out what the page of an engine of one layer
has too: script, style sheet, plotly.js. Times in the browser are medians over several fresh browsers; without
Chromium and Playwright those columns stay empty.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from pathlib import Path

from measuring import Cost, cost_of, trexreport, visit, write_decoder

SIZES = (200, 2_000, 20_000)


def write_plan(folder: Path, layers: int) -> None:
    """Write the capture of a plan; one layer is not a plan that the generator makes."""
    if layers > 1:
        write_decoder(folder, layers)
        return
    folder.mkdir()
    tensors = [{"Name": name, "Dimensions": [1], "Format/Datatype": "Row major linear FP16"} for name in "ab"]
    layer = {"Name": "one", "LayerType": "gemm", "Inputs": tensors[:1], "Outputs": tensors[1:]}
    (folder / "one.graph.json").write_text(json.dumps({"Layers": [layer], "Bindings": ["a", "b"]}))


def make_page(folder: Path) -> tuple[Path, Cost]:
    """Run the report command on a capture in a process of its own."""
    path = folder.with_suffix(".html")
    return path, cost_of(trexreport("report", folder, "--quiet", "--force", "-o", path))


def parts_of(page: str) -> dict[str, int]:
    """Return the bytes of each part of a page, the largest parts by name."""
    parts = dict.fromkeys(("data", "attributes", "inputs", "plan", "script", "plotly", "charts"), 0)
    rest = len(page.encode("utf-8"))
    for name, content in re.findall(r'<script[^>]* id="trexreport-(\w+)[^"]*"[^>]*>([^<]*)', page):
        parts[name if name in parts else "inputs"] += len(content)
        rest -= len(content)
    without_scripts = re.sub(r"<(script|style)\b.*?</\1>", "", page, flags=re.DOTALL)
    for found in re.finditer(r'<figure class="chart.*?</figure>', without_scripts, re.DOTALL):
        parts["charts"] += len(found.group().encode("utf-8"))
    return parts | {"rest": rest - parts["charts"]}


def main() -> None:
    """Print one line for each size."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("layers", nargs="*", type=int, default=SIZES, help="sizes of the plans")
    sizes = parser.parse_args().layers
    columns = ["data", "attributes", "inputs", "plan", "charts", "rest"]
    heads = " ".join(f"{name:>10}" for name in columns)
    timed = " ".join(f"{name:>6}" for name in ("paint", "ready", "search", "sort", "scroll", "pan"))
    units = " ".join(f"{name:>6}" for name in ("ms", "ms", "ms", "ms", "f/s", "f/s"))
    print(f"{'':7} {'page':>8} {'beyond':>8} {'bytes by part, kB':66} {'CPU':>5} {'memory':>7} {timed}")
    print(f"{'layers':>7} {'MB':>8} {'fixed':>8} {heads} {'s':>5} {'MB':>7} {units}")
    with tempfile.TemporaryDirectory() as folder:
        fixed = 0
        for layers in (1, *sizes):
            capture = Path(folder) / str(layers)
            write_plan(capture, layers)
            path, cost = make_page(capture)
            page = path.read_text("utf-8")
            size, parts = path.stat().st_size, parts_of(page)
            fixed = fixed or size
            line = f"{layers:7} {size / 1e6:8.2f} {(size - fixed) / 1e6:8.2f} "
            line += "".join(f" {parts[name] / 1e3:10.0f}" for name in columns)
            line += f" {cost.cpu_s:5.1f} {cost.peak_mb:7.0f}"
            if layers > 1:
                line += "".join(f" {value:6.1f}" for value in visit(path).values())
            print(line, flush=True)


if __name__ == "__main__":
    main()
