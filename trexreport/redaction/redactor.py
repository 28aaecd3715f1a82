"""Replace texts by pseudonyms, with the names and machines that the whole capture mentions."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from trexreport.model import Source
from trexreport.reader.tegrastats import is_tegrastats, only_readings
from trexreport.redaction import patterns
from trexreport.redaction.kinds import Redaction
from trexreport.regex import regex

_WORDS_FILE = Path(__file__).with_name("words.txt")
#: Consonants that occur in no operator's name, so that no rule takes a pseudonym for an operator.
_LETTERS = "bcdfghjklpqrtvwx"
_LENGTH = 8
_PSEUDONYMS = regex(f"(?:q[{_LETTERS}]{{{_LENGTH}}})+")


class Redactor:
    """Replaces texts by pseudonyms; what it has to know of the whole capture it learns first."""

    def __init__(self, redaction: Redaction, files: Iterable[tuple[Source, Any]]) -> None:
        self._kinds, self._key = redaction.kinds, redaction.key
        self._pieces: dict[str, str] = {}
        self._texts: dict[tuple[str, str], str] = {}
        self._layer_names: set[str] = set()
        machines: set[str] = set()
        for source, document in files:
            for key, text in _texts(document):
                if source.role in patterns.LAYER_ROLES:
                    has_path = _is_path(key, text) or (source.role == "onnx" and _is_trace(key, text))
                    # Not only names: whatever a layer says may be quoted in a log.
                    if not has_path:
                        self._layer_names.update(text.split())
                    elif "host" in self._kinds and source.role == "onnx":
                        machines.update(patterns.HOME.findall(text))
                elif "host" in self._kinds:
                    machines.update(_machines(key, text))
            if "host" in self._kinds and source.role == "manifest":
                machines.update(_remotes(document))
        names = sorted(
            (each for each in machines if len(each) > 2 and not self._is_known(each)),
            key=lambda w: (-len(w), w),
        )
        self._machines = (
            re.compile("|".join(rf"(?<!\w){re.escape(each)}(?!\w)" for each in names)) if names else None
        )

    def content(self, role: str, document: Any) -> bytes:
        """Return the redacted content of a file."""
        if isinstance(document, str):
            if role == "gpu" and is_tegrastats(document):
                return only_readings(document).encode()
            lines = document.split("\n")
            if role == "gpu" and "host" in self._kinds:
                lines = list(self._without_columns(lines))
            return "\n".join(self.text(line, role) for line in lines).encode("utf-8", "replace")
        redacted = self._walk(document, role, "")
        return (json.dumps(redacted, separators=(",", ":")) + "\n").encode("ascii")

    def file_name(self, name: str) -> str:
        """Return a file's or an engine's name; these are names and may identify the machine."""
        return self.text(name, "name")

    def place(self, place: str) -> str:
        """Return a path with pseudonyms for words in its folders and in its last part."""
        if "host" in self._kinds:
            place = self._without_host(place, "")
        *folders, name = place.split("/")
        if self._kinds & {"names", "paths"}:
            folders = list(map(self._names, folders))
        return "/".join([*folders, self._names(name) if "names" in self._kinds else name])

    def text(self, text: str, role: str, key: str = "") -> str:
        """Return a text in which everything to redact is replaced."""
        kind = _kind(key)
        known = self._texts.get((text, f"{role} {kind}"))
        if known is None:
            known = self._redacted(text, role, kind)
            self._texts[text, f"{role} {kind}"] = known
        return known

    def _redacted(self, text: str, role: str, key: str) -> str:
        is_of_layers = role in patterns.LAYER_ROLES
        if "host" in self._kinds:
            text = self._without_host(text, "" if is_of_layers else key)
            if not is_of_layers and role != "name":
                text = patterns.HASH.sub(self._whole, text)
        if "paths" in self._kinds:
            text = patterns.URL.sub(self._whole, text)
            if is_of_layers:
                if role == "onnx" and _is_trace(key, text):
                    text = "\n".join(map(self._trace_line, text.split("\n")))
                elif _is_path(key, text):
                    text = self._path(text)
            elif role != "name":
                whole = key in patterns.PATH_KEYS and "\n" not in text
                text = self._path(text) if whole else patterns.PATH.sub(self._path_in_text, text)
        return self._names(text) if "names" in self._kinds else text

    def _without_host(self, text: str, key: str) -> str:
        if key in patterns.HOST_KEYS and text and not _is_pseudonym(text):
            return self._pseudonym(text)
        for pattern in patterns.HOST_TEXTS:
            text = pattern.sub(self._whole, text)
        text = patterns.STATED.sub(lambda found: found[1] + self._hidden(found[2]), text)
        text = patterns.QUAD.sub(
            lambda found: (
                found[0]
                if patterns.VERSION_BEFORE.search(found.string[max(0, found.start() - 40) : found.start()])
                else self._pseudonym(found[0])
            ),
            text,
        )
        return self._machines.sub(self._whole, text) if self._machines else text

    def _without_columns(self, lines: Sequence[str]) -> Iterator[str]:
        """Yield the lines of a table of nvidia-smi without the values of columns that identify a GPU."""
        titles = lines[0].split(",")
        hidden = {at for at, title in enumerate(titles) if _plain(title) in patterns.HOST_KEYS}
        for number, line in enumerate(lines):
            cells = line.split(",") if number and hidden else [line]
            yield ",".join(
                f" {self._hidden(each.strip())}" if at in hidden and len(cells) > 1 else each
                for at, each in enumerate(cells)
            )

    def _path_in_text(self, found: re.Match[str]) -> str:
        # A log quotes names of layers, which may look like paths.
        return found[0] if found[0] in self._layer_names else self._path(found[0])

    def _trace_line(self, line: str) -> str:
        if patterns.FRAME.search(line):
            return patterns.FRAME.sub(self._frame, line)
        return patterns.PATH.sub(self._path_in_text, line)

    def _frame(self, found: re.Match[str]) -> str:
        """Return the file of a frame; what is in an installed package stays one."""
        before, file = found.groups()
        return self._path(file) if before is None else f"{self._path(before)}{file}"

    def _path(self, path: str) -> str:
        """Return a path with a pseudonym for its folder, unless nothing but common words are in it."""
        cut = max(path.rfind("/"), path.rfind("\\"))
        folder, name = path[: cut + 1], path[cut + 1 :]
        # A date has slashes, too.
        is_path = cut > 0 and any(map(str.isalpha, path))
        if not is_path or all(map(self._is_known, re.split(r"[\\/]+", folder))):
            return path
        lead = "/" if re.match(r"[\\/~]|[A-Za-z]:", folder) else ""
        return f"{lead}{self._pseudonym(folder)}/{name}"

    def _names(self, text: str) -> str:
        return patterns.PIECE.sub(lambda found: self._piece(found[0]), text)

    def _piece(self, piece: str) -> str:
        known = self._pieces.get(piece)
        if known is None:
            known = piece if self._is_known(piece) else _in_case(self._pseudonym(piece.lower()), piece)
            self._pieces[piece] = known
        return known

    def _is_known(self, text: str) -> bool:
        """Whether a text has only words that stay; digits alone are a name, too."""
        if text.isdecimal():
            return False
        pieces = (piece.lower() for piece in patterns.PIECE.findall(text))
        return all(
            (len(piece) == 1 and piece.isascii())
            or piece.startswith("0x")
            or piece in known_words()
            or _is_pseudonym(piece)
            for piece in pieces
        )

    def _whole(self, found: re.Match[str]) -> str:
        return self._pseudonym(found[0])

    def _hidden(self, text: str) -> str:
        return text if _is_pseudonym(text) else self._pseudonym(text)

    def _pseudonym(self, text: str) -> str:
        return pseudonym(text, self._key)

    def _walk(self, value: Any, role: str, key: str) -> Any:
        if isinstance(value, str):
            return self.text(value, role, key)
        if isinstance(value, dict):
            return {self.text(name, role): self._walk(each, role, name) for name, each in value.items()}
        if isinstance(value, list):
            return [self._walk(each, role, key) for each in value]
        is_number = isinstance(value, int) and not isinstance(value, bool)
        if is_number and "host" in self._kinds and role not in patterns.LAYER_ROLES:
            return 0 if _plain(key) in {"pid", *patterns.HOST_KEYS} else value
        return value


def _is_path(key: str, text: str) -> bool:
    """Return whether a text of a layer or a model is a path, and not a name."""
    return key not in patterns.NAME_KEYS and bool(patterns.ABSOLUTE.match(text))


def _is_trace(key: str, text: str) -> bool:
    """Return whether a text of a model is a stack trace, or has other lines, any of which may have paths."""
    return bool(patterns.FRAME.search(text)) or ("\n" in text and key not in patterns.NAME_KEYS)


@lru_cache(maxsize=1024)
def _kind(key: str) -> str:
    """Return a key that says what its text is, spelled as it is looked up; nothing of any other."""
    plain = _plain(key)
    if plain in patterns.HOST_KEYS or plain in patterns.PATH_KEYS:
        return plain
    return key if key in patterns.NAME_KEYS else ""


@lru_cache(maxsize=1024)
def _plain(key: str) -> str:
    return patterns.BETWEEN_WORDS.sub("", key.lower())


def _texts(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """Yield each text of a document with its key; a log is one text."""
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, dict):
        for name, each in value.items():
            yield "", name
            yield from _texts(each, name)
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each, key)


def _machines(key: str, text: str) -> Iterator[str]:
    """Yield names of machines and users that a text states."""
    if _plain(key) in patterns.HOST_KEYS:
        yield text
    yield from patterns.HOME.findall(text)
    for found in patterns.AT.findall(text):
        yield from found.split("@")


def _remotes(value: Any) -> Iterator[str]:
    """Yield where commands were sent with ssh: the first word behind it that is not an option."""
    if isinstance(value, dict):
        for each in value.values():
            yield from _remotes(each)
    elif isinstance(value, list):
        words: Sequence[Any] = value
        if "ssh" in words:
            behind = words[words.index("ssh") + 1 :]
            yield from [word for word in behind if isinstance(word, str) and not word.startswith("-")][:1]
        for each in words:
            yield from _remotes(each)


def pseudonym(text: str, key: bytes) -> str:
    """Return eight consonants behind a q that depend on the text and the key alone."""
    digest = hashlib.blake2b(
        text.encode("utf-8", "surrogatepass"), key=_key_of_valid_size(key), digest_size=_LENGTH // 2
    )
    return "q" + "".join(_LETTERS[int(digit, 16)] for digit in digest.hexdigest())


def _key_of_valid_size(key: bytes) -> bytes:
    return key if len(key) <= hashlib.blake2b.MAX_KEY_SIZE else hashlib.blake2b(key).digest()


@cache
def known_words() -> frozenset[str]:
    """Return the words that stay, in small letters."""
    lines = _WORDS_FILE.read_text(encoding="utf-8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())


def _is_pseudonym(text: str) -> bool:
    """Whether a text is nothing but pseudonyms, as in a capture that was redacted before."""
    return _PSEUDONYMS.fullmatch(text) is not None


def _in_case(word: str, like: str) -> str:
    """Return a word in the case of another one: small, capitalized or in capitals."""
    if len(like) > 1 and like.isupper():
        return word.upper()
    return word.capitalize() if like[:1].isupper() else word
