"""State in a Content-Security-Policy exactly which of its own scripts and styles a page may use."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable


def source_hash(text: str) -> str:
    """Return the hash of a script or style as a policy spells it."""
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"


def content_security_policy(scripts: Iterable[str], styles: Iterable[str]) -> str:
    """Return a policy under which nothing but these texts runs, and nothing is fetched from anywhere."""
    script_hashes = " ".join(source_hash(text) for text in scripts) or "'none'"
    style_hashes = " ".join(source_hash(text) for text in styles) or "'none'"
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src {script_hashes}",
            f"style-src {style_hashes}",
            "img-src data: blob:",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )
