"""Build the gallery: a site of all samples and the documentation, which opens from a disk and below any path.

Run it with the development environment: `make gallery`, or `python gallery/make_gallery.py`. It writes into
build/gallery. The pictures are of the pages themselves, light and dark, by a headless Chromium; where there
is none, the front page has no pictures.
"""

from __future__ import annotations

import argparse
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from trexreport import __version__

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
OUTPUT = ROOT / "build" / "gallery"
#: A folder with this file is an earlier gallery.
_MARK = "gallery.txt"
_LARGE_LAYERS = 2000
_KINDS = {"pdf": "PDF", "md": "Markdown", "json": "JSON"}
#: Of a picture, in pixels.
WIDTH, HEIGHT = 1100, 700
_BROWSER = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


def main() -> None:
    """Build the gallery."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "-o", "--output", type=Path, default=OUTPUT, help="the folder; an earlier gallery is replaced"
    )
    parser.add_argument("--no-pictures", action="store_true", help="leave the pictures out")
    options = parser.parse_args()
    build(options.output, with_pictures=not options.no_pictures)
    print(f"Open {options.output / 'index.html'} in a browser.")


def build(output: Path, *, with_pictures: bool) -> None:
    """Write the gallery into a folder, which may have an earlier gallery.

    Raises:
        SystemExit: The folder has something else.
    """
    if output.exists() and any(output.iterdir()) and not (output / _MARK).exists():
        raise SystemExit(f"{output} has other files. Choose another folder.")
    shutil.rmtree(output, ignore_errors=True)
    output.mkdir(parents=True)
    (output / _MARK).write_text("Made by gallery/make_gallery.py, which removes this folder.\n", "utf-8")
    with tempfile.TemporaryDirectory() as made:
        _run(
            str(ROOT / "samples" / "make_samples.py"), "--llm", str(_LARGE_LAYERS), "-o", f"{made}/generated"
        )
        next(Path(made, "generated").iterdir()).rename(Path(made, "llm"))
        for entry in entries():
            for arguments in commands(entry, output, Path(made)):
                _run("-m", "trexreport", *arguments)
        _documentation(output / "docs", Path(made, "docs"))
    if with_pictures:
        _take_pictures(output)
    (output / "index.html").write_text(front_page(output), encoding="utf-8")


def entries() -> list[dict[str, Any]]:
    """Return the entries of entries.toml."""
    found: list[dict[str, Any]] = tomllib.loads((HERE / "entries.toml").read_text("utf-8"))["entry"]
    return found


def page_of(entry: dict[str, Any]) -> str:
    """Return the address of an entry's page in the gallery."""
    return "site/index.html" if entry["command"].startswith("site ") else f"reports/{entry['name']}.html"


def commands(entry: dict[str, Any], output: Path, made: Path) -> list[list[str]]:
    """Return the arguments of each command that makes the files of an entry."""
    folders = {"samples": str(ROOT / "samples"), "made": str(made)}
    arguments = [word.format(**folders) for word in shlex.split(entry["command"])]
    if arguments[0] == "site":
        return [[*arguments, "-o", str(output / "site"), "--title", "Samples", "--isolated"]]
    (output / "reports").mkdir(exist_ok=True)
    files = [output / page_of(entry), *(output / file for _, file in _also(entry))]
    isolated = [] if arguments[0] == "demo" else ["--isolated"]
    return [[*arguments, "-o", str(file), *isolated] for file in files]


def front_page(output: Path) -> str:
    """Return the front page of the gallery in a folder, with the pictures that are there."""
    templates = Environment(loader=FileSystemLoader(HERE), autoescape=True, undefined=StrictUndefined)
    shown = []
    for entry in entries():
        pictures = {theme: f"pictures/{entry['name']}-{theme}.png" for theme in ("light", "dark")}
        has_pictures = all((output / file).exists() for file in pictures.values())
        command = entry["command"].format(samples="samples", made="captures")
        shown.append(
            {
                **entry,
                "page": page_of(entry),
                "also": _also(entry),
                "pictures": pictures if has_pictures else None,
                "shown_command": f"trexreport {command}",
            }
        )
    purpose = " ".join((ROOT / "docs" / "README.md").read_text("utf-8").split("\n\n")[1].split())
    page = templates.get_template("index.html.j2")
    return page.render(
        entries=shown, purpose=purpose.replace("`", ""), version=__version__, width=WIDTH, height=HEIGHT
    )


def _also(entry: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the name and the address of each further format."""
    return [(_KINDS[kind], f"reports/{entry['name']}.{kind}") for kind in entry.get("also", ())]


def _documentation(target: Path, sources: Path) -> None:
    """Build the documentation, and put the Markdown files beside the pages: llms.txt lists these."""
    shutil.copytree(ROOT / "docs", sources / "docs", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "mkdocs.yml", sources)
    subprocess.run(
        [sys.executable, "-m", "zensical", "build", "--strict"],
        check=True,
        cwd=sources,
        stdout=subprocess.DEVNULL,
    )
    shutil.copytree(sources / "build" / "docs", target)
    for file in (sources / "docs").rglob("*.md"):
        shutil.copy(file, target / file.relative_to(sources / "docs"))


def _take_pictures(output: Path) -> None:
    """Save a picture of each page in both themes; without a browser print why there is none."""
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        print("No pictures: playwright is not installed.", file=sys.stderr)
        return
    (output / "pictures").mkdir()
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=_BROWSER)
            for theme in ("light", "dark"):
                for entry in entries():
                    tab = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme=theme)
                    anchor = f"#{entry['anchor']}" if "anchor" in entry else ""
                    tab.goto(f"{(output / page_of(entry)).as_uri()}{anchor}")
                    tab.wait_for_selector("html[data-ready=true]")
                    tab.wait_for_timeout(800)
                    tab.screenshot(path=output / "pictures" / f"{entry['name']}-{theme}.png")
                    tab.close()
            browser.close()
    except Error as error:
        print(f"No pictures: {str(error).partition(chr(10))[0]}", file=sys.stderr)


def _run(*arguments: str) -> None:
    result = subprocess.run([sys.executable, *arguments], check=False, capture_output=True, text=True)
    if result.returncode:
        raise SystemExit(f"{shlex.join(arguments)}\n{result.stderr}")


if __name__ == "__main__":
    main()
