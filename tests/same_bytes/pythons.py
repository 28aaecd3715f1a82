"""Other Pythons on this machine, and how to run trexreport in them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import Distribution, distributions
from pathlib import Path

from packaging.specifiers import SpecifierSet

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

#: What reports, drawings, findings and sites need: libraries that work without compiled parts.
PURE = (
    *("click", "jinja2", "markupsafe", "plotly", "_plotly_utils", "rich", "markdown_it", "mdurl", "pygments"),
    *("packaging", "narwhals", "tomli"),
)
_OLDEST = (3, 10)
_EXTRAS = ("graphviz", "excel", "parquet", "pdf")
_PRINT_VERSION = "import sys; print(*sys.version_info[:2], sys.implementation.name)"


def others() -> dict[str, str]:
    """Return the other Pythons that trexreport supports, by version: of the path of programs, or pyenv's."""
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    programs = [*sorted(root.glob("versions/3.*/bin/python")), *_on_path()]
    found: dict[str, str] = {}
    for program in programs:
        version = _version(program)
        if version is not None and version >= _OLDEST and version != sys.version_info[:2]:
            found.setdefault(".".join(map(str, version)), str(program))
    return dict(sorted(found.items(), key=lambda item: tuple(map(int, item[0].split(".")))))


def _on_path() -> list[Path]:
    folders = [Path(folder) for folder in os.environ.get("PATH", "").split(os.pathsep) if folder]
    return [
        program
        for folder in folders
        if folder.is_dir()
        for program in sorted(folder.glob("python3.*"))
        if re.fullmatch(r"python3\.\d+", program.name)
    ]


def _version(program: Path) -> tuple[int, int] | None:
    """Return the version of a Python; None if it does not run, as the shims of pyenv may not."""
    try:
        done = subprocess.run(
            [program, "-S", "-c", _PRINT_VERSION], capture_output=True, text=True, timeout=300, check=False
        )
    except OSError:
        return None
    words = done.stdout.split()
    return (int(words[0]), int(words[1])) if words[2:] == ["cpython"] and done.returncode == 0 else None


def borrowed_libraries(folder: Path) -> Path:
    """Return a folder with the libraries of this Python that any other can use too."""
    folder.mkdir()
    for each in distributions():
        for name in {path.parts[0] for path in each.files or () if path.suffix == ".py"} & set(PURE):
            target = Path(str(each.locate_file(name)))
            if target.is_dir() and not (folder / name).exists():
                (folder / name).symlink_to(target)
    return folder


def environment_with_libraries(python: str, folder: Path, root: Path) -> str:
    """Return the Python of a new virtual environment with all that trexreport can use.

    Libraries without compiled parts are those of this Python, as they have a say in what is written, if they
    run in that one; of the others the newest for that Python is taken.
    """
    subprocess.run(
        [python, "-m", "venv", "--without-pip", folder], check=True, capture_output=True, timeout=300
    )
    version = _version(Path(python))
    same = [each for each in distributions() if _is_pure(each) and _runs_in(each, version)]
    wanted = folder / "constraints.txt"
    wanted.write_text("\n".join(f"{each.name}=={each.version}" for each in same))
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    libraries = [
        *project["dependencies"],
        *(each for extra in _EXTRAS for each in project["optional-dependencies"][extra]),
    ]
    program = folder / "bin" / "python"
    install = [sys.executable, "-m", "pip", "--python", program, "install"]
    # Only some of their modules are imported, by one process.
    quick = ("--quiet", "--disable-pip-version-check", "--no-compile")
    variables = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run(
        [*install, *quick, "--constraint", wanted, *libraries],
        cwd=folder,
        env=variables,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return str(program)


def _is_pure(each: Distribution) -> bool:
    stated = (each.read_text("WHEEL") or "").splitlines()
    return each.name != "trexreport" and "Root-Is-Purelib: true" in stated


def _runs_in(each: Distribution, version: tuple[int, int] | None) -> bool:
    wanted = each.metadata.get("Requires-Python") or ""
    return version is not None and SpecifierSet(wanted).contains(f"{version[0]}.{version[1]}.99")


def made_locales(folder: Path, names: tuple[tuple[str, str], ...]) -> list[str]:
    """Return those of the locales, each of language and encoding, that this machine can make in a folder."""
    program = shutil.which("localedef")
    folder.mkdir()
    if program is None:
        return []
    made = []
    for language, encoding in names:
        name = f"{language}.{encoding}"
        command = [program, "-i", language, "-f", encoding, str(folder / name)]
        if subprocess.run(command, capture_output=True, timeout=60, check=False).returncode == 0:
            made.append(name)
    return made
