"""The sentences of the timeline."""

from __future__ import annotations

from trexreport.numbers import counted, format_ms, format_percent

#: How many streams a timeline shows; the script of the page shows as many.
MAX_STREAMS = 24

#: What is wrong and what to do, where no layer has a time.
NO_TIMES = (
    "No layer has a time, so there is no timeline.",
    "Run trtexec with --exportProfile=X.profile.json --separateProfileRun.",
)
NO_ORDER = (
    "The layers are sorted by time, so that the order of execution, which a timeline shows, is not known.",
    "Pass the profile as --exportProfile wrote it.",
)


def reconstruction(untimed: int) -> str:
    """Return what a timeline is made of; `untimed` is the number of layers whose time is not known."""
    text = (
        "Reconstructed from average times: a layer begins when its stream is free, its inputs are ready and "
        "the signals that it waits for are given. Gaps between launches are not shown."
    )
    if not untimed:
        return text
    verb = "is" if untimed == 1 else "are"
    return f"{text} {counted(untimed, 'layer')} without a time {verb} left out."


def timeline_summary(streams: int, total_ms: float, layer_sum_ms: float) -> str:
    """Return what a timeline shows: how long it is, and how much of the layers' time overlaps."""
    if streams == 1:
        return f"One stream, {format_ms(total_ms)}."
    overlapping = max(layer_sum_ms - total_ms, 0.0)
    share = format_percent(overlapping / layer_sum_ms if layer_sum_ms else 0.0)
    return (
        f"{streams} streams, {format_ms(total_ms)} for {format_ms(layer_sum_ms)} of layers: "
        f"{format_ms(overlapping)} ({share}) overlap."
        + (f" The first {MAX_STREAMS} streams are shown." if streams > MAX_STREAMS else "")
    )


def stream_name(stream: int | None) -> str:
    """Return what a stream is called."""
    return "stream not stated" if stream is None else f"stream {stream}"
