"""Every command that writes, what it writes, and how to run it in a child that ends as a test wants."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from trexreport.cli import main

PEOPLE = ("--to", "a@b.c", "--from", "a@b.c")
#: Name to command and what it writes; the words in braces are places.
WRITERS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "report": (("report", "{it}", "-o", "{out}/r.html", "--charts", "static", "-q"), ("r.html",)),
    "report json": (("report", "{it}", "-o", "{out}/r.json"), ("r.json",)),
    "summary": (("report", "{it}", "-o", "{out}/r.md"), ("r.md",)),
    "compare": (("compare", "{it}", "{it}", "-o", "{out}/c.html", "-o", "{out}/c.md"), ("c.html", "c.md")),
    "archive": (("archive", "{it}", "--no-report", "-o", "{out}/a.trexa"), ("a.trexa",)),
    "draw": (("draw", "{it}", "-o", "{out}/d.svg"), ("d.svg",)),
    "export": (("export", "{it}", "-o", "{out}/e.csv"), ("e.csv",)),
    "lint": (
        ("lint", "{it}", "--fail-on", "never", "--format", "sarif", "-o", "{out}/l.sarif"),
        ("l.sarif",),
    ),
    "mail": (("mail", "{it}", *PEOPLE, "--eml", "{out}/m.eml"), ("m.eml",)),
    "check": (
        (
            "check",
            "{it}",
            "--budget",
            "{toml}",
            "-o",
            "{out}/k.json",
            "-o",
            "{out}/k.xml",
            "-o",
            "{out}/k.sarif",
        ),
        ("k.json", "k.xml", "k.sarif"),
    ),
    "extract": (("extract", "{page}", "-o", "{out}", "--force"), ("m.graph.json", "m.profile.json")),
    "extract an archive": (
        ("extract", "{trexa}", "-o", "{out}", "--force"),
        ("m.graph.json", "m.profile.json"),
    ),
    "collect --from-log": (
        ("collect", "{log}", "--from-log", "-o", "{out}", "--force"),
        ("m.engine.capture.json", "m.engine.build.log"),
    ),
}


@dataclass(frozen=True)
class Ended:
    """How a child ended: its exit code or the signal that killed it, and its words."""

    code: int
    killed_by: int
    stated: str


def command(name: str, out: Path, **places: Path) -> list[str]:
    """Return the words of a command that writes to a folder."""
    return [word.format(out=out, **places) for word in WRITERS[name][0]]


def in_child(words: list[str], prepare: Callable[[], object]) -> Ended:
    """Run a command in a child of this process, after something that hurts it."""
    sys.stdout.flush()
    sys.stderr.flush()
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        status = 70
        try:
            os.dup2(writer, 2)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            sys.stdout, sys.stderr = (open(number, "w", closefd=False) for number in (1, 2))  # noqa: SIM115
            prepare()
            main.main(words)
        except SystemExit as error:
            status = error.code if isinstance(error.code, int) else 0
        except BaseException as error:  # noqa: BLE001 - the parent reads it
            os.write(2, f"Traceback: {error!r}".encode())
        finally:
            sys.stderr.flush()
            os._exit(status)
    os.close(writer)
    with open(reader, errors="replace") as words_of_child:  # noqa: PTH123 - a pipe has no path
        stated = words_of_child.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return Ended(-1, os.WTERMSIG(status), stated)
    return Ended(os.WEXITSTATUS(status), 0, stated)


#: What a program does to files: audit events of the interpreter.
_DEEDS = {"open", "tempfile.mkstemp", "os.rename", "os.chmod", "os.remove", "os.mkdir", "os.rmdir", "os.link"}


def kill_at(deed: int, folder: Path) -> Callable[[], object]:
    """Return what has a process killed just before the n-th thing that it does to files of a folder."""
    seen = 0

    def watch(event, arguments):
        nonlocal seen
        if event in _DEEDS and arguments and str(arguments[0]).startswith(str(folder)):
            seen += 1
            if seen == deed:
                os.kill(os.getpid(), signal.SIGKILL)

    return lambda: sys.addaudithook(watch)


#: What a file of trexreport begins with, so that it may be replaced.
OLD = b'{"generator": "trexreport", "old": true}'


def put_old(name: str, out: Path) -> None:
    """Write an earlier result of a command, where it replaces one."""
    out.mkdir(exist_ok=True)
    if name != "collect --from-log":
        for written in WRITERS[name][1]:
            (out / written).write_bytes(OLD)


def contents(folder: Path) -> dict[str, bytes]:
    """Return the files below a folder: name to content."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def is_whole(path: str, data: bytes, new: dict[str, bytes]) -> bool:
    """Return whether a file is what an undisturbed command writes, as far as that is the same each time."""
    # What a collector has finished stays in a folder that says that it is incomplete.
    wanted = new[path.removeprefix("m.engine.incomplete/")]
    if path.endswith(".eml"):
        # Each mail has its own identifier and boundaries.
        return abs(len(data) - len(wanted)) < 40
    if path.endswith(".capture.json"):
        return json.loads(data)["schema"] == "trexreport-capture"
    return data == wanted
