"""The batch size that names of files and headings state: "yolo_fp16_bs8.engine"."""

from __future__ import annotations

import re
from collections.abc import Iterable

from trexreport.model.named_types import spaced
from trexreport.regex import regex

#: Models that are called like a batch size, as EfficientNet-B4 and ViT-B16, and characters that they take.
_SIZES = regex(
    r"(?<![a-z0-9])(?:(?:efficientnet|effnet|segformer|mit|beit|deit|eva|pvt)(?:[\s-]*v2)?[\s-]*b\d"
    r"|(?:vit|clip)[\s-]*b[\s-]?(?:\d|16|32))$",
    re.IGNORECASE,
)
_LONGEST_SIZE = 40
#: A batch size in a name, in which underscores are spaces.
BATCH_IN_NAME = regex(r"(?<![a-z0-9])(?:bs|b|batch(?:[_ ]?size)?)[-_= ]?(\d{1,5})(?![a-z0-9])", re.IGNORECASE)


def batch_in_names(names: Iterable[str]) -> int | None:
    """Return the batch size that the first name with any states, which may have a model's size as well."""
    return next((size for name in names if (size := _batch_in(spaced(name)))), None)


def _batch_in(text: str) -> int | None:
    found = next((each for each in BATCH_IN_NAME.finditer(text) if not _is_size(text, each.end())), None)
    return int(found[1]) if found else None


def _is_size(text: str, end: int) -> bool:
    """Return whether what ends there is the size of a model."""
    return _SIZES.search(text, max(end - _LONGEST_SIZE, 0), end) is not None
