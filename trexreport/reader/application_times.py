"""Read what an application prints of the time around and in the inference of each image.

Ultralytics: "Speed: 1.2ms preprocess, 7.9ms inference, 1.1ms postprocess per image at shape (1, 3, 640, 640)"
(YOLOv5: "pre-process" and "NMS"), means of a call, and the inference of single images: "image 1/40 a.jpg:
640x640 3 persons, 7.9ms" and "0: 640x640 3 persons, 7.9ms".
"""

from __future__ import annotations

import re
from statistics import median

from trexreport.model.application import FIRST_IMAGE, IMAGES, MEDIAN_IMAGE, STAGES
from trexreport.regex import regex

_MARK = "ms inference, "
#: Models before and after the engine are other ones, such as the one that it was made of.
_ENGINE = regex(r"\bLoading [^\n]{1,400} for TensorRT inference")
_OTHER = regex(r"\bLoading [^\n]{1,400} for [^\n]{1,40} inference")
_MS = r"(\d{1,7}(?:\.\d{1,6})?)ms"
_SPEED = regex(
    rf"Speed: {_MS} pre-?process, {_MS} inference, (?:{_MS} loss, )?{_MS} (?:post-?process|NMS) per image",
    re.ASCII,
)
_IMAGE = regex(
    rf"(?m)(?:^|\b(?:image|video) )\d{{1,7}}(?:/\d{{1,7}}|: \d)[^\n]{{1,600}}, {_MS}\r?$", re.ASCII
)
#: Fewer images have no median that the first one can be compared with.
_LEAST_IMAGES = 5


def application_times(text: str) -> dict[str, str]:
    """Return the times per image by stage, with unit: medians of the calls of the last engine."""
    if _MARK not in text:
        return {}
    text = _OTHER.split(_ENGINE.split(text)[-1])[0]
    calls = [found.group(1, 2, 4) for found in _SPEED.finditer(text)]
    if not calls:
        return {}
    stages = (median(map(float, column)) for column in zip(*calls, strict=True))
    found = {stage: _shown(ms) for stage, ms in zip(STAGES, stages, strict=True)}
    images = [float(each[1]) for each in _IMAGE.finditer(text)]
    if len(images) >= _LEAST_IMAGES:
        of_images = (_shown(images[0]), _shown(median(images)), str(len(images)))
        found |= dict(zip((FIRST_IMAGE, MEDIAN_IMAGE, IMAGES), of_images, strict=True))
    return found


def _shown(ms: float) -> str:
    return f"{ms:.3f}".rstrip("0").rstrip(".") + " ms"
