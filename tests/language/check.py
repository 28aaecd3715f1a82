"""Find words and numbers that trexreport does not write: in its sources, its documentation and its outputs.

    python tests/language/check.py                 # everything; `make lint` runs this
    python tests/language/check.py FILE ...        # some files of the repository

Exits with 1 if it finds any. The words are in `words.toml`. Outputs: every sample in every format.
"""

from __future__ import annotations

import fnmatch
import functools
import io
import re
import subprocess
import sys
import tempfile
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from outputs import output_texts

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]
#: What is not written by us, or holds data rather than words.
NOT_OURS = (
    "LICENSE",
    "tests/fixtures/*",
    "samples/*/*.json",
    "docs/images/*.png",
    "package-lock.json",
    "tests/language/words.toml",
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_NO_WORD = re.compile(r"[^A-Za-z0-9]+")
_CODE_TOKENS = (tokenize.NAME, tokenize.STRING, tokenize.COMMENT, getattr(tokenize, "FSTRING_MIDDLE", -1))


@dataclass(frozen=True)
class Problem:
    """A word or number that should not be there.

    Attributes:
        place: File and line, or output.
        found: The text.
        instead: What to write.
    """

    place: str
    found: str
    instead: str

    def __str__(self) -> str:
        return f'{self.place}: "{self.found}"; write {self.instead}'


class Language:
    """The words, phrases and numbers that are not written, and where they are allowed."""

    def __init__(self, document: dict) -> None:
        self._words = [
            (re.compile(each["pattern"], re.IGNORECASE), each["instead"]) for each in document["word"]
        ]
        self._phrases = [
            (re.compile(rf"\b(?:{each['pattern']})\b", re.IGNORECASE), each["instead"])
            for each in document["phrase"]
        ]
        self._any_phrase = re.compile(
            "|".join(f"(?:{each['pattern']})" for each in document["phrase"]), re.IGNORECASE
        )
        self._raw = [(re.compile(each["pattern"]), each["instead"]) for each in document["raw"]]
        self._allowed = [
            (each["file"], re.compile(each["pattern"], re.IGNORECASE)) for each in document["allow"]
        ]
        self._instead = functools.cache(self._find_word)
        # Outputs repeat most of their lines.
        self._found = functools.lru_cache(100_000)(self._find)

    def problems(self, text: str, place: str) -> Iterator[Problem]:
        """Yield what is wrong in a text."""
        for word, instead in self._found(text):
            if not self._is_allowed(place, word):
                yield Problem(place, word, instead)

    def _find(self, text: str) -> list[tuple[str, str]]:
        """Return what is wrong in a text wherever it is, with what to write instead."""
        plain = split_words(text)
        found = [(word, instead) for word in dict.fromkeys(plain.split()) if (instead := self._instead(word))]
        if self._any_phrase.search(plain):
            found += [
                (each.group(), instead)
                for pattern, instead in self._phrases
                for each in pattern.finditer(plain)
            ]
        return found + [
            (each.group(), instead) for pattern, instead in self._raw for each in pattern.finditer(text)
        ]

    def _find_word(self, word: str) -> str:
        """Return what to write instead of one word; empty if it may be written."""
        return next((instead for pattern, instead in self._words if pattern.fullmatch(word)), "")

    def _is_allowed(self, place: str, found: str) -> bool:
        path = place.partition(":")[0]
        return any(fnmatch.fnmatch(path, file) and word.fullmatch(found) for file, word in self._allowed)


def read_list() -> dict:
    """Return the list of words."""
    return tomllib.loads(Path(__file__).with_name("words.toml").read_text("utf-8"))


def split_words(text: str) -> str:
    """Return a text with identifiers taken apart: `max_bytes`, `maxBytes` and `max-bytes` are "max bytes"."""
    return _NO_WORD.sub(" ", _CAMEL.sub(" ", text))


def source_files() -> list[str]:
    """Return the files of the repository, by their paths in it."""
    listed = subprocess.check_output(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, text=True)
    return [
        name
        for name in sorted(set(listed.splitlines()))
        if not any(fnmatch.fnmatch(name, each) for each in NOT_OURS) and (ROOT / name).is_file()
    ]


def file_problems(language: Language, name: str) -> Iterator[Problem]:
    """Yield what is wrong in a file and its name."""
    yield from language.problems(name, name)
    try:
        text = (ROOT / name).read_text("utf-8")
    except UnicodeDecodeError:
        return
    for number, line in _python_lines(text) if name.endswith(".py") else enumerate(text.split("\n"), 1):
        yield from language.problems(line, f"{name}:{number}")


def _python_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield names, texts and comments, without the operators between them: `7 % 3` is not a percentage."""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in _CODE_TOKENS:
            for offset, line in enumerate(token.string.split("\n")):
                yield token.start[0] + offset, line


def output_problems(language: Language) -> Iterator[Problem]:
    """Yield what is wrong in the outputs of all samples."""
    with tempfile.TemporaryDirectory() as folder:
        for place, text in output_texts(Path(folder)):
            for number, line in enumerate(text.split("\n"), 1):
                yield from language.problems(line, f"{place}:{number}")


def all_problems(names: Iterable[str]) -> Iterator[Problem]:
    """Yield what is wrong in files, or without names in all files and in the outputs of all samples."""
    language, names = Language(read_list()), list(names)
    for name in names or source_files():
        yield from file_problems(language, name)
    if not names:
        yield from output_problems(language)


def main() -> int:
    """Print what is wrong; return the exit status."""
    count = 0
    for problem in all_problems(sys.argv[1:]):
        count += 1
        print(problem)
    print(f"{count} words or numbers to change." if count else "No words or numbers to change.")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
