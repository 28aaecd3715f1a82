"""TRX812 measurement.clock-held-down."""

from __future__ import annotations

from collections.abc import Iterator

from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.rule import Hit, Threshold, rule
from trexreport.numbers import format_number, format_percent


@rule(
    "TRX812",
    "measurement.clock-held-down",
    "warning",
    many="The GPU's clock was held down in {count} ways.",
    needs=("gpu-samples",),
    section="timing",
    thresholds=(
        Threshold("share_percent", 5.0, 0, 100, "Part of the samples in which it was held down, in percent."),
    ),
)
def clock_held_down(context: Context, *, share_percent: float) -> Iterator[Hit]:
    """Power, heat or another cause kept the GPU from its clock while queries were timed.

    Cost:
        The times are those of a slower GPU, and how much slower changes with load, heat and cooling: they
        can't be told apart from those of a better or worse engine.

    Advice:
        Lock the clocks to what the board sustains (trexreport collect --lock-clocks sustained; nvidia-smi
        --lock-gpu-clocks), so that all engines are measured alike. Against a thermal cause see to the
        cooling; against a power cap raise the limit, if the board allows it.

    False alarm:
        An engine that is to run on this board at full load all day is throttled in production, too; then
        these are the right times, once the temperature has settled.

    Bound:
        None: it concerns the measurement, not the engine.
    """
    watch = context.analysis.gpu_watch
    run = watch.timed if watch else None
    if watch is None or run is None or not run.held_down_percent or run.held_down_percent < share_percent:
        return
    evidence = {
        "SM clock, median": _amount(run.sm_clock_mhz, "MHz"),
        "SM clock, lowest": _amount(run.lowest_sm_clock_mhz, "MHz"),
        "Power, mean": _amount(run.power_w, "W"),
        "Power limit": _amount(watch.power_limit_w, "W"),
        "Temperature, highest": _amount(run.temperature_c, "°C"),
    }
    yield Hit(
        f"In {format_percent(run.held_down_percent / 100)} of the samples the GPU's clock was held down: "
        f"{', '.join(run.reasons)}.",
        (),
        None,
        {label: text for label, text in evidence.items() if text},
    )


def _amount(value: float | None, unit: str) -> str:
    return "" if value is None else f"{format_number(value, 4)} {unit}"
