"""Logs of several runs in one folder are not mixed: the fastest is shown, the others are named to compare."""

from __future__ import annotations

import pytest

from trexreport.analyzer import analyze
from trexreport.model import Source
from trexreport.reader import read_engine
from trexreport.reader.several_logs import logs_of_one_run

TIME = "[11/21/2026-07:39:40] [I] "


def log(name, command="", qps: float | None = None):
    lines = [f"&&&& RUNNING TensorRT.trtexec [TensorRT v8601] # trtexec {command}"] if command else []
    lines += [f"{TIME}Throughput: {qps} qps"] if qps else [f"{TIME}Starting"]
    return Source("log", name, "\n".join(lines).encode())


def shown(*sources):
    kept, notes, _, _ = logs_of_one_run(sources)
    return [each.name for each in kept], [note.message for note in notes], [note.hint for note in notes]


def test_logs_of_several_builds_are_distinguished():
    logs = [log(f"{name}.log", f"--onnx=m.onnx --{name}", qps) for name, qps in (("best", 30), ("fp16", 20))]
    names, messages, hints = shown(*logs)
    assert names == ["best.log"]
    assert messages == [
        "There are logs of 2 runs: best.log (30.00 qps) and fp16.log (20.00 qps); best.log is shown."
    ]
    assert hints[0].startswith("Compare them: trexreport compare best.log fp16.log.")


@pytest.mark.parametrize(
    ("one", "other", "is_one"),
    [
        # A sweep of one engine.
        ("--loadEngine=m.plan --shapes=x:1x3", "--loadEngine=m.plan --shapes=x:8x3", False),
        ("--loadEngine=a.plan", "--loadEngine=b.plan", False),
        # Engines of one name in two folders, or one that was measured twice.
        ("--loadEngine=a/m.plan", "--loadEngine=b/m.plan", False),
        ("--onnx=a.onnx", "--onnx=b.onnx", False),
        # A build and a run of its engine.
        ("--onnx=m.onnx --saveEngine=/x/m.plan", "--loadEngine=m.plan", True),
        ("--onnx=m.onnx --fp16", "--onnx=m.onnx --fp16 --exportTimes=t.json", True),
        # Where one names no engine, nothing shows that they differ.
        ("--onnx=m.onnx", "--loadEngine=m.plan", True),
    ],
)
def test_commands_show_whether_logs_are_of_one_run(one, other, is_one):
    names, messages, _ = shown(log("a.log", one, 10), log("b.log", other, 20))
    assert names == (["a.log", "b.log"] if is_one else ["b.log"])
    assert bool(messages) is not is_one


def test_without_commands_the_figures_decide():
    assert shown(log("a.log", qps=10), log("b.log", qps=10))[0] == ["a.log", "b.log"]
    assert shown(log("a.log", qps=10), log("b.log", qps=20))[0] == ["b.log"]


@pytest.mark.parametrize(("seconds", "names"), [(3.0, ["a.log", "b.log"]), (6.0, ["a.log"])])
def test_a_log_that_ends_before_its_summary_states_a_rate(seconds, names):
    count = f"{TIME}Timing trace has 30 queries over {seconds} s"
    assert shown(log("a.log", qps=10), Source("log", "b.log", count.encode()))[0] == names


def test_a_failed_run_of_other_shapes_is_named():
    logs = [
        log("a.log", "--loadEngine=m.plan --shapes=x:1x3", 10),
        log("b.log", "--loadEngine=m.plan --shapes=x:8x3", 20),
        log("c.log", "--loadEngine=m.plan --shapes=x:0x3"),
    ]
    logs[2] = Source("log", "c.log", logs[2].data + b"\n&&&& FAILED TensorRT.trtexec [TensorRT v8601]")
    names, messages, _ = shown(*logs)
    assert names == ["b.log"]
    assert messages[0].endswith(
        "b.log is shown. c.log is a log of a failed run: trexreport lint c.log says why."
    )
    assert shown(logs[1], logs[2])[1] == [
        "c.log is a log of a failed run: trexreport lint c.log says why; b.log is shown."
    ]


def test_a_build_of_the_shown_engine_stays():
    logs = [
        log("a.log", "--loadEngine=a.plan", 30),
        log("b.log", "--loadEngine=b.plan", 20),
        log("build_a.log", "--onnx=m.onnx --saveEngine=a.plan"),
        log("build_b.log", "--onnx=m.onnx --saveEngine=b.plan"),
    ]
    assert shown(*logs)[0] == ["a.log", "build_a.log"]


