"""Measure the HTML report at several sizes: bytes by part, CPU, peak memory, and how it opens in Chromium.

Usage: python benchmarks/page.py [LAYERS ...]

The plans are synthetic decoders. "Beyond the fixed part" leaves out what the page of an engine of one layer
has too: script, style sheet, plotly.js. Times in the browser are medians over several fresh browsers; without
Chromium and Playwright those columns stay empty.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1] / "samples"))

from generator.large import llm_like

SIZES = (200, 2_000, 20_000)
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
#: Fresh browsers for each page; the median of them counts.
VISITS = 5
#: Kept from the start, as the page says only that it is ready, not when.
WATCH_READY = """
new MutationObserver((_, observer) => {
  if (document.documentElement?.dataset.ready) {
    window.readyAt = performance.now();
    observer.disconnect();
  }
}).observe(document, { subtree: true, attributes: true, childList: true });
"""
SEARCH = """
(words) => words.map((word) => {
  const input = document.getElementById("search-text");
  input.value = word;
  const began = performance.now();
  input.dispatchEvent(new Event("input"));
  return performance.now() - began;
})
"""
WORDS = (
    *("l", "la", "lay", "layers.1", "layers.10", "attn", "mlp", "gemm", "model", "q"),
    *("weights", "x7", "99", "norm", "tensor", "key", "fusion", "17", "a.b", "rope"),
)
#: Scrolls the table by five rows a frame for two seconds; the frames a second that came of it.
SCROLL = """
() => new Promise((done) => {
  const table = document.getElementById("grid-scroll");
  table.scrollIntoView();
  const began = performance.now();
  let frames = 0;
  const step = (now) => {
    frames += 1;
    table.scrollTop += 140;
    if (now - began < 2000) requestAnimationFrame(step);
    else done((1000 * frames) / (now - began));
  };
  requestAnimationFrame(step);
})
"""


class Made(NamedTuple):
    """A page and what it took to make it."""

    path: Path
    cpu_s: float
    peak_mb: float


def write_plan(folder: Path, layers: int) -> None:
    """Write the capture of a plan; one layer is not a plan that the generator makes."""
    folder.mkdir()
    if layers == 1:
        tensors = [
            {"Name": name, "Dimensions": [1], "Format/Datatype": "Row major linear FP16"} for name in "ab"
        ]
        layer = {"Name": "one", "LayerType": "gemm", "Inputs": tensors[:1], "Outputs": tensors[1:]}
        files = {"one.graph.json": json.dumps({"Layers": [layer], "Bindings": ["a", "b"]}).encode()}
    else:
        files = llm_like(layers)
    for name, content in files.items():
        (folder / name).write_bytes(content)


def make_page(folder: Path) -> Made:
    """Run the report command on a capture in a process of its own."""
    path = folder.with_suffix(".html")
    command = [
        sys.executable,
        "-m",
        "trexreport",
        "report",
        str(folder),
        "--quiet",
        "--force",
        "-o",
        str(path),
    ]
    process = subprocess.Popen(command)
    _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status):
        raise SystemExit(f"{' '.join(command)} failed")
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return Made(path, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / unit)


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


def visit(path: Path) -> dict[str, float]:
    """Open a page in fresh browsers; return milliseconds, and frames a second."""
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        return {}
    try:
        from playwright.sync_api import sync_playwright  # noqa: PLC0415 - the other columns need none
    except ImportError:
        return {}
    visits: list[dict[str, float]] = []
    with sync_playwright() as playwright:
        for _ in range(VISITS):
            browser = playwright.chromium.launch(executable_path=found, args=ARGUMENTS)
            visits.append(_measure(browser.new_page(viewport={"width": 1280, "height": 900}), path))
            browser.close()
    return {key: statistics.median(each[key] for each in visits) for key in visits[0]}


def _measure(page: Any, path: Path) -> dict[str, float]:
    page.add_init_script(WATCH_READY)
    page.goto(path.as_uri())
    page.locator("html[data-ready]").wait_for(state="attached")
    # What is unpacked after the first screen, such as plotly.js, is not to be measured with the search.
    page.wait_for_timeout(1500)
    paint = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    page.keyboard.press("Control+k")
    page.wait_for_timeout(1000)
    search = statistics.median(page.evaluate(SEARCH, list(WORDS)))
    page.keyboard.press("Escape")
    return {
        "paint": paint,
        "ready": page.evaluate("window.readyAt"),
        "search": search,
        "frames": page.evaluate(SCROLL),
    }


def main() -> None:
    """Print one line for each size."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("layers", nargs="*", type=int, default=SIZES, help="sizes of the plans")
    sizes = parser.parse_args().layers
    columns = ["data", "attributes", "inputs", "plan", "charts", "rest"]
    heads = " ".join(f"{name:>10}" for name in columns)
    timed = " ".join(f"{name:>6}" for name in ("paint", "ready", "search", "scroll"))
    units = " ".join(f"{name:>6}" for name in ("ms", "ms", "ms", "f/s"))
    print(f"{'':7} {'page':>8} {'beyond':>8} {'bytes by part, kB':66} {'CPU':>5} {'memory':>7} {timed}")
    print(f"{'layers':>7} {'MB':>8} {'fixed':>8} {heads} {'s':>5} {'MB':>7} {units}")
    with tempfile.TemporaryDirectory() as folder:
        fixed = 0
        for layers in (1, *sizes):
            capture = Path(folder) / str(layers)
            write_plan(capture, layers)
            made = make_page(capture)
            page = made.path.read_text("utf-8")
            size, parts = made.path.stat().st_size, parts_of(page)
            fixed = fixed or size
            line = f"{layers:7} {size / 1e6:8.2f} {(size - fixed) / 1e6:8.2f} "
            line += "".join(f" {parts[name] / 1e3:10.0f}" for name in columns)
            line += f" {made.cpu_s:5.1f} {made.peak_mb:7.0f}"
            line += "".join(f" {value:6.1f}" for value in visit(made.path).values())
            print(line, flush=True)


if __name__ == "__main__":
    main()
