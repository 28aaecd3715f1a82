"""TRX812 measurement.clock-throttled."""

from __future__ import annotations

from trexreport.analyzer.rules import Context, Hit, Hits, built_in_rule
from trexreport.analyzer.rules.limits import percent
from trexreport.numbers import format_number, format_percent


@built_in_rule(
    "warning",
    former_name="measurement.clock-held-down",
    needs=("gpu-samples",),
    thresholds=(
        percent("share_percent", 5.0, "Minimum share of samples with a throttled clock, in percent."),
    ),
    explains={"engine": ("TRX801", "TRX802", "TRX803")},
)
def clock_throttled(context: Context, *, share_percent: float) -> Hits:
    """The GPU clock was throttled while queries were timed.

    Cost:
        The times are those of a slower GPU, and how much slower changes with load, temperature and cooling:
        they cannot be distinguished from those of a better or worse engine.

    Recommendation:
        Lock the clocks to what the board sustains (trexreport collect --lock-clocks sustained; nvidia-smi
        --lock-gpu-clocks), so that all engines are measured alike. If the cause is thermal check the cooling;
        if it is a power cap raise the limit, if the board allows it.

    False alarm:
        An engine that runs on this board at full load all day is throttled in production, too; then these are
        the right times, once the temperature has settled.

    Est. savings:
        Not estimated: it concerns the measurement, not the engine.
    """
    watch = context.analysis.gpu_watch
    run = watch.timed if watch else None
    if watch is None or run is None or not run.held_down_percent or run.held_down_percent < share_percent:
        return
    evidence = {
        "SM clock, median": _amount(run.sm_clock_mhz, "MHz"),
        "SM clock, minimum": _amount(run.lowest_sm_clock_mhz, "MHz"),
        "Power, mean": _amount(run.power_w, "W"),
        "Power limit": _amount(watch.power_limit_w, "W"),
        "Temperature, maximum": _amount(run.temperature_c, "°C"),
    }
    yield Hit(
        f"The GPU clock was throttled in {format_percent(run.held_down_percent / 100)} of the samples: "
        f"{', '.join(run.reasons)}.",
        (),
        None,
        {label: text for label, text in evidence.items() if text},
    )


def _amount(value: float | None, unit: str) -> str:
    return "" if value is None else f"{format_number(value, 4)} {unit}"