def test_a_profile_of_an_engine_with_other_inputs_is_left_out():
    logs = [
        log("a.log", "--onnx=m.onnx", 30),
        log("b.log", "--onnx=n.onnx", 20),
        log("profile.log", "--loadEngine=n.plan --dumpProfile"),
    ]
    binding = "\n[11/21/2026-07:39:40] [I] Input binding for {} with dimensions 1x3 is created."
    named = [
        Source("log", each.name, each.data + binding.format(name).encode())
        for each, name in zip(logs, ("x", "y", "y"), strict=True)
    ]
    assert shown(*named)[0] == ["a.log"]
    assert shown(*logs)[0] == ["a.log", "profile.log"]


def test_other_files_are_of_one_of_them():
    logs = [log("a.log", "--loadEngine=a.plan", 10), log("b.log", "--loadEngine=b.plan", 20)]
    graph = Source("graph", "m.graph.json", b"{}")
    assert shown(graph, *logs)[0] == ["m.graph.json", "a.log", "b.log"]
    assert shown(logs[0])[0] == ["a.log"]


def test_many_logs_are_counted():
    logs = [log(f"b{size:03}.log", f"--onnx=m.onnx --shapes=x:{size}x3", size) for size in range(1, 12)]
    assert "b008.log (8.000 qps) and 3 more" in shown(*logs)[1][0]


def test_a_folder_of_several_runs_has_no_contradiction(tmp_path):
    for name, qps in (("a", 10.0), ("b", 99.0)):
        (tmp_path / f"{name}.log").write_bytes(log("", f"--loadEngine={name}.plan", qps).data)
    engine = read_engine(tmp_path)
    assert engine.measurement.throughput_qps == 99.0
    assert not engine.contradictions
    assert [note.slug for note in engine.notes if note.slug == "several-runs"]


def test_logs_of_other_builds_that_measured_nothing_are_named():
    logs = [
        log("a.log", "--onnx=m.onnx --fp16", 30),
        log("b.log", "--onnx=m.onnx", 20),
        log("c.log", "--onnx=m.onnx --int8"),
    ]
    names, messages, _ = shown(*logs)
    assert names == ["a.log"]
    assert messages[0].endswith("a.log is shown. c.log is a log of another build.")
    names, messages, hints = shown(logs[0], logs[2])
    assert names == ["a.log"]
    assert messages == ["c.log is a log of another build; a.log is shown."]
    assert hints[0].startswith("Compare them: trexreport compare a.log c.log.")


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        # The names state the types where no command does; the lowest precision is shown.
        ("net_fp16.log", "net_int8.log", ["net_int8.log"]),
        ("net_int8.log", "net_fp16.log", ["net_int8.log"]),
        ("net_fp16.log", "net_fp16_int8.log", ["net_fp16.log", "net_fp16_int8.log"]),
        ("build.log", "net_int8.log", ["build.log", "net_int8.log"]),
    ],
)
def test_of_builds_alone_one_is_shown(one, other, expected):
    names, messages, _ = shown(log(one), log(other))
    assert names == expected
    assert bool(messages) is (len(expected) == 1)


def test_a_build_that_lists_layers_comes_before_a_lower_precision():
    layers = Source("log", "net_fp16.log", b"Engine Layer Information:\nLayer(Convolution): a, Tactic: 0x0")
    assert shown(layers, log("net_int8.log"))[0] == ["net_fp16.log"]


def test_builds_that_failed_are_shown_together():
    logs = [
        Source(
            "log", f"{flag}.log", f"&&&& FAILED TensorRT.trtexec # trtexec --onnx=m.onnx --{flag}".encode()
        )
        for flag in ("fp16", "int8")
    ]
    assert shown(*logs)[0] == ["fp16.log", "int8.log"]


POLYGRAPHY = "[I] Building engine with configuration:\n    Flags | [FP16]\n"


def test_a_failed_build_does_not_mix_with_another(tmp_path):
    error = f"{TIME.replace('[I]', '[E]')}2: [myelinBuilderUtils.cpp::f::425] Error Code 2: (odd)\n"
    (tmp_path / "all.txt").write_text(f"{POLYGRAPHY}[V] Marking 2900 tensors as outputs\n{error}")
    built = f"{POLYGRAPHY}{TIME}[TRT] Loaded engine size: 343 MiB\n"
    (tmp_path / "few.txt").write_text(built)
    engine = read_engine(tmp_path)
    assert engine.setup.build_facts["Loaded engine size"] == "343 MiB"
    assert "all.txt is a log of a failed run" in " ".join(note.message for note in engine.notes)
    codes = {each.code for each in analyze(engine).lint.findings}
    assert "TRX825" in codes
    assert "TRX921" not in codes
    # The errors of one run may be in a file of their own.
    (tmp_path / "all.txt").write_text(error)
    assert not [note for note in read_engine(tmp_path).notes if note.slug == "several-runs"]


