"""Read a user's arguments for trtexec, with dashes or without, and refuse what trtexec would choke on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from trexreport.collector.flags import FlagTable, Support
from trexreport.collector.versions import Version
from trexreport.errors import UsageError
from trexreport.lazy_dataclass import dataclass
from trexreport.regex import regex
from trexreport.toml_table import did_you_mean, quoted

_NAME = regex(r"[A-Za-z]\w*", re.ASCII)
_WORD = regex(r"\w+", re.ASCII)
_NEGATIVE = regex(r"-\d+(?:\.\d*)?", re.ASCII)
_OFF = {"0", "false", "no", "off"}
_ON = {"1", "true", "yes", "on"}
#: What people write by habit, as other programs take it.
_SHORT = {"v": "verbose"}
_OWN_HINTS = {
    "onnx": "Give the model in place of it.",
    "loadEngine": "Give the engine in place of it.",
    "h": "Run trtexec --help for that.",
    "help": "Run trtexec --help for that.",
}


@dataclass(frozen=True)
class Argument:
    """One flag of trtexec, its name without dashes."""

    name: str
    value: str | None = None

    def __str__(self) -> str:
        return f"--{self.name}" if self.value is None else f"--{self.name}={self.value}"


def read_arguments(words: Iterable[str], table: FlagTable) -> tuple[Argument, ...]:
    """Return the flags that words such as "--fp16", "fp16", "shapes=x:1x3" or "--shapes", "x:1x3" mean.

    trtexec itself knows one form only, `--name=value` in one word; TREx passes flags without dashes.
    A flag with dashes may be one that the table does not know.

    Raises:
        UsageError: A word is not a flag, or a flag lacks its value or has one that trtexec would ignore.
    """
    found: list[Argument] = []
    for word in words:
        if word in {"", "--"}:
            continue
        if found and _is_value_of(found[-1], word, table):
            found[-1] = Argument(found[-1].name, word)
        else:
            found.append(_read_flag(word, table))
    for argument in found:
        if argument.value is None and table.takes_value(argument.name):
            raise UsageError(f"--{argument.name} lacks its value.", f"Write --{argument.name}=VALUE.")
    return tuple(found)


def check_arguments(arguments: Sequence[Argument], version: Version, table: FlagTable) -> None:
    """Refuse what the collector sets itself, what a version does not take, and what is given twice.

    Raises:
        UsageError: Says in one line what is wrong with which flags, and what to do instead.
    """
    for argument in arguments:
        if argument.name in table.own:
            hint = _OWN_HINTS.get(argument.name, "Leave it out.")
            raise UsageError(f"--{argument.name} is not for you to pass on: it is set for each run.", hint)
        if argument.name in table.unmeasurable:
            why = table.unmeasurable[argument.name]
            raise UsageError(f"What --{argument.name} builds can't be measured here. {why}", "Leave it out.")
    refused = (Support.NOT_YET, Support.GONE)
    flags = dict.fromkeys(each.name for each in arguments if table.support(each.name, version) in refused)
    if flags:
        raise UsageError(_explain(list(flags), version, table))
    for argument in arguments:
        if argument.name in table.refused:
            raise UsageError(
                f"--{argument.name} can't be used. {table.refused[argument.name]}", "Leave it out."
            )
    _refuse_values(arguments, version, table)
    _refuse_doubles(arguments, table)
    if sum(argument.name == "refPair" for argument in arguments) == 1:
        raise UsageError(
            "--refPair is given once, and trtexec needs two pairs.", "Leave it out for one pair."
        )


def notes_on(arguments: Iterable[Argument], version: Version, table: FlagTable) -> Iterator[str]:
    """Yield a note for each flag that trtexec decides about or warns of."""
    for name in dict.fromkeys(each.name for each in arguments):
        if name not in table.spans:
            question = did_you_mean(name, table.spans)
            yield f"--{name} is not known here and passed on as it is. {question}".rstrip()
        elif table.is_deprecated(name, version):
            reason = table.reasons.get(name, "Later versions may not take it.")
            yield f"{version.program} {version} takes --{name} with a warning. {reason}"


def _is_value_of(argument: Argument, word: str, table: FlagTable) -> bool:
    """Return whether a word continues the flag before it."""
    if argument.value is not None or not table.takes_value(argument.name):
        return False
    name = word.partition("=")[0]
    return bool(_NEGATIVE.fullmatch(word)) or (not word.startswith("-") and name not in table.spans)


def _read_flag(word: str, table: FlagTable) -> Argument:
    bare = word.lstrip("-")
    name, equals, value = bare.partition("=")
    name = _SHORT.get(name, name)
    if not _NAME.fullmatch(name):
        raise UsageError(f"{quoted(word)} is not a flag of trtexec.", "Write --name or --name=value.")
    if bare == word and not equals and name not in table.spans:
        hint = did_you_mean(name, table.spans) or f"Write --{name} to pass it on as it is."
        raise UsageError(f"{quoted(word)} is not a known flag of trtexec.", hint)
    if not equals:
        return Argument(name)
    if name not in table.switches:
        return Argument(name, value)
    if value.lower() in _OFF:
        raise UsageError(
            f"trtexec ignores the value of --{name}={value} and switches it on.", "Leave it out."
        )
    if value.lower() not in _ON:
        # Without the value the run would be another one than the user asked for.
        raise UsageError(f"--{name} takes no value, and {quoted(value)} is given.", f"Write --{name}.")
    return Argument(name)


def _explain(flags: Sequence[str], version: Version, table: FlagTable) -> str:
    """Return why a version refuses flags, each reason once."""
    reasons: dict[str, list[str]] = {}
    for flag in flags:
        reasons.setdefault(table.why_not(flag, version).replace(f"--{flag}", "{}", 1), []).append(flag)
    return " ".join(
        reason.replace("{}", _listed([f"--{flag}" for flag in same]), 1) for reason, same in reasons.items()
    )


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _refuse_values(arguments: Iterable[Argument], version: Version, table: FlagTable) -> None:
    """Raise if a version does not know a word in the value of a flag."""
    for argument in arguments:
        for word in _WORD.findall(argument.value or ""):
            where = f"{word} in --{argument.name}"
            support = table.value_support(argument.name, word, version)
            if support is Support.GONE:
                raise UsageError(f"trtexec {version} no longer knows {where}.", "Leave it out.")
            if support is Support.NOT_YET:
                raise UsageError(f"trtexec {version} does not know {where} yet.", "Leave it out.")


def _refuse_doubles(arguments: Iterable[Argument], table: FlagTable) -> None:
    """Raise if a flag is given twice.

    After each --profile the shapes of another profile follow, after each --refPair the files of another pair.
    """
    seen: dict[tuple[str, str | None, str | None], Argument] = {}
    profile: str | None = None
    pair: str | None = None
    for argument in arguments:
        if argument.name == "profile":
            profile = argument.value
        if argument.name == "refPair":
            pair = argument.value
        place = (argument.name, profile, pair)
        if place in seen and argument.name not in table.repeatable:
            both = dict.fromkeys((str(seen[place]), str(argument)))
            what = f": {_listed(list(both))}" if len(both) > 1 else ""
            raise UsageError(f"--{argument.name} is given twice{what}.", "trtexec takes each flag once.")
        seen[place] = argument
