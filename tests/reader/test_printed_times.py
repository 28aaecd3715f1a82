"""Times of layers that programs print from what TensorRT's IProfiler reports, in all their forms."""

from __future__ import annotations

import pytest

from trexreport.errors import InputError
from trexreport.reader import read_engine
from trexreport.reader.printed_lines import PrintedLine, Printout, without_sums
from trexreport.reader.printed_times import find_times, prints_times
from trexreport.reader.profile_file import read_profile
from trexreport.reader.roles import role_of_marks
from trexreport.reader.trtexec_log import read_trtexec_log

LAYERS = {
    "Reformatting CopyNode for Input Tensor 0 to conv1 + relu1": 0.03072,
    "conv1 + relu1": 0.120832,
    "pool: 2": 0.055296,
    "fc + (Unnamed Layer* 143) [Shuffle]": 0.0768,
    "Softmax": 1e-05,
}
BEFORE = (
    "[01/31/2022-21:09:23] [TRT] [W] Your ONNX model has been generated with INT64 weights.\nImage 1: cat\n"
)
#: Names without a mark of TensorRT, as Caffe models have, with times of three decimals.
PLAIN = {"shift": 0.92, "conv1": 1.482, "pool1": 0.117, "fc6": 8.729, "upscore": 3986.666, "prob": 0.1}
TOTAL = sum(PLAIN.values())


def _printed(runs=1, ending="\n"):
    lines = [f"{name}: {time_ms * run}ms" for run in range(1, runs + 1) for name, time_ms in LAYERS.items()]
    return BEFORE + ending.join([*lines, ""])


def _each(line, layers=PLAIN):
    return "".join(line.format(name=name, ms=ms, us=ms * 1e3) + "\n" for name, ms in layers.items())


def _simple_profiler(count):
    rows = "".join(
        f"{name:>70} {100 * ms / TOTAL:12.1f}% {count:12d} {ms * count:12.2f}\n" for name, ms in PLAIN.items()
    )
    head = f"{'TensorRT layer name':>70} {'Runtime, ':>12}% {'Invocations':>12} {'Runtime, ms':>12}\n"
    total = f"========== net total runtime = {TOTAL * count:g} ms ==========\n"
    return f"========== net profile ==========\n{head}{rows}{total}"


def _autoware(count):
    head = (
        f"index, {'Operation':>12} {'Runtime':>12}%, {'Invocations':>12} , {'Runtime[ms]':>12} , "
        f"{'Avg Runtime[ms]':>12} ,{'Min Runtime[ms]':>12}\n"
    )
    rows = "".join(
        f"{index},   {name:>12},{100 * ms / TOTAL:12.1f}%,{count:12d},{ms * count:12.2f}, {ms:12.2f}, 0.1\n"
        for index, (name, ms) in enumerate(PLAIN.items())
    )
    return f"{head}{rows}========== total runtime = {TOTAL * count:g} ms ==========\n"


def _averages(text, name="out.log"):
    return {row.name: row.time.avg_ms for row in read_profile(text, name).rows}


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_a_run(tmp_path, ending):
    path = tmp_path / "out.log"
    path.write_bytes(_printed(ending=ending).encode())
    engine = read_engine(path)
    assert {layer.name: layer.time.avg_ms for layer in engine.layers} == LAYERS
    assert engine.profiled_iterations == 1


def test_several_runs():
    profile = read_profile(_printed(3), "out.log")
    assert [(row.name, row.time.avg_ms) for row in profile.rows] == [
        (name, pytest.approx(2 * time_ms)) for name, time_ms in LAYERS.items()
    ]
    assert profile.iterations == 3
    assert profile.rows[1].time.samples_ms == pytest.approx([0.120832, 0.241664, 0.362496])


