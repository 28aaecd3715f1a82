"""A log without first lines holds several runs: each summary goes with the averages before it."""

from __future__ import annotations

import pytest

from trexreport.analyzer import analyze
from trexreport.errors import InputError
from trexreport.reader import read_engine

STAMP = "[05/29/2022-21:55:54] [I] "
TABLE = ("=== Profile (90 iterations ) ===", "   Time(ms)     Avg.(ms)   Median(ms)   Time(%)   Layer")


def _stated(*lines, prefix=STAMP):
    return "".join(f"{prefix}{line}\n" for line in lines)


def _averages(ms, end_to_end=""):
    return [
        f"Average on 10 runs - GPU latency: {ms} ms - Host latency: {ms + 1} ms ({end_to_end}enqueue 0.5 ms)"
    ] * 3


def _summary(ms):
    def times(value):
        return (
            f"min = {value} ms, max = {value} ms, mean = {value} ms, median = {value} ms, "
            f"percentile(99%) = {value} ms"
        )

    return [
        "=== Performance summary ===",
        f"Throughput: {1000 / ms} qps",
        f"Latency: {times(ms + 1)}",
        f"GPU Compute Time: {times(ms)}",
        "Total Host Walltime: 3 s",
        "Total GPU Compute Time: 3 s",
    ]


def _summary_of_7(ms):
    def times(value):
        return [f"{name}: {value} ms" for name in ("min", "max", "mean", "median")]

    totals = [f"throughput: {1000 / ms} qps", "walltime: 3 s"]
    return ["Host Latency", *times(ms + 1), *totals, "GPU Compute", *times(ms), "total compute time: 3 s"]


def _run(ms, form="11"):
    if form == "7":
        return [*_averages(ms, "end to end 9 ms, "), *_summary_of_7(ms)]
    end_to_end = "end to end 9 ms, " if form == "8" else ""
    return [
        "=== Trace details ===",
        "Trace averages of 10 runs:",
        *_averages(ms, end_to_end),
        "",
        *_summary(ms),
    ]


def _read(tmp_path, *texts, log_run=None):
    path = tmp_path / "readme.log"
    if texts:
        path.write_text("\n".join(texts))
    return read_engine(path, log_run=log_run)


def _shown(engine):
    """Return the mean GPU time of the summary and of the averages, once nothing contradicts them."""
    assert not engine.contradictions
    assert not [note for note in engine.notes if note.slug.startswith("contradiction")]
    measurement = engine.measurement
    averages = measurement.averages
    return measurement.summary["GPU Compute Time"].mean_ms, averages and averages.gpu_ms[0]


@pytest.mark.parametrize("form", ["7", "8", "11"])
@pytest.mark.parametrize(("log_run", "ms"), [(None, 3), (1, 33), (2, 65), (3, 3)])
def test_each_run_has_its_own_averages(tmp_path, form, log_run, ms):
    texts = [_stated(*_run(each, form)) for each in (33, 65, 3)]
    texts[2] = "FP16\n\n" + texts[2]
    assert _shown(_read(tmp_path, *texts, log_run=log_run)) == (ms, ms)


def test_lines_without_a_prefix_are_runs(tmp_path):
    texts = [_stated(*_run(each), prefix="> ") for each in (33, 3)]
    assert _shown(_read(tmp_path, *texts)) == (3, 3)
    assert _shown(_read(tmp_path, *texts, log_run=1)) == (33, 33)


@pytest.mark.parametrize("form", ["7", "8", "11"])
def test_a_log_may_begin_in_the_middle_of_a_run(tmp_path, form):
    texts = [_stated(*_run(33, form)), _stated(*_run(3, form))]
    summary = _stated(*(_summary_of_7(33) if form == "7" else _summary(33)))
    assert _shown(_read(tmp_path, summary, texts[1])) == (3, 3)
    assert _shown(_read(tmp_path, summary, texts[1], log_run=1)) == (33, None)


def test_of_runs_of_which_the_last_is_cut_the_last_complete_one_is_shown(tmp_path):
    first, second = _run(33), _run(3)
    shown = [
        _shown(_read(tmp_path, _stated(*first), _stated(*second[:end]))) for end in range(1, len(second))
    ]
    assert shown == [(33, 33)] * (len(second) - 1)


