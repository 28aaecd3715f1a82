"""Rules on the state of the GPU while it was measured."""

from __future__ import annotations

from collections.abc import Iterator

from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.rule import Hit, Threshold, rule
from trexreport.numbers import format_count, format_number, format_percent


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


@rule(
    "TRX813",
    "measurement.other-processes",
    "warning",
    many="Other processes used the GPU in {count} ways.",
    needs=("gpu-samples",),
    section="timing",
)
def other_processes(context: Context) -> Iterator[Hit]:
    """Other processes had memory on the GPU while it was measured.

    Cost:
        What they run takes turns with the engine: queries become slower, and some far slower than others.
        Even when they rest, their memory is missing to the engine and to the search for fast kernels.

    Advice:
        End them, or measure on a GPU of your own (CUDA_VISIBLE_DEVICES chooses one).

    False alarm:
        A desktop, a display server or a monitoring agent holds some memory and computes next to nothing.

    Bound:
        None: it concerns the measurement, not the engine.
    """
    watch = context.analysis.gpu_watch
    if watch is None or not watch.other_processes:
        return
    count = len(watch.other_processes)
    verb = "process had" if count == 1 else "processes had"
    named = {f"Process {number}": text for number, text in enumerate(watch.other_processes, 1)}
    yield Hit(f"{format_count(count)} other {verb} memory on the GPU.", (), None, named)


def _amount(value: float | None, unit: str) -> str:
    return "" if value is None else f"{format_number(value, 4)} {unit}"