@pytest.mark.parametrize(
    "text",
    [
        _each("[TRT]  layer {name} - {ms:f} ms") + f"[TRT]  layer network time - {TOTAL:f} ms\n",
        _each("[GIE]  layer {name} - {ms:f} ms"),
        _each("layer {name}  consuming {ms} ms"),
        _each("Layer {name} took {ms} ms to execute"),
        _each("Layer [{name}] time: {ms} ms"),
        _each("Layer: {name}, Time: {us} us"),
        _each("Layer {name}: {ms} ms"),
        _each("layer = {name}\ntime = {ms}\n"),
        _each("{name:40.40} {ms:4.3f}ms"),
        _each("{name:60.60} {ms:4.3f}ms") + f"All layers  : {TOTAL:4.3f}\n",
        "\n=== Profiling ===\n"
        + _each("  {name:40.40} {ms:4.3f} ms")
        + f"=== Time over all layers: {TOTAL:4.3f} ms ===\n",
        _each("{name} {ms:4.3f}ms") + f"Time over all layers: {TOTAL:4.3f}\n",
        _each("{name:40.40} {ms:4.3f}ms") + f"Time over all layers: {TOTAL:4.2f} ms per iteration\n",
        _each("\t{name:>40}\t\t\t\t{ms:10.4f}ms"),
        _simple_profiler(100),
        _autoware(100),
    ],
)
def test_forms(text):
    assert role_of_marks(text.encode()) in ("profile", "log")
    assert _averages(text) == pytest.approx(PLAIN, rel=1e-6, abs=1e-6)
    assert find_times(text, "x").form.example
    # What a program prints before and between does not matter.
    assert _averages(f"Loading the engine\n{text}Done in 12 ms\n") == pytest.approx(PLAIN, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize(
    "text",
    [
        "=== Per-layer Profile ===\n   Time(ms)   Layer\n"
        + _each("{ms:11.2f}   {name}")
        + f"{TOTAL:11.2f}   Total\n",
        f"\t{'layername':>40}\t\t\t\t{'cost(us)':>10}\n"
        + _each("\t{name:>40}\t\t\t\t{us:10.4f}")
        + f"\nTotal Inference Time: {TOTAL * 1e3:.4f}(us)\n",
    ],
)
def test_tables_of_sums_state_no_number_of_runs(text):
    profile = read_profile(text, "out.txt")
    assert profile.is_sum
    assert {row.name: row.time.avg_ms for row in profile.rows} == pytest.approx(PLAIN, abs=0.006)


def test_averages_state_no_number_of_runs():
    profile = read_profile(_each("{name:40.40} {ms:4.3f}ms"), "out.log")
    assert profile.iterations is None
    assert profile.rows[0].time.samples_ms == ()
    assert read_profile(_simple_profiler(100), "out.log").iterations == 100


def test_the_last_table_counts():
    assert read_profile(_simple_profiler(100) + _simple_profiler(200), "out.log").iterations == 200


def _cut(layers):
    return _each("{name:40.40} {ms:4.3f}ms", layers)


def test_layers_of_one_cut_name_are_kept_apart():
    layers = {
        f"Reformatting CopyNode for Input Tensor {part} to conv{part}": part for part in (1.0, 1.5, 1.25)
    }
    layers = {name.replace(f"Tensor {ms}", "Tensor 0"): ms for name, ms in layers.items()} | PLAIN
    for printouts in (1, 3):
        profile = read_profile((_cut(layers) + "Frame done\n") * printouts, "out.log")
        assert len(profile.rows) == len(layers)
        assert [row.time.avg_ms for row in profile.rows] == pytest.approx(list(layers.values()), abs=1e-9)
        assert [note.slug for note in profile.notes] == ["names-cut"]
    assert profile.iterations == 3


def test_a_part_of_a_printout_is_noted():
    text = _each("[TRT]  layer {name} - {ms:f} ms") + f"[TRT]  layer network time - {2 * TOTAL:f} ms\n"
    profile = read_profile(text, "out.log")
    assert profile.unlisted_part == pytest.approx(1.0)
    assert [note.slug for note in profile.notes] == ["profile-rows-missing"]
    more = text.replace(f"{2 * TOTAL:f}", f"{TOTAL / 2:f}")
    assert [note.slug for note in read_profile(more, "out.log").notes] == ["profile-total"]


def test_two_engines_or_two_forms_are_an_error():
    other = {f"other_{name}": ms for name, ms in PLAIN.items()}
    total = f"[TRT]  layer network time - {TOTAL:f} ms\n"
    one, two = (_each("[TRT]  layer {name} - {ms:f} ms", layers) + total for layers in (PLAIN, other))
    assert len(read_profile(one + one, "out.log").rows) == len(PLAIN)
    with pytest.raises(InputError, match="several engines"):
        read_profile(one + two, "out.log")
    with pytest.raises(InputError, match="in 2 forms"):
        read_profile(one + _cut(other), "out.log")
    facts = read_trtexec_log(one + two, "out.log")
    assert facts.profile is None
    assert "printed-times" in [note.slug for note in facts.notes]


def test_a_log_of_a_program_has_the_times_of_its_layers(tmp_path):
    path = tmp_path / "x.profile.log"
    path.write_text(BEFORE + _each("[TRT]  layer {name} - {ms:f} ms"))
    engine = read_engine(path)
    assert {layer.name: layer.time.avg_ms for layer in engine.layers} == pytest.approx(PLAIN)


def test_the_file_is_recognized_whatever_its_name():
    assert role_of_marks(_printed().removeprefix(BEFORE).encode()) == "profile"
    assert role_of_marks(_printed().encode()) == "log"


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"Frame {number} + overlay: {number}.5ms\n" for number in range(4)),
        "".join(f"Frame {number}: {number}.5ms\n" for number in range(40)),
        "preprocess + inference: 5.0ms\n" * 40,
        _printed() + "=== Performance summary ===\n",
        "conv1 + relu1: 0.1 s\n" * 10,
        "".join(f"layer {number} - {number}.123456 ms\n" for number in range(40)),
        "".join(f"Layer {number} took {number}.5 ms\n" for number in range(40)),
        "".join(f"{name:40} {3.5:4.3f}ms\n" for name in ("load", "resize", "copy", "run", "draw", "show")),
        "".join(f"I measured the {name} at 3.5 ms\n" for name in PLAIN),
        "it took 3 ms\n" * 10,
        # A verbose log of a build with a timing cache.
        _each(
            "[07/07/2026-06:12:18] [TRT] [V] {name} + relu [Float(784,28,1) -> Float(784,28,1)] got cached "
            "result: CaskConvolution, tactic 0x5b8bf1b8028629d9, {ms} ms"
        ),
        "",
    ],
)
def test_other_output_is_none(text):
    assert not prints_times(text)


