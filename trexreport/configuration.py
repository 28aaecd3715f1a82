"""Find and read the configuration: trexreport.toml, or [tool.trexreport] in pyproject.toml."""

from __future__ import annotations

import datetime as dt
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from trexreport.errors import UsageError
from trexreport.input_file import read_input
from trexreport.lazy_dataclass import dataclass
from trexreport.regex import regex
from trexreport.toml_table import TomlTable

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

OWN_NAME = "trexreport.toml"
_PROJECT_NAME = "pyproject.toml"
_KEYS = ("gpu", "gpus", "roofline", "lint", "comparison", "budget")
#: Configurations are written by hand and small.
_MAX_BYTES = 1 << 20
#: Texts and comments, also those that are not closed: they contain no keys.
_TEXT = regex(
    r'''"""(?:\\.|[^\\])*?(?:"""|\\?\Z)|\'{3}.*?(?:\'{3}|\Z)|"(?:\\.|[^"\\\n])*"?|'[^'\n]*'?|\#[^\n]*''',
    re.DOTALL,
)
#: A key of too many parts: the parser's time grows with the square of their number. Known keys have five.
_LONG_KEY = regex(r"(?:\.[\w \t-]*){64}")


@dataclass(frozen=True)
class Configuration:
    """A user's configuration, of which each part is checked by the module that uses it.

    Attributes:
        file: Its path, for messages; empty if there is none.
        prefix: What precedes a key in messages.
        gpu: Name of the GPU for the roofline.
        gpus: The user's GPUs, name to figures.
        explained_percent: The part of a layer's time below which its roofline does not explain it.
        lint: Settings of the rules.
        comparison: What a verdict assumes.
        budget: Limits; None if the file has none.
    """

    file: str = ""
    prefix: str = ""
    gpu: str | None = None
    gpus: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    explained_percent: float | None = None
    lint: Mapping[str, Any] = field(default_factory=dict)
    comparison: Mapping[str, Any] = field(default_factory=dict)
    budget: Mapping[str, Any] | None = None


def read_configuration(file: str | Path | None = None, *, folder: str | Path = ".") -> Configuration:
    """Return the configuration of a file, or of the nearest one in a folder and its parents.

    Args:
        file: The one to read; a file called pyproject.toml is read at [tool.trexreport].
        folder: Where the search begins if no file is given.

    Raises:
        UsageError: The file can't be read, or has an unknown key.
    """
    if file is not None:
        return _configuration(Path(file), _parsed(Path(file))) or Configuration()
    place = Path(os.path.abspath(folder))  # noqa: PTH100 - as the user sees it: links are not followed
    for parent in (place, *place.parents):
        for name in (OWN_NAME, _PROJECT_NAME):
            path = parent / name
            # For an unreadable folder os.path returns False; pathlib raises.
            if os.path.isfile(path) and (found := _configuration(path, _parsed(path))):  # noqa: PTH113
                return found
    return Configuration()


def read_budget_file(
    budget: str | None, config: str | None, *, isolated: bool
) -> tuple[Configuration, str | None]:
    """Return the configuration that has the limits, and the file of the other settings; None for the nearest.

    Args:
        budget: The file with limits, where it is not that of the configuration.
        config: The file of the configuration that is named.
        isolated: Only what is named is read.

    Raises:
        UsageError: The file can't be read, or has an unknown key.
    """
    if isolated and budget is None:
        return Configuration(), config
    found = read_configuration(budget or config)
    says_more = found.gpu or found.gpus or found.explained_percent or found.lint or found.comparison
    # A file with more than limits is a configuration, one of limits only complements the usual one.
    return found, budget if says_more and config is None and not isolated else config


def today() -> dt.date:
    """Return the day by which suppressions expire: SOURCE_DATE_EPOCH if that is set, else the current one.

    Raises:
        UsageError: SOURCE_DATE_EPOCH is not a number of seconds.
    """
    stated = os.environ.get("SOURCE_DATE_EPOCH")
    if not stated:
        return dt.datetime.now().astimezone().date()
    try:
        return dt.datetime.fromtimestamp(int(stated), tz=dt.timezone.utc).date()
    except (ValueError, OverflowError, OSError):
        raise UsageError(
            f'SOURCE_DATE_EPOCH is "{stated:.40}".', "It must be seconds since 1970, or not be set."
        ) from None


def _parsed(path: Path) -> dict[str, Any]:
    shown = _shown(path)
    try:
        data = read_input(path, _MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        raise UsageError(f"{shown} can't be read: {getattr(error, 'strerror', None) or error}.") from None
    if len(data) > _MAX_BYTES:
        raise UsageError(f"{shown} is too large for a configuration.")
    try:
        text = data.decode("utf-8-sig")
        if _LONG_KEY.search(_TEXT.sub("x", text)):
            raise UsageError(f"{shown} has a key of more than 64 parts.")
        return tomllib.loads(text)
    except UnicodeDecodeError:
        raise UsageError(f"{shown} is not UTF-8.", "Save it as UTF-8.") from None
    except RecursionError:
        raise UsageError(f"{shown} is nested too deeply.") from None
    except ValueError as error:
        reason = " ".join(str(error).split())[:200].rstrip(".")
        raise UsageError(f"{shown} is not valid TOML: {reason}.") from None


def _configuration(path: Path, document: dict[str, Any]) -> Configuration | None:
    """Return the configuration of a file; None for a pyproject.toml without [tool.trexreport]."""
    shown = _shown(path)
    root = TomlTable(document, f"{shown}: ")
    if path.name == _PROJECT_NAME:
        tools = root.table("tool")
        if "trexreport" not in tools.values:
            return None
        root = tools.table("trexreport")
    root.refuse_unknown(_KEYS)
    gpus = root.table("gpus")
    return Configuration(
        file=shown,
        prefix=root.prefix,
        gpu=root.text("gpu"),
        gpus={name: _own_gpu(gpus.table(name)) for name in gpus},
        explained_percent=_explained_percent(root.table("roofline")),
        lint=root.table("lint").values,
        comparison=root.table("comparison").values,
        budget=root.table("budget").values if "budget" in root.values else None,
    )


def _own_gpu(table: TomlTable) -> Mapping[str, Any]:
    if "name" in table.values:
        raise table.wrong("name", "is not a known key", "The name is in the table's heading.")
    return table.values


def _explained_percent(table: TomlTable) -> float | None:
    table.refuse_unknown(("explained-percent",))
    return table.number("explained-percent", 1, 100) if table.values else None


def _shown(path: Path) -> str:
    """Return the path, relative to the working folder if possible."""
    try:
        return str(path.relative_to(Path.cwd()))
    except (ValueError, OSError):
        return str(path)
