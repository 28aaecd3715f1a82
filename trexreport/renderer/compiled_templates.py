"""Keep compiled templates as Python keeps compiled modules: compiling them takes longer than a small report.

`kept_files` says where they lie. Jinja checks the version of its own code, and a hash of the template and of
the modules that set its options, so an old file is never used. The code must not contain what filters return,
which depends on more. Where nothing can be kept, templates are compiled once in each process.
"""

from __future__ import annotations

import hashlib
from contextlib import suppress
from functools import cache
from types import CodeType
from typing import TYPE_CHECKING

from trexreport.renderer.kept_files import keep, kept_file

if TYPE_CHECKING:
    from jinja2 import BytecodeCache
    from jinja2.bccache import Bucket


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