def test_a_run_that_is_cut_in_the_middle_leaves_the_next_one_alone(tmp_path):
    cut = _stated(*_run(33)[:5])
    assert _shown(_read(tmp_path, cut, _stated(*_run(3)))) == (3, 3)


def test_what_is_printed_between_runs_is_of_the_second(tmp_path):
    runs = [
        _stated("=== Build Options ===", f"Precision: {precision}", "", *_run(ms))
        + _stated(*TABLE, f"      90.00       {ms}.0       {ms}.0      100.0   {precision}", "")
        for precision, ms in (("FP32", 33), ("FP32+FP16", 3))
    ]
    for log_run, precision, ms in ((None, "FP32+FP16", 3), (1, "FP32", 33), (2, "FP32+FP16", 3)):
        engine = _read(tmp_path, *runs, log_run=log_run)
        assert _shown(engine) == (ms, ms)
        assert engine.setup.build_options == {"Precision": precision}
        assert [layer.name for layer in engine.layers] == [precision]


def test_commands_options_and_tables_of_another_run_are_not_those_of_the_one_shown(tmp_path):
    first = "trtexec --onnx=a.onnx --saveEngine=a.plan\n" + _stated(
        "=== Build Options ===", "Precision: FP32", "", *_run(33), *TABLE, "   90.0   33.0   33.0   100.0   a"
    )
    engine = _read(tmp_path, first, "FP16\n", _stated(*_run(3)))
    assert _shown(engine) == (3, 3)
    assert engine.setup.commands == ()
    assert engine.setup.build_options == {}
    assert engine.layers == ()
    engine = _read(tmp_path, first, "FP16\n", _stated(*_run(3)), log_run=1)
    assert engine.setup.commands == ("trtexec --onnx=a.onnx --saveEngine=a.plan",)
    assert engine.setup.build_options == {"Precision": "FP32"}


@pytest.mark.parametrize(
    "lines",
    [
        _run(3),
        [*_run(3), *_averages(3)],
        [*_summary(3), *_averages(3)],
        _run(3, "7"),
        [*_run(3), *_run(3)],
    ],
)
def test_one_run_stays_one(tmp_path, lines):
    engine = _read(tmp_path, _stated(*lines))
    assert _shown(engine) == (3, 3)


def test_one_run_is_not_several(tmp_path):
    with pytest.raises(InputError, match="no log with several runs"):
        _read(tmp_path, _stated(*_run(3)), log_run=1)


def test_runs_that_are_there_twice_are_not_cut(tmp_path):
    run, other = _stated(*_run(3)), _stated(*_run(33))
    engine = _read(tmp_path, run, other, run)
    assert "log-unfinished" not in [note.slug for note in engine.notes]


def _page(*options):
    """Return a page that shows a table of layers of 9 ms, then figures of 4 ms, each below its command."""
    table = _stated(
        *TABLE,
        "     810.00       9.0000       9.0000     100.0   conv",
        "     810.00       9.0000       9.0000     100.0   Total",
    )
    first, second = (f"`trtexec --onnx=a.onnx {each}`\n" for each in options)
    return f"# FP32\n{first}{table}\n# Faster\n{second}{_stated(*_summary(4))}"


def test_layer_times_of_another_build_are_left_out(tmp_path):
    engine = _read(tmp_path, _page("--dumpProfile", "--fp16"))
    noted = [note.slug for note in engine.notes]
    assert "log-other-table" in noted
    assert not engine.layers
    assert "cut" not in " ".join(noted)
    assert engine.measurement.summary["GPU Compute Time"].median_ms == 4
    # The same build may be measured apart, and so may the engine that it saved.
    for other in ("", "--dumpProfile"):
        engine = _read(tmp_path, _page("--fp16 --dumpProfile", f"--fp16 {other}"))
        assert [layer.name for layer in engine.layers] == ["conv"]
        assert "log-other-table" not in [note.slug for note in engine.notes]
    of_folder = _page("--dumpProfile", "").replace("--onnx=a.onnx --dump", "--onnx=/models/a.onnx --dump")
    assert [layer.name for layer in _read(tmp_path, of_folder).layers] == ["conv"]
    loaded = _page("--dumpProfile", "--fp16").replace(
        "`trtexec --onnx=a.onnx --fp16`", "`trtexec --loadEngine=a.plan`"
    )
    assert [layer.name for layer in _read(tmp_path, loaded).layers] == ["conv"]