def sweep(*runs):
    """Return a log of runs, each a command, its throughput in qps and further lines."""
    texts = []
    for command, qps in runs:
        ms = 1000 / qps
        texts += [
            log("", command, qps).data.decode(),
            f"{TIME}=== Performance summary ===",
            f"{TIME}GPU Compute Time: min = {ms} ms, max = {ms} ms, mean = {ms} ms, median = {ms} ms",
            f"&&&& PASSED TensorRT.trtexec [TensorRT v8601] # trtexec {command}\n",
        ]
    return "\n".join(texts)


def test_each_run_of_a_log_is_listed(tmp_path):
    path = tmp_path / "sweep.log"
    path.write_text(
        sweep(
            ("--onnx=m.onnx --fp16 --saveEngine=m.plan --shapes=x:1x3", 400),
            ("--loadEngine=m.plan --shapes=x:2x3", 200),
            ("--loadEngine=m.plan --shapes=x:2x3 --infStreams=2", 210),
        )
    )
    engine = read_engine(path)
    logs = engine.logs
    assert [(each.file, each.model, each.types, each.batch, each.options) for each in logs] == [
        ("run 1", "m", ("FP16",), 1, ()),
        ("run 2", "m", ("FP16",), 2, ()),
        ("run 3", "m", ("FP16",), 2, ("2 streams",)),
    ]
    assert [each.is_shown for each in logs] == [False, False, True]
    assert [each.name for each in read_engine(path).other_logs] == [
        "run 1",
        "run 2",
    ]


def test_runs_that_may_be_one_measurement_are_not_listed(tmp_path):
    path = tmp_path / "twice.log"
    path.write_text(sweep(("--onnx=m.onnx --saveEngine=m.plan", 400), ("--loadEngine=m.plan", 401)))
    engine = read_engine(path)
    assert engine.logs == engine.other_logs == ()


def test_problems_of_other_logs_are_found(tmp_path):
    slow = "GPU Compute Time: min = 9 ms, max = 9 ms, mean = 9 ms, median = 9 ms"
    latency = slow.replace("GPU Compute Time", "Latency")
    summary = f"=== Performance summary ===\nThroughput: 99 qps\n{latency}\n{slow}\n"
    other, enqueue = summary.replace("99 qps", "90 qps"), slow.replace("GPU Compute", "Enqueue")
    (tmp_path / "net_bs8.log").write_text(other)
    (tmp_path / "net_bs1.log").write_text(summary + enqueue)
    findings = analyze(read_engine(tmp_path)).log_findings
    # What the shown log has as well is not repeated.
    (tmp_path / "net_bs8.log").write_text(other + enqueue)
    assert analyze(read_engine(tmp_path)).log_findings == []
    assert {(each.file, each.code, each.severity) for each in findings} == {
        ("net_bs1.log", "TRX805", "warning")
    }


@pytest.mark.parametrize("mark", ["## ", "   1. ", "- "])
def test_headings_state_the_batch_sizes_of_summaries(tmp_path, mark):
    runs = ((f"{mark}Batch Size 1", 344.5), (f"{mark}BatchSize 4", 106.3), (f"{mark}Batch 8", 51.9))
    summary = "=== Performance summary ===\nThroughput: {} qps\n\nLatency: " + ", ".join(
        f"{key} = {{}} ms" for key in ("min", "max", "mean", "median")
    )
    texts = [f"{title}\n```\n{summary.format(qps, *[1000 / qps] * 4)}\n```\n" for title, qps in runs]
    path = tmp_path / "runs.md"
    path.write_text("\n".join(["# Model", *texts]))
    logs = analyze(read_engine(path)).logs
    assert [each.batch for each in logs] == [1, 4, 8]
    assert [each.throughput_qps for each in logs] == [344.5, 106.3, 51.9]


