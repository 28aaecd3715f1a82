"""Turn a drawing into PNG with a program that is there: rsvg-convert, or a browser without its window."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from math import sqrt
from pathlib import Path

from trexreport.errors import MissingToolError, OutputError
from trexreport.lazy_dataclass import dataclass
from trexreport.renderer.graph.child import run_limited

#: Browsers and Cairo draw no larger pictures than about this, in pixels a side.
MAX_PIXELS = 16_000
#: Pixels in total: what a browser draws in a few seconds, also on a build server without a GPU.
MAX_AREA = 40_000_000
_TIME_LIMIT_S = 60.0
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_CONVERTER = "rsvg-convert"
_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")


@dataclass(frozen=True)
class Png:
    """A picture, and how much smaller than the drawing it is (1 if it is not)."""

    data: bytes
    scale: float


def to_png(svg: bytes, width: float, height: float) -> Png:
    """Return a drawing as PNG; one that is too large for any program is drawn smaller.

    Args:
        svg: The drawing, made by this package: no program here guards against the files of others.
        width: Its width in pixels.
        height: Its height in pixels.

    Raises:
        MissingToolError: There is no program that draws SVG.
        OutputError: The program failed or took too long.
    """
    scale = min(1.0, MAX_PIXELS / max(width, height, 1.0), sqrt(MAX_AREA / max(width * height, 1.0)))
    size = max(1, round(width * scale)), max(1, round(height * scale))
    with tempfile.TemporaryDirectory(prefix="trexreport-") as folder:
        source, result = Path(folder, "graph.svg"), Path(folder, "graph.png")
        source.write_bytes(svg)
        command = _command(source, result, size, Path(folder))
        _run(command)
        with suppress(OSError):
            data = result.read_bytes()
            if data.startswith(_SIGNATURE):
                return Png(data, scale)
    raise OutputError(f"{Path(command[0]).name} created no PNG.", "Write .svg, which every browser shows.")


def png_program() -> str:
    """Return the path of the program that draws SVG as PNG.

    Raises:
        MissingToolError: There is none.
    """
    found = next((path for path in map(shutil.which, (_CONVERTER, *_BROWSERS)) if path), None)
    if found is None:
        raise MissingToolError(
            "No program that draws SVG as PNG is installed.",
            "Install rsvg-convert (Debian: librsvg2-bin) or Chromium, or write .svg: every browser shows it.",
        )
    return found


def _command(source: Path, result: Path, size: tuple[int, int], folder: Path) -> list[str]:
    width, height = size
    program = png_program()
    if Path(program).stem == _CONVERTER:
        return [program, f"--width={width}", f"--height={height}", f"--output={result}", str(source)]
    page = folder / "page.html"
    page.write_text(
        "<!DOCTYPE html><style>body{margin:0}img{display:block}</style>"
        f'<img src="{source.name}" width="{width}" height="{height}">',
        encoding="utf-8",
    )
    return [
        program,
        "--headless",
        "--disable-gpu",
        "--disable-background-networking",
        "--hide-scrollbars",
        "--no-first-run",
        # A browser run by root refuses to start with its sandbox; what it shows is our own drawing.
        *(["--no-sandbox"] if getattr(os, "geteuid", lambda: 1)() == 0 else []),
        f"--user-data-dir={folder / 'profile'}",
        f"--window-size={width},{height}",
        f"--screenshot={result}",
        page.as_uri(),
    ]


def _run(command: Sequence[str]) -> None:
    name = Path(command[0]).name
    try:
        run_limited(command, b"", _TIME_LIMIT_S)
    except subprocess.TimeoutExpired as error:
        raise OutputError(
            f"{name} took longer than {_TIME_LIMIT_S:g} s for the PNG.", "Write .svg."
        ) from error
    except (OSError, subprocess.CalledProcessError) as error:
        raise OutputError(f"{name} could not create the PNG.", "Write .svg.") from error
