"""Take plotly.js out of the installed plotly package, without importing the package."""

from __future__ import annotations

import importlib.util
import re
from functools import cache, cached_property
from pathlib import Path

from trexreport.errors import MissingToolError
from trexreport.lazy_dataclass import dataclass
from trexreport.regex import regex
from trexreport.renderer.kept_files import pack_once

#: The bundle adds a style sheet for maps, which a strict page refuses, unless an element of this id exists.
_MAP_STYLE_ID = regex(r'getElementById\("([0-9a-f]{64})"\)')


@dataclass(frozen=True)
class PlotlyBundle:
    """plotly.js, and the ids of elements that keep it from adding style sheets of its own."""

    script: str
    style_ids: tuple[str, ...]

    @cached_property
    def packed(self) -> str:
        """Return it as pages carry it."""
        return pack_once("plotly.min.js", self.script.encode("utf-8"), level=5)

    @property
    def notice(self) -> str:
        """Return whose it is and its license, as its first lines say; its license wants that in each copy."""
        notice = re.match(r"\s*/\*(.*?)\*/", self.script, re.DOTALL)
        lines = (line.strip(" *\t") for line in notice.group(1).splitlines()) if notice else ()
        return ". ".join(line.rstrip(".") for line in lines if line)


@cache
def plotly_bundle() -> PlotlyBundle:
    """Return the bundle.

    Raises:
        MissingToolError: plotly is not installed, or has no bundle where it is expected.
    """
    specification = importlib.util.find_spec("plotly")
    folders = specification.submodule_search_locations if specification else None
    for folder in folders or ():
        path = Path(folder) / "package_data" / "plotly.min.js"
        if path.is_file():
            script = path.read_text(encoding="utf-8")
            return PlotlyBundle(script, tuple(dict.fromkeys(_MAP_STYLE_ID.findall(script))))
    raise MissingToolError("Interactive charts need plotly.", "Install it, or use --charts static.")