def test_a_page_states_device_and_batch_of_each_run(tmp_path):
    summary = "=== Performance summary ===\nThroughput: {} qps\n\nLatency: min = 1 ms, median = {} ms\n\n"
    runs = (("## Batch 1", 300, 3), ("## Batch 4", 100, 9), ("## Other sizes of the batch", 50, 19))
    text = "".join(f"{title}\n{summary.format(*figures)}" for title, *figures in runs)
    device = "=== Device Information ===\nSelected Device: NVIDIA L4\nCompute Capability: 8.9\n\n"
    page = tmp_path / "runs.md"
    page.write_text(device + text)
    found = [analyze(read_engine(page, log_run=run)).identity for run in (1, 2, 3, None)]
    # The heading of the last run, which is shown, states none.
    assert [each.batch for each in found] == [1, 4, None, None]
    assert {each.gpu for each in found} == {"NVIDIA L4"}
    assert [each.gpu for each in analyze(read_engine(page)).logs] == ["NVIDIA L4"] * 3
    (tmp_path / "again.md").write_text((device + text).replace("Throughput: 50", "Throughput: 40"))
    assert {each.batch for each in analyze(read_engine(tmp_path)).logs} == {None}
    # A device among the options of a run is that run's.
    page.write_text(f"=== Build Options ===\nPrecision: FP16\n\n{device}{text}")
    assert analyze(read_engine(page, log_run=2)).identity.gpu == ""


def test_names_of_logs_state_the_batch_as_in_lists_of_logs(tmp_path):
    summary = "=== Performance summary ===\nThroughput: 99 qps\n\nLatency: min = 1 ms, median = 2 ms\n"
    path = tmp_path / "net_fp16_bs8.log"
    path.write_text(summary)
    assert analyze(read_engine(path)).identity.batch == 8


def test_an_item_of_prose_is_no_heading_of_a_run(tmp_path):
    summary = "=== Performance summary ===\nThroughput: {} qps\nLatency: min = 1 ms, median = 2 ms\n"
    path = tmp_path / "runs.md"
    texts = [
        f"1. Use batch 4 if latency matters, {qps} qps is enough\n{summary.format(qps)}" for qps in (5, 6)
    ]
    path.write_text("# Model\n" + "\n".join(texts))
    assert {each.batch for each in analyze(read_engine(path)).logs} <= {None}


def test_the_note_names_the_run_of_a_page_that_is_shown(tmp_path):
    text = "".join(
        f"{command}\n=== Performance summary ===\nThroughput: {qps} qps\n\nLatency: min = 1 ms, "
        "max = 3 ms, mean = 2 ms, median = 2 ms\n"
        for command, qps in (("$ trtexec --loadEngine=net.engine --fp16", 5), ("Another board", 6))
    )
    path = tmp_path / "runs.md"
    path.write_text(text)
    engine = read_engine(path)
    assert engine.measurement.throughput_qps == 6
    (note,) = (each for each in engine.notes if each.slug == "log-several-runs")
    assert "run 2 of these is shown" in note.message


def _table(name, layers, ms, *above):
    names, each = layers.split(), ms / len(layers.split())
    lines = ["=== Profile (9 iterations ) ===", "   Time(ms)     Avg.(ms)   Median(ms)   Time(%)   Layer"]
    lines += [
        f"{9 * each:11.2f} {each:12.4f} {each:12.4f}     {100 / len(names):.1f}   {layer}" for layer in names
    ]
    lines = [*above, *lines, f"{9 * ms:11.2f} {ms:12.4f} {ms:12.4f}     100.0   Total"]
    return Source("log", name, "\n".join(f"{TIME}{line}" for line in lines).encode())


def test_of_tables_of_two_engines_the_longer_one_is_shown_and_the_other_named():
    names, messages, hints = shown(_table("a.log", "conv1", 0.5), _table("b.log", "matmul1", 40.0))
    assert names == ["b.log"]
    assert messages == ["a.log is a log of another run; b.log is shown."]
    assert hints[0].startswith("Compare them: trexreport compare b.log a.log.")


@pytest.mark.parametrize(
    ("layers", "ms", "is_one"),
    [
        ("conv1", 0.9, True),
        # An excerpt.
        ("conv1 softmax", 0.6, True),
        ("conv1", 1.1, False),
        # Layers of two engines may be called alike.
        ("matmul1 matmul2 softmax", 0.6, False),
    ],
)
def test_tables_of_one_engine_and_about_one_time_stay_together(layers, ms, is_one):
    names, messages, _ = shown(_table("a.log", layers, ms), _table("b.log", "conv1 conv2 softmax", 0.5))
    assert (names == ["a.log", "b.log"]) is is_one
    assert bool(messages) is not is_one


