"""Make the pictures of the documentation from the samples, in a headless Chromium.

Run it with the development environment: `python docs/images/make_images.py`, or `make images`.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from shutil import which

from playwright.sync_api import Page, sync_playwright

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "tests"))
from site_captures import write_capture  # noqa: E402

DEMO, AFTER = (ROOT / "samples" / f"resnet18-int8-{name}" for name in ("before", "after"))
TRACE = ROOT / "samples" / "kernels" / "resnet18-int8-before.kernels.json"
MODEL = ROOT / "samples" / "models" / "resnet18-int8-before.onnx"
_ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
#: Enough layers to open as blocks.
_LARGE_LAYERS = 2000
#: Milliseconds of each nightly run: one was slow once, and from the tenth on all are.
_NIGHTS_MS = (0.90, 0.901, 0.899, 0.90, 0.96, 0.901, 0.90, 0.899, 0.90, 0.948, 0.949, 0.947, 0.948, 0.949)


def main() -> None:
    """Write the pictures beside this file."""
    with tempfile.TemporaryDirectory() as folder:
        names = ("demo", "large", "compared", "model", "traced")
        demo, large, compared, model, traced = (Path(folder, f"{name}.html") for name in names)
        _report(DEMO, demo)
        _report(_large_capture(Path(folder)), large)
        _report(DEMO, model, "--onnx", str(MODEL))
        _report(DEMO, traced, "--kernels", str(TRACE))
        _run("-m", "trexreport", "compare", str(DEMO), str(AFTER), "-o", str(compared))
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=which("chromium"), args=_ARGUMENTS)
            for name, page, height, prepare in (
                ("report", demo, 720, _first_screen),
                ("findings", demo, 960, _open_finding),
                ("roofline", demo, 620, _roofline),
                ("model", model, 960, _model),
                ("model_graph", model, 960, _model_graph),
                ("icicle", model, 376, _icicle),
                ("kernels", traced, 720, _kernels),
                ("history", _history(Path(folder)), 720, _first_screen),
                ("graph", large, 1000, _open_blocks),
                ("comparison", compared, 900, _first_screen),
            ):
                tab = browser.new_page(viewport={"width": 1280, "height": height})
                tab.goto(page.as_uri())
                tab.wait_for_selector("html[data-ready=true]")
                prepare(tab)
                tab.mouse.move(0, 0)
                tab.screenshot(path=HERE / f"{name}.png")
            browser.close()


def _report(capture: Path, target: Path, *options: str) -> None:
    _run("-m", "trexreport", "report", str(capture), "-o", str(target), "--isolated", "--quiet", *options)


def _large_capture(folder: Path) -> Path:
    """Generate a decoder of many layers and return the folder of its files."""
    script = ROOT / "samples" / "make_samples.py"
    _run(str(script), "--llm", str(_LARGE_LAYERS), "-o", str(folder / "llm"))
    return next((folder / "llm").iterdir())


def _history(folder: Path) -> Path:
    """Make a site of one model's nightly runs and return the page of its history."""
    for night, time_ms in enumerate(_NIGHTS_MS, start=1):
        date = f"2026-03-{night:02}"
        write_capture(
            folder / "nightly" / date,
            name="detector",
            model="detector.onnx",
            ms=time_ms,
            seed=night,
            date=f"{date}T02:00:00Z",
        )
    site = folder / "site"
    _run("-m", "trexreport", "site", str(folder / "nightly"), "-o", str(site), "--isolated", "--quiet")
    return next((site / "history").glob("*.html"))


def _run(*arguments: str) -> None:
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)


def _first_screen(page: Page) -> None:
    """Show the page as it opens."""
    _settle(page)


def _open_finding(page: Page) -> None:
    """Show the findings with the first one unfolded."""
    page.locator("#findings details.finding > summary").first.click()
    _scroll_to(page, "#findings")


def _roofline(page: Page) -> None:
    """Show the layers against the peaks of the GPU."""
    _scroll_to(page, "#roofline")


def _kernels(page: Page) -> None:
    """Show the kernels of a query over the time."""
    _scroll_to(page, "#kernels")


def _model(page: Page) -> None:
    """Show what modules cost."""
    _scroll_to(page, "#model")


def _model_graph(page: Page) -> None:
    """Show engine and model side by side, with a layer and its nodes selected."""
    page.set_viewport_size({"width": 1600, "height": 960})
    page.locator("#view-both").click()
    page.locator("#graph-find").fill("node:/layer1/layer1.0/conv2/Conv")
    page.locator("#find-next").click()
    page.locator("#graph-find").fill("")
    _scroll_to(page, "#graph")


def _icicle(page: Page) -> None:
    """Show what is in a module, with a layer selected."""
    page.evaluate("location.hash = '#module=layer1'")
    page.locator("#icicle-module g.icicle-layer").nth(1).focus()
    _scroll_to(page, "#icicle-module")


def _open_blocks(page: Page) -> None:
    """Show blocks, one of them opened down to its layers."""
    for label in ("layers.0 – layers.31", "layers.0"):
        page.locator(f'.plan-block[aria-label^="{label},"]').first.click()
    page.locator("#graph-out").click()
    page.locator("#graph-out").click()
    _scroll_to(page, "#graph")
    page.locator("#graph-view").evaluate("element => element.scrollTo(0, 60)")
    _settle(page)


def _scroll_to(page: Page, selector: str) -> None:
    page.locator(selector).evaluate("element => element.scrollIntoView({behavior: 'instant'})")
    _settle(page)


def _settle(page: Page) -> None:
    """Let the page scroll and draw what came into view."""
    pause: Callable[[float], None] = page.wait_for_timeout
    pause(600)


if __name__ == "__main__":
    main()
