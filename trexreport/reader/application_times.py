"""Read what an application prints of the time around and in the inference of each image or call.

Ultralytics: "Speed: 1.2ms preprocess, 7.9ms inference, 1.1ms postprocess per image at shape (1, 3, 640, 640)"
(YOLOv5: "pre-process" and "NMS"), means of a call, and the inference of single images: "image 1/40 a.jpg:
640x640 3 persons, 7.9ms" and "0: 640x640 3 persons, 7.9ms". jetson-inference: "Network  CPU 3.6ms  CUDA
3.2ms". Other programs: "inference time: 7.9 ms", "preprocess cost 1.2ms", "Inference took 0.0079 seconds"; a
time without a unit is not read, nor are times of several engines or of other frameworks. Frames per second:
"FPS: 30.1", "1000 frames in 13.2 seconds (75.83 fps)", and DeepStream's "**PERF:  29.97 (29.92)".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from statistics import median

from trexreport.model.application import COUNT, FIRST, MEAN, MEDIAN, RATE, STAGES
from trexreport.regex import regex

#: Models before and after the engine are other ones, such as the one that it was made of.
_ENGINE = regex(r"\bLoading [^\n]{1,400} for TensorRT inference")
_OTHER = regex(r"\bLoading [^\n]{1,400} for [^\n]{1,40} inference")
_MS = r"(\d{1,7}(?:\.\d{1,18})?)ms"
_SPEED = regex(
    rf"Speed: {_MS} pre-?process, {_MS} inference, (?:{_MS} loss, )?{_MS} (?:post-?process|NMS) per image",
    re.ASCII,
)
_IMAGE = regex(
    rf"(?m)(?:^|\b(?:image|video) )\d{{1,7}}(?:/\d{{1,7}}|: \d)[^\n]{{1,600}}, {_MS}\r?$", re.ASCII
)
#: What a line with the time of a stage has, and how long it is.
_WORDS, _LONGEST = ("nfer", "NFER", "rocess", "ROCESS", "Network"), 400
_STATED = regex(
    r"(pre[-_ ]?process(?:ing)?|infer(?:ence)?|network(?= +cpu)|post[-_ ]?process(?:ing)?)"
    r"(?:[ _-]{1,2}(?:time|latency|cost|speed|duration|elapsed|took|takes)){0,2}"
    r"(?: ?\((ms|us|s)\))?(?:[ \t]{0,9}(?:[:=]|->|is\b|cpu\b))?[ \t]{0,9}"
    r"(\d{1,9}(?:\.\d{1,18})?(?:e-\d{1,2})?)"
    r"(?:[ \t]{0,2}(milliseconds?|msecs?|ms|microseconds?|[uµ]s|seconds?|secs?|s)\b|(?![\w.%/]))"
)
_PLACES = {"pre": 0, "inf": 1, "net": 1, "pos": 2}
_UNITS_MS = {"milli": 1.0, "micro": 1e-3, "ms": 1.0, "us": 1e-3, "µs": 1e-3, "s": 1e3}
_WORD = regex(r"(?<![\w./:-])[a-z]+(?![\w./:-]*\w)")
_MEANS = frozenset({"average", "avg", "mean"})
#: What else a time is of than one inference.
_OTHERS = frozenset(
    {"total", "all", "sum", "min", "max", "minimum", "maximum", "best", "median", "std", "target", "warmup"}
    | {"torch", "pytorch", "libtorch", "onnx", "onnxruntime", "ort", "tensorflow", "keras", "openvino"}
)
#: What Polygraphy's lines of a run have: its log is named for what it is.
_POLYGRAPHY = "-runner-n"
_RATE = regex(
    r"(?:(?<!input )(?<!source )(?<!video )(?<!camera )(?<!target )"
    r"\bFPS ?(?:\([a-z]{1,9}\) ?)?[:=] ?(?P<after>\d{1,6}(?:\.\d{1,9})?)\b(?![.,]\d)"
    r"|\*\*PERF: {1,4}(?P<streams>(?:\d{1,6}\.\d\d \(\d{1,6}\.\d\d\)[ \t]{0,4}){1,256})"
    r"|\((?P<before>\d{1,6}(?:\.\d{1,9})?) ?fps\))",
    re.ASCII | re.IGNORECASE,
)
_MEAN = regex(r"\(([\d.]+)\)", re.ASCII)
#: Fewer inferences have no median that the first one can be compared with.
_LEAST = 5


def application_times(text: str) -> dict[str, str]:
    """Return the times by stage, medians of the calls of the last engine, and the frames per second."""
    return _times(text) | _rate(text)


def _rate(text: str) -> dict[str, str]:
    """Return the median of the stated rates above 0, of DeepStream's the last means of its streams."""
    if "fps" not in text and "FPS" not in text and "**PERF" not in text:
        return {}
    found = list(_RATE.finditer(text))
    streams = [_MEAN.findall(each["streams"]) for each in found if each["streams"]]
    stated = streams[-1] if streams else [each["after"] or each["before"] for each in found]
    rates = [rate for each in stated if (rate := float(each)) > 0]
    of = f" (median of {len(rates)} streams)" if streams and len(rates) > 1 else ""
    return {RATE: f"{median(rates):.2f} fps{of}"} if rates else {}


