"""What files state of a fact, and whether two statements agree."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from trexreport.lazy_dataclass import dataclass
from trexreport.model import ContradictionCode, Engine, FileFacts
from trexreport.model.commands import times_queries
from trexreport.reader.file_names import plain_name
from trexreport.regex import regex

#: A path may have spaces, which no shell has left quoted.
_FLAG = regex(r"--(\w+)=(.*?)(?=\s+--|\s*$)")
#: What a shell, a program or a reader puts a value for: "$MODEL", "{onnx_path}", "<model>".
_PLACEHOLDER = regex(r"\$\w|\$?\{[^{}]{1,200}\}|<[^<>]{1,200}>")
_COUNT = regex(r"\d{1,6}(?!\d)", re.ASCII)


@dataclass(frozen=True)
class Stated:
    """What one file states.

    Attributes:
        value: In the form in which it is compared.
        text: As messages show it.
        subject: What it is about, such as the name of a tensor, where there are several.
        is_of_one_run: It is known to be of the same run as others of its file that say so.
    """

    file: str
    value: Any
    text: str
    subject: str = ""
    is_of_one_run: bool = False


@dataclass(frozen=True)
class Fact:
    """A fact that several files state or imply.

    Attributes:
        noun: What messages call it, after "Contradictory".
        stated: What each file states of it.
        agree: Whether two values can both be true.
        group: Of the facts of one group only the first contradiction is listed, as the others follow from it.
    """

    code: ContradictionCode
    noun: str
    stated: Callable[[Engine], Iterable[Stated]]
    agree: Callable[[Any, Any], bool]
    group: str = ""


def flag_values(file: FileFacts, *flags: str) -> Iterator[str]:
    """Yield what the command lines in a file give for some of trtexec's flags, without placeholders."""
    for command in file.setup.commands:
        values = (value.strip(" \"'") for flag, value in _FLAG.findall(command) if flag in flags)
        yield from (value for value in values if not _PLACEHOLDER.search(value))


def option_values(options: Mapping[str, str], *keys: str) -> Iterator[str]:
    """Yield the values of some options that have one; keys are compared by their beginning."""
    for key, value in options.items():
        if key.startswith(keys) and value.strip():
            yield value.strip()


def streams(engine: Engine) -> int | None:
    """Return how many queries may run at once; None if no file of a run says it."""
    texts = [
        text
        for file in engine.files
        for text in (
            *option_values(file.setup.inference_options, "Streams", "Inference Streams"),
            *flag_values(file, "streams", "infStreams"),
        )
    ]
    stated = [int(found[0]) for text in texts if (found := _COUNT.match(text))]
    known = any(
        file.setup.inference_options or any(map(times_queries, file.setup.commands))
        for file in engine.files
        if not file.is_build
    )
    return max(1, *stated) if stated else 1 if known else None


def base_name(path: str) -> str:
    """Return the name of a file of any system; empty if the path was cut, as at the colon of "C:"."""
    name = plain_name(path.strip())
    return name if len(name) > 1 and name != "unnamed" else ""


def graph_file(engine: Engine) -> str:
    """Return the name of the file that the layers are from; empty without one."""
    return next((file.file for file in engine.files if file.role == "graph"), "")


def states_nodes(engine: Engine) -> bool:
    """Return whether layers state their ONNX nodes, as TensorRT 8.6 and later write them."""
    return any("Metadata" in layer.attributes for layer in engine.layers)
