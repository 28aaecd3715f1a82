"""Say in one line why a run of trtexec failed, from its log and its exit status."""

from __future__ import annotations

import signal
from collections.abc import Sequence

from trexreport.collector.flags import Stage
from trexreport.lazy_dataclass import dataclass
from trexreport.reader.error_causes import Cause
from trexreport.reader.first_cause import first_cause
from trexreport.reader.trtexec_lines import Record, split_log
from trexreport.regex import regex

_MOST_LINES = 6
#: What is written past trtexec's logger, by the CUDA runtime, the loader, a container's or ssh's client.
_BARE = regex(
    r"Cuda failure|Cannot find any available devices|terminate called|what\(\):|Segmentation fault|Killed"
    r"|error while loading shared libraries|docker: |Error response from daemon|ssh: |Permission denied"
    r"|No space left|not found"
)


#: What the same texts mean where no engine is loaded.
_BUILD_CAUSES = (
    Cause(
        r"Version tag does not match|Magic tag does not match|Serialization assertion"
        r"|(?:stdVersionRead|serializedVersion|magicTagRead) ==|deserializ\w* .*timing ?cache"
        r"|timing ?cache.*(?:deserializ|corrupt|invalid)",
        "The timing cache is damaged, or is of another version of TensorRT.",
        "Remove timing.cache from the folder, or the file of --timingCacheFile.",
    ),
)


@dataclass(frozen=True)
class Failure:
    """Why a run failed.

    Attributes:
        message: One sentence.
        hint: What to do about it; may be empty.
        lines: The lines of the log that say most, without their time.
    """

    message: str
    hint: str
    lines: tuple[str, ...]


def explain_failure(log: str, status: int, stage: Stage | None = None) -> Failure:
    """Return the likeliest cause of a failure.

    Args:
        log: What the run printed.
        status: Its exit status, negative for a signal.
        stage: What the run was for, if it is known: a build loads no engine.
    """
    lines = _all_error_lines(log) or tuple(each.text.strip() for each in _stated(log)[-2:])
    return _explained(lines, _BUILD_CAUSES if stage is Stage.BUILD else ()) or Failure(
        *_by_status(status), lines[:_MOST_LINES]
    )


def explain_errors(log: str) -> Failure:
    """Return what the errors in a log say, though the run ended as if nothing was wrong."""
    lines = _all_error_lines(log)
    return _explained(lines) or Failure("", "", lines[:_MOST_LINES])


def error_lines(log: str) -> tuple[str, ...]:
    """Return the first lines of a log that say what went wrong, each once."""
    return _all_error_lines(log)[:_MOST_LINES]


def _all_error_lines(log: str) -> tuple[str, ...]:
    found = [
        each.text.strip()
        for each in _stated(log)
        if each.severity in {"E", "F"} or (not each.severity and _BARE.search(each.text))
    ]
    return tuple(dict.fromkeys(found))


def _explained(lines: tuple[str, ...], others: Sequence[Cause] = ()) -> Failure | None:
    """Return the first cause that any of the lines shows; its line is among those that are kept."""
    found = first_cause(lines, others)
    if found is None:
        return None
    kept = lines[:_MOST_LINES]
    if found.line >= _MOST_LINES:
        kept = (lines[found.line], *lines[: _MOST_LINES - 1])
    return Failure(found.message, found.hint, kept)


def _stated(log: str) -> list[Record]:
    return [each for each in split_log(log) if isinstance(each, Record) and each.text.strip()]


def _by_status(status: int) -> tuple[str, str]:
    """Return the cause that the exit status alone implies; a shell reports signal N as 128 + N."""
    number = -status if status < 0 else status - 128
    if status == 127:
        return "trtexec was not found by the shell that starts it.", "Check the command."
    if number == signal.SIGKILL:
        return (
            "trtexec was killed, probably because the machine ran out of memory.",
            "Free some, or use smaller shapes.",
        )
    if number in set(signal.Signals):
        name = signal.Signals(number).name
        return f"trtexec crashed ({name}).", "--verbose shows more of it in the log."
    return f"trtexec failed with exit status {status}.", ""
