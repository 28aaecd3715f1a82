"""Measure what a site of many captures costs: the first run, one without changes, and its index in a browser.

Run `python benchmarks/site.py [CAPTURES]`. CPU time counts, that of all processes together: on a machine with
nothing else to do two cores need half of it. The index is scrolled and filtered in Chromium, if there is one.
"""

from __future__ import annotations

import datetime as dt
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "samples"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from generator.capture import capture_files
from generator.large import QUERIES, UnetBuilder
from generator.roofline import A100
from generator.transformer import decoder_run
from playwright.sync_api import sync_playwright
from site_captures import site_of

from trexreport.site.pages import render_pages

MODELS = 20
#: Every third model becomes slower by so much at this run.
SLOWER, FROM_RUN = 1.07, 26
INDEX_ENGINES = 5000
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
_FRAMES = """
async () => {
  const scroller = document.getElementById("grid-scroll");
  scroller.scrollIntoView();
  const times = [];
  let last = await new Promise(requestAnimationFrame);
  for (let step = 1; step <= 120; step += 1) {
    scroller.scrollTop = step * 400;
    const now = await new Promise(requestAnimationFrame);
    times.push(now - last);
    last = now;
  }
  return times;
}
"""
_FILTER = """
() => {
  const times = [];
  for (const text of ["g", "gp", "gpu:3", "gpu:3 precision:int8", "gpu:3 precision:int8 latency<1.5", ""]) {
    const input = document.getElementById("filter");
    input.value = text;
    const before = performance.now();
    input.dispatchEvent(new Event("input"));
    times.push(performance.now() - before);
  }
  const buttons = [...document.querySelectorAll("#grid-scroll thead button")];
  const button = buttons.find((each) => each.textContent.startsWith("Latency"));
  const before = performance.now();
  button.click();
  times.push(performance.now() - before);
  return times;
}
"""


def write_captures(count: int, folder: Path) -> None:
    """Write small convolutional networks, one run of each model a day."""
    for number in range(count):
        day, model = divmod(number, MODELS)
        run = replace(decoder_run(f"unet-{model:02}.onnx", number, QUERIES), device=A100)
        if day >= FROM_RUN and model % 3 == 0:
            run = replace(run, overlap=run.overlap * SLOWER)
        place = folder / str(dt.date(2024, 1, 1) + dt.timedelta(days=day)) / f"unet-{model:02}"
        place.mkdir(parents=True)
        engine = UnetBuilder().build(2 + model % 4, 1 + model)
        for name, data in capture_files(f"unet-{model:02}", engine, run).items():
            (place / name).write_bytes(data)


def cpu_s(captures: Path, output: Path) -> tuple[float, str]:
    """Return the CPU time of the command with all its processes, and what it stated last."""
    before = os.times()
    command = [sys.executable, "-m", "trexreport", "site", str(captures), "-o", str(output), "--isolated"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    after = os.times()
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    return spent, done.stderr.splitlines()[-1]


def write_index(folder: Path, engines: int) -> Path:
    """Write the index of many engines that were never measured."""
    began = time.process_time()
    page = dict(render_pages(site_of(engines), ["captures"], ""))["index.html"]
    print(f"index of {engines} engines: {len(page) / 1000:.0f} kB, {time.process_time() - began:.2f} CPU s")
    (folder / "index.html").write_bytes(page)
    return folder / "index.html"


def measure_index(page_path: Path) -> None:
    """Print how long frames take while the table is scrolled, and how long filtering and sorting do."""
    browser_path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser_path is None:
        print("no Chromium is installed: the index was not scrolled")
        return
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=browser_path, args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.goto(page_path.as_uri())
        page.locator("html[data-ready]").wait_for(state="attached")
        frames = sorted(page.evaluate(_FRAMES))
        handled = page.evaluate(_FILTER)
        browser.close()
    late = statistics.quantiles(frames, n=20)[-1]
    print(f"scrolling: median frame {statistics.median(frames):.1f} ms, 95% within {late:.1f} ms")
    print(f"filtering and sorting: at most {max(handled):.1f} ms before the next frame")


def main() -> None:
    """Print the costs."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_captures(count, folder / "captures")
        for title in ("first run", "second run"):
            spent, stated = cpu_s(folder / "captures", folder / "site")
            print(f"{title}: {spent:.1f} s of CPU time; {stated}", flush=True)
        size = sum(path.stat().st_size for path in (folder / "site").rglob("*") if path.is_file())
        print(f"size of the site: {size / 1e6:.0f} MB")
        measure_index(write_index(folder, INDEX_ENGINES))


if __name__ == "__main__":
    main()