def _times(text: str) -> dict[str, str]:
    """Return the times by stage."""
    if "Loading " in text:
        text = _OTHER.split(_ENGINE.split(text)[-1])[0]
    if "Speed: " in text and (calls := [found.group(1, 2, 4) for found in _SPEED.finditer(text)]):
        columns = [[float(each) for each in column] for column in zip(*calls, strict=True)]
        return _facts(columns, [float(each[1]) for each in _IMAGE.finditer(text)])
    stated: tuple[dict[str, list[float]], ...] = ({}, {}, {})
    for place, label, ms in _stated(text):
        stated[place].setdefault(label, []).append(ms)
    columns = [
        next(iter(by_label.values()))
        if len(by_label) == 1 and not _MEANS & {*next(iter(by_label)).split()}
        else []
        for by_label in stated
    ]
    if columns[1]:
        return _facts(columns, columns[1])
    means = [ms for each in stated[1].values() for ms in each]
    return {MEAN: _shown(means[0])} if len(means) == 1 else {}


def _stated(text: str) -> Iterator[tuple[int, str, float]]:
    """Yield each stage and its time, with the words before it in its line: those of one engine are equal."""
    for line in _lines(text):
        if _POLYGRAPHY in line:
            continue
        begin = 0
        for found in _STATED.finditer(line):
            words = _WORD.findall(line[begin : found.start()])
            begin = found.end()
            unit = found[4] or found[2] or ""
            scale = next((ms for key, ms in _UNITS_MS.items() if unit.startswith(key)), None)
            if scale is not None and _OTHERS.isdisjoint(words):
                yield _PLACES[found[1][:3]], " ".join(words), float(found[3]) * scale


def _lines(text: str) -> Iterator[str]:
    """Yield the lines that may have such a time, in small letters: few lines of a build have one."""
    found: set[tuple[int, int]] = set()
    for word in _WORDS:
        at = text.find(word)
        while at >= 0:
            end = (text.find("\n", at) + 1 or len(text) + 1) - 1
            found.add((text.rfind("\n", 0, at) + 1, end))
            at = text.find(word, end)
    yield from (text[begin:end].lower() for begin, end in sorted(found) if end - begin <= _LONGEST)


def _facts(columns: Sequence[Sequence[float]], single: Sequence[float]) -> dict[str, str]:
    """Return the medians of stages, and the first of single inferences beside their median."""
    found = {stage: _shown(median(column)) for stage, column in zip(STAGES, columns, strict=True) if column}
    if len(single) >= _LEAST:
        of_single = (_shown(single[0]), _shown(median(single)), str(len(single)))
        found |= dict(zip((FIRST, MEDIAN, COUNT), of_single, strict=True))
    return found


def _shown(ms: float) -> str:
    return f"{ms:.3f}".rstrip("0").rstrip(".") + " ms"