def test_there_is_no_note_on_layer_times_of_a_run_that_has_figures(tmp_path):
    table = _stated(*TABLE, "     810.00       9.0000       9.0000     100.0   conv")
    runs = (
        f"$ trtexec --onnx=a.onnx --{each}\n{_stated(*_summary(ms))}{table}"
        for each, ms in (("fp16", 8), ("int8", 9))
    )
    engine = _read(tmp_path, *runs)
    assert "log-other-table" not in [note.slug for note in engine.notes]
    assert (_shown(engine), [layer.name for layer in engine.layers]) == ((9, None), ["conv"])


def _beginning(queries, seconds=3):
    return _stated(
        "Engine deserialized in 1.5 sec.",
        "Created input binding for x with dimensions 1x3x64x64",
        "Starting inference",
        "Warmup completed 9 queries over 200 ms",
        f"Timing trace has {queries} queries over {seconds} s",
    )


@pytest.mark.parametrize("lines", [0, 1, 3, 4])
@pytest.mark.parametrize("is_first", [True, False])
def test_a_run_without_a_summary_is_another_one(tmp_path, lines, is_first):
    """Its lines, from the first, the second and so on, are not those of the run that is shown."""
    cut = "".join(_beginning(300).splitlines(keepends=True)[lines:])
    whole = (_beginning(1000) if is_first else "") + _stated(*_run(3))
    engine = _read(tmp_path, *((cut, whole) if is_first else (whole, cut)))
    assert _shown(engine) == (3, 3)
    assert engine.measurement.timed_queries == (1000 if is_first else None)
    assert engine.setup.io_shapes == ({"x": "1x3x64x64"} if is_first else {})
    number = 2 if is_first else 1
    assert f"readme.log has 2 measured runs; run {number} of these is shown." in [
        note.message for note in engine.notes
    ]
    assert [each.throughput_qps for each in engine.logs] == sorted([100, 1000 / 3], reverse=not is_first)
    other = analyze(_read(tmp_path, log_run=3 - number)).latency
    assert (other.throughput_qps, other.gpu_compute) == (100, None)


def test_a_run_that_timed_its_queries_is_one(tmp_path):
    engine = _read(tmp_path, _beginning(1000) + _stated(*_run(3)))
    assert _shown(engine) == (3, 3)
    assert (engine.measurement.timed_queries, engine.measurement.timed_s) == (1000, 3)
    assert not engine.logs


@pytest.mark.parametrize(("tables", "rows"), [((True, True), 2), ((True, False), 0), ((False, False), 2)])
def test_runs_with_tables_of_their_own_are_listed(tmp_path, tables, rows):
    # A table alone may be what makes one of two runs slower.
    row = "      9.00         0.1000       0.1000     100.0   conv"
    runs = [
        _stated(*_run(ms), *((*TABLE, row) if has_table else ()))
        for ms, has_table in zip((33, 3), tables, strict=True)
    ]
    assert len(_read(tmp_path, *runs).logs) == rows


def test_what_follows_a_summary_before_the_last_line_is_of_the_same_run(tmp_path):
    command = "&&&& {} TensorRT.trtexec [TensorRT v8601] # trtexec --loadEngine=net.plan"
    row = "    270.00         3.0000       3.0000     100.0   conv"
    lines = _stated(*_run(3)) + _beginning(1000) + _stated(*TABLE, row)
    engine = _read(tmp_path, command.format("RUNNING"), lines, command.format("PASSED"))
    assert _shown(engine) == (3, 3)
    assert (engine.measurement.timed_queries, len(engine.layers)) == (1000, 1)
    # Without a first line it is another run.
    assert _read(tmp_path, lines).measurement.timed_queries is None
