"""Keep what is made of shipped files where Python keeps compiled modules, for the next process.

In `__pycache__` beside them, or below PYTHONPYCACHEPREFIX; nowhere if the folder is read-only or
PYTHONDONTWRITEBYTECODE is set.

Compiled templates are among them, as compiling takes longer than a small report. Jinja checks the version of
its own code, and a hash of the template and of the modules that set its options, so an old file is never
used. The code must not contain what filters return, which depends on more. Where nothing can be kept,
templates are compiled once in each process.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
import zlib
from contextlib import suppress
from functools import cache
from importlib.util import cache_from_source
from pathlib import Path
from types import CodeType
from typing import TYPE_CHECKING

from trexreport.renderer.packing import pack_for_script
from trexreport.resources import resource_folder

if TYPE_CHECKING:
    from jinja2 import BytecodeCache
    from jinja2.bccache import Bucket


def kept_file(source: str | Path) -> Path:
    """Return where what is made of a file is kept.

    Raises:
        NotImplementedError: This Python keeps nothing.
    """
    return Path(cache_from_source(str(source)))


def keep(path: Path, content: bytes) -> None:
    """Write a file of which other processes see all or nothing, if that is allowed and possible."""
    if not sys.dont_write_bytecode:
        with suppress(OSError):
            _replace(path, content)


def pack_once(name: str, data: bytes, level: int = 9) -> str:
    """Return what `pack_for_script` does: packing plotly.js takes a fifth of the time of a small report.

    Args:
        name: What it is kept as, a file name.
        data: What is packed.
        level: How hard.
    """
    # Another version of zlib may pack otherwise.
    made_of = f"{zlib.ZLIB_RUNTIME_VERSION} {level} {hashlib.sha256(data).hexdigest()}"
    path = None
    with suppress(NotImplementedError):
        path = kept_file(resource_folder("static") / name)
    # A damaged file, or one of other data, is as good as none.
    with suppress(OSError, ValueError):
        head, kept = path.read_bytes().split(b"\n", 1) if path else (b"", b"")
        if head == _head(made_of, kept):
            return kept.decode("ascii")
    packed = pack_for_script(data, level)
    if path:
        content = packed.encode("ascii")
        keep(path, _head(made_of, content) + b"\n" + content)
    return packed


def _head(made_of: str, packed: bytes) -> bytes:
    return f"{made_of} {hashlib.sha256(packed).hexdigest()}".encode("ascii")


def _replace(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f"{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        # Readable by all who may read the shipped files, whatever the user's umask for new files is.
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


@cache
def compiled_templates(options: bytes) -> BytecodeCache:
    """Return what keeps the code of each template for the next page and the next process.

    Args:
        options: What compiled code depends on besides the template.
    """
    from jinja2 import BytecodeCache

    class Compiled(BytecodeCache):
        """Keeps code by path and content of the template."""

        def __init__(self) -> None:
            self._codes: dict[tuple[str, str], CodeType | None] = {}

        def get_cache_key(self, name: str, filename: str | None = None) -> str:
            """Return the path of the template, beside which its code is kept."""
            return filename or name

        def get_source_checksum(self, source: str) -> str:
            """Return the hash of all that the code is made of."""
            return hashlib.sha256(source.encode() + options).hexdigest()

        def load_bytecode(self, bucket: Bucket) -> None:
            """Fill the bucket with the code of its template, if that is kept."""
            bucket.code = self._codes.get((bucket.key, bucket.checksum))
            if bucket.code is None:
                # A damaged file is as good as none, whatever reading it raises.
                with suppress(Exception), kept_file(bucket.key).open("rb") as file:
                    bucket.load_bytecode(file)
                if bucket.code is not None:
                    self._codes[bucket.key, bucket.checksum] = bucket.code

        def dump_bytecode(self, bucket: Bucket) -> None:
            """Keep the code of a template."""
            self._codes[bucket.key, bucket.checksum] = bucket.code
            with suppress(NotImplementedError):
                keep(kept_file(bucket.key), bucket.bytecode_to_string())

    return Compiled()
