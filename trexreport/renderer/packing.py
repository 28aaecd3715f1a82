"""Pack what the page's script unpacks, with the browser's own means."""

from __future__ import annotations

import base64
import zlib


def pack_for_script(data: bytes, level: int = 9) -> str:
    """Return bytes as base64 of gzip without time stamp: the same bytes give the same text."""
    packer = zlib.compressobj(level, zlib.DEFLATED, 31)
    packed = packer.compress(data) + packer.flush()
    # Byte 9 of a gzip header names the system that packed it; 255 is "unknown" everywhere.
    return base64.b64encode(packed[:9] + b"\xff" + packed[10:]).decode("ascii")
