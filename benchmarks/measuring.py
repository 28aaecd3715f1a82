"""What benchmarks share: what a command costs as a process of its own, and how a page feels in Chromium."""

from __future__ import annotations

import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1] / "samples"))

from generator.large import llm_like

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
#: Fresh browsers for each page; the median of them counts.
VISITS = 5
#: Real engines lie beside a checkout, where there are some; this is the one of 1,309 layers.
REAL_ENGINE = Path(__file__).resolve().parents[2] / "shared" / "engines" / "thor-driving-transformer-trt10"

#: Kept from the start, as the page says only that it is ready, not when. Nothing asks it again and again
#: meanwhile: each time Playwright would walk through all of the page, in the time that is measured.
WATCH_READY = """
window.readyAt = new Promise((done) => {
  const observer = new MutationObserver(() => {
    if (!document.documentElement?.dataset.ready) return;
    done(performance.now());
    observer.disconnect();
  });
  observer.observe(document, { subtree: true, attributeFilter: ["data-ready"] });
});
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
#: Each head of the table is clicked once; the time until the next frame has been drawn.
SORT = """
async () => {
  const times = [];
  for (const button of [...document.querySelectorAll("#grid-scroll thead button")].slice(0, 6)) {
    const began = performance.now();
    button.click();
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    times.push(performance.now() - began);
  }
  return times;
}
"""
#: Moves a part of the page a little each frame for two seconds; the frames a second that came of it.
MOVE = """
([id, right, down]) => new Promise((done) => {
  const view = document.getElementById(id);
  const began = performance.now();
  let frames = 0;
  const step = (now) => {
    frames += 1;
    view.scrollTop += down;
    view.scrollLeft += right;
    if (view.scrollTop + view.clientHeight >= view.scrollHeight - 1) view.scrollTop = 0;
    if (now - began < 2000) requestAnimationFrame(step);
    else done((1000 * frames) / (now - began));
  };
  requestAnimationFrame(step);
})
"""

#: Starts a command from a small process, as each begins with the peak of memory of the one that starts it.
LAUNCHER = """
import json, os, sys
null = os.open(os.devnull, os.O_WRONLY)
child = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, null, 1)])
_, status, usage = os.wait4(child, 0)
print(json.dumps([usage.ru_utime + usage.ru_stime, usage.ru_maxrss]))
sys.exit(os.waitstatus_to_exitcode(status))
"""


class Cost(NamedTuple):
    """What a process took, with all its children."""

    cpu_s: float
    peak_mb: float


class TooLongError(Exception):
    """A command was ended because it took longer than its limit."""


def cost_of(command: Sequence[str], limit_s: float | None = None) -> Cost:
    """Run a command.

    CPU time rather than time: other programs on the machine disturb it less.

    Raises:
        TooLongError: It took longer than the limit.
    """
    launched = [sys.executable, "-I", "-S", "-c", LAUNCHER, *command]
    # Compiled modules and templates are kept, as they are for users.
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    # A group of its own, so that all of it can be ended.
    with subprocess.Popen(
        launched,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env=environment,
    ) as process:
        try:
            printed, stated = process.communicate(timeout=limit_s)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise TooLongError(f"{' '.join(command)}: more than {limit_s:g} s") from None
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} failed with {process.returncode}: {stated.strip()}")
    cpu_s, peak = json.loads(printed)
    return Cost(cpu_s, peak / (2**20 if sys.platform == "darwin" else 2**10))


def trexreport(*words: object) -> list[str]:
    """Return the command line of trexreport in this Python."""
    return [sys.executable, "-m", "trexreport", *map(str, words)]


def write_decoder(folder: Path, layers: int) -> Path:
    """Write the capture of a synthetic decoder."""
    folder.mkdir(parents=True)
    for name, content in llm_like(layers).items():
        (folder / name).write_bytes(content)
    return folder


def visit(path: Path) -> dict[str, float]:
    """Open a page in fresh browsers; return the medians of what it took, or nothing without a browser.

    Returns:
        "paint" and "ready": milliseconds from the start; "search" and "sort": milliseconds for each;
        "scroll" of the table and "pan" of the graph: frames a second.
    """
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        return {}
    try:
        from playwright.sync_api import sync_playwright  # noqa: PLC0415 - the rest needs none
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
    ready = page.evaluate("window.readyAt")
    # What is unpacked after the first screen, such as plotly.js, is not to be measured with the search.
    page.wait_for_timeout(1500)
    paint = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    page.keyboard.press("Control+k")
    page.wait_for_timeout(1000)
    search = statistics.median(page.evaluate(SEARCH, list(WORDS)))
    page.keyboard.press("Escape")
    return {
        "paint": paint,
        "ready": ready,
        "search": search,
        "sort": statistics.median(page.evaluate(SORT)),
        "scroll": _frames(page, "grid-scroll", 0, 140),
        "pan": _frames(page, "graph-view", 11, 37),
    }


def _frames(page: Any, part: str, right: int, down: int) -> float:
    page.locator(f"#{part}").scroll_into_view_if_needed()
    # Charts that come near become interactive first.
    page.wait_for_timeout(2000)
    return float(page.evaluate(MOVE, [part, right, down]))
