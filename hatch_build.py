"""Make the package's long description of README.md, fit to be read away from the repository."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_PICTURE = re.compile(r"^!\[[^\]]*\]\([^)]*\)\n\n", re.MULTILINE)
#: A link to another file of the repository.
_LINK = re.compile(r"\[([^\]]+)\]\((?!https?://)[^)]*\)")
_WHERE = "\n\nThe pages that are named here come with the source distribution, in its folder `docs`.\n"


class LongDescription(MetadataHookInterface):
    """Leaves out what would lead nowhere on the page of a package index: pictures, and links to files."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the project's readme."""
        text = Path(self.root, "README.md").read_text("utf-8")
        text = _LINK.sub(r"\1", _PICTURE.sub("", text)).rstrip() + _WHERE
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