def test_what_prints_no_times_stays_an_error():
    with pytest.raises(InputError, match="is not JSON"):
        read_profile("conv1 + relu1: slow\n" * 10, "x.profile.json")


@pytest.mark.parametrize("runs", [1, 3])
@pytest.mark.parametrize("part", [1.0, 1.026])
def test_a_line_that_sums_up_those_above_is_no_layer(runs, part):
    total = sum(LAYERS.values())
    text = "".join(_printed() + f"infer: {part * total:.6f} ms\n" for _ in range(runs))
    assert _averages(text) == pytest.approx(LAYERS)
    notes = {note.slug for note in read_profile(text, "out.log").notes}
    assert "profile-sum-line" in notes
    assert "profile-rows-missing" not in notes


def test_a_last_layer_that_is_not_the_sum_is_a_layer():
    assert _averages(_printed() + "infer: 0.2ms\n")["infer"] == 0.2


def test_a_layer_in_between_is_no_sum():
    total = sum(LAYERS.values())
    text = _printed() + f"head: {total}ms\n" + "PWN(act): 0.1ms\n"
    assert _averages(text)["head"] == total


def test_lines_without_time_are_no_sum():
    lines = [PrintedLine(name, 0.0, None, None, 0, False) for name in ("a", "b", "c", "d", "e", "infer")]
    kept, names = without_sums([Printout(lines)])
    assert (kept, names) == ([Printout(lines)], [])