@pytest.mark.parametrize("other", ["conv1 conv2", "dla softmax"])
def test_logs_that_each_agree_with_their_table_are_two_runs(tmp_path, other):
    figures = ["GPU Compute", "min: 3.9 ms", "max: 4.1 ms", "mean: 4 ms", "median: 4 ms"]
    for log in (_table("a.log", other, 1.0), _table("b.log", "conv1 conv2 softmax", 3.9, *figures)):
        (tmp_path / log.name).write_bytes(log.data)
    engine = read_engine(tmp_path)
    assert not engine.contradictions
    assert [layer.name for layer in engine.layers] == ["conv1", "conv2", "softmax"]
    assert "a.log is a log of another run; b.log is shown." in [note.message for note in engine.notes]


def test_what_is_wrong_with_a_log_that_is_not_shown_is_found_for_the_folder(tmp_path):
    command = "--onnx=m.onnx --minShapes=x:1x3 --optShapes=x:64x3 --maxShapes=x:64x3 --shapes=x:{}x3"
    for name, qps, batch in (("a.log", 90, 64), ("b.log", 10, 4)):
        (tmp_path / name).write_bytes(log(name, command.format(batch), qps).data)
    (tmp_path / "half.log").write_text(
        f"&&&& RUNNING TensorRT.trtexec [TensorRT v8601] # trtexec --onnx=m.onnx --fp16\n{TIME}Starting\n"
        "[11/21/2026-07:39:40] [E] Error[2]: [x.cpp::f::1] Error Code 2: OutOfMemory (no information)\n"
        "&&&& FAILED TensorRT.trtexec [TensorRT v8601] # trtexec --onnx=m.onnx --fp16\n"
    )
    analysis = analyze(read_engine(tmp_path))
    found = {(each.file, each.code): each for each in analysis.log_findings}
    assert found["b.log", "TRX706"].recommendation.startswith("Build with the shapes that occur most")
    assert found["half.log", "TRX921"].severity == "error"
    (first, *_) = analysis.lint.findings
    assert (first.code, first.about) == ("TRX825", "engine")
    assert "TRX921 in half.log: trtexec says that it failed: there was not enough memory" in first.message


def test_beside_layers_the_log_that_wrote_them_is_shown():
    files = [Source("graph", "l.json", b"{}"), Source("profile", "P.json", b"[]")]
    writer = log("a.log", "--loadEngine=m.plan --shapes=x:1x3 --exportProfile=/tmp/P.json", 10)
    beside = [
        # Of the engine, as it was built, whatever that measured.
        log("build.log", "--onnx=m.onnx --saveEngine=m.plan --useCudaGraph", 9),
        log("graph.log", "--loadEngine=m.plan --shapes=x:1x3 --useCudaGraph", 20),
        log("batch.log", "--loadEngine=m.plan --shapes=x:8x3", 30),
        log("again.log", "--loadEngine=m.plan --shapes=x:1x3", 11),
        log("other.log", "--loadEngine=n.plan", 40),
        log("notes.log"),
    ]
    failed = log("failed.log", "--onnx=m.onnx --int8 --saveEngine=m8.plan")
    failed = Source("log", failed.name, failed.data + b"\n&&&& FAILED TensorRT.trtexec [TensorRT v8601]")
    # A failed run of the same engine concerns the capture.
    own = Source("log", "notes.log", failed.data.replace(b"m8.plan", b"m.plan"))
    choice = logs_of_one_run([*files, *beside[:-1], own, failed, writer])
    assert [each.name for each in choice.sources] == [
        "l.json",
        "P.json",
        "build.log",
        "again.log",
        "notes.log",
        "a.log",
    ]
    assert [each.name for each in choice.others] == [
        "graph.log",
        "batch.log",
        "other.log",
        "failed.log",
    ]
    assert [(each.file, each.is_shown) for each in choice.measured] == [
        ("a.log", True),
        ("graph.log", False),
        ("batch.log", False),
        ("other.log", False),
    ]
    assert choice.notes[0].message.startswith(
        "There are logs of 5 runs: a.log, graph.log, batch.log, other.log"
    )
    # Without a log that wrote them any may be of them.
    assert not logs_of_one_run([*files, *beside]).others


def test_a_failed_build_is_not_of_an_engine_that_was_loaded():
    files = [
        Source("profile", "p.json", b"[]"),
        log("a.log", "--loadEngine=m.plan --exportProfile=p.json", 10),
    ]
    failed = log("try.log", "--onnx=m.onnx --int8").data + b"\n&&&& FAILED TensorRT.trtexec [TensorRT v8601]"
    choice = logs_of_one_run([*files, Source("log", "try.log", failed)])
    assert [each.name for each in choice.others] == ["try.log"]
