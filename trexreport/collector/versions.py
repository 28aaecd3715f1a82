"""Find which TensorRT a trtexec belongs to, and compare versions as numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass

from trexreport.reader.trtexec_lines import Banner, decode_version, split_log
from trexreport.regex import regex

# Packages append their own numbers: "10.16.0.72", "8.5.1-1+cuda11.8".
_DOTTED = regex(r"v?(\d{1,4})\.(\d{1,4})(?:\.(\d{1,4}))?(?![0-9])", re.ASCII)
_PRINTED = "TensorRT version: "
#: TensorRT for RTX has versions of its own, from 1.0 on; trtexec came with TensorRT 5.
_LAST_RTX_MAJOR = 3


@dataclass(frozen=True, order=True)
class Version:
    """A version of TensorRT; versions are ordered as numbers, so 8.6 comes before 10.0."""

    major: int
    minor: int
    patch: int = 0

    @classmethod
    def parse(cls, text: str) -> Version | None:
        """Return the version that a text such as "10.16.0.72", "8.6", "v8601" or "100100" is, or None."""
        match = _DOTTED.match(decode_version(text.removeprefix("RTX ")))
        return cls(*(int(part) for part in match.groups(default="0"))) if match else None

    @property
    def release(self) -> tuple[int, int]:
        """Major and minor number; trtexec's command line is the same for all patches of a release."""
        return self.major, self.minor

    @property
    def is_rtx(self) -> bool:
        """Whether it is one of TensorRT for RTX."""
        return self.major <= _LAST_RTX_MAJOR

    @property
    def program(self) -> str:
        """What the program that builds and measures is called."""
        return "tensorrt_rtx" if self.is_rtx else "trtexec"

    @property
    def product(self) -> str:
        """What it is a version of, with the version."""
        return f"TensorRT for RTX {self}" if self.is_rtx else f"TensorRT {self}"

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}.{self.patch}"


def trtexec_version(output: str) -> Version | None:
    """Return the version that trtexec's own output states, or None.

    The banner, which every run and `--help` begin with, is believed before the line that follows the device:
    it states which command line this trtexec understands. Source: sampleUtils.cpp and logger.h of trtexec.
    """
    printed = None
    for record in split_log(output):
        if isinstance(record, Banner):
            if record.version:
                return Version.parse(record.version)
        elif record.text.startswith(_PRINTED):
            printed = printed or Version.parse(record.text.removeprefix(_PRINTED))
    return printed
