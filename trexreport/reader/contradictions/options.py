"""With which command and options the files say that the engine ran."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trexreport.model import Engine, FileFacts
from trexreport.numbers import counted
from trexreport.reader.contradictions.stated import Fact, Stated, flag_values, option_values
from trexreport.regex import regex

_COUNT = regex(r"\s*(\d{1,6})\s*", re.ASCII)


def _commands(engine: Engine) -> Iterator[Stated]:
    for file in engine.files:
        for command in file.setup.run_commands:
            yield Stated(file.file, command, f"trtexec {_shown(command)}", is_of_one_run=True)


def _shown(command: str) -> str:
    return command.rpartition("trtexec ")[2]


def _streams(engine: Engine) -> Iterator[Stated]:
    for file in _runs(engine):
        alone = len(file.setup.commands) == 1
        for text in option_values(file.setup.inference_options, "Streams", "Inference Streams"):
            if found := _COUNT.fullmatch(text):
                yield _of_streams(file, int(found[1]), "its options", alone=alone)
        given = list(flag_values(file, "streams", "infStreams"))
        if given and (found := _COUNT.fullmatch(given[-1])):
            yield _of_streams(file, int(found[1]), "its command", alone=alone)


def _of_streams(file: FileFacts, count: int, where: str, *, alone: bool) -> Stated:
    return Stated(file.file, count, f"{counted(count, 'stream')} in {where}", is_of_one_run=alone)


def _runs(engine: Engine) -> Iterator[FileFacts]:
    yield from (file for file in engine.files if not file.is_build)


def _is_equal(one: object, other: object) -> bool:
    return one == other


OPTION_FACTS = (
    Fact("command", "commands of one run", _commands, _is_equal),
    Fact("streams", "streams", _streams, _is_equal, "times"),
)
