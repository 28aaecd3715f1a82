"""A log is read whatever saved it: encodings, records of JSON, web pages, handlers that write twice."""

from __future__ import annotations

import json

import pytest

from samples.generator.build_log import one_line_layers, timed_layer, verbose_layers
from trexreport.reader import files, large_log, read_engine
from trexreport.reader.log_text import plain_lines, plain_log
from trexreport.redaction.capture import redact_capture
from trexreport.redaction.kinds import Redaction

FORMATS = {"Half(64,1:8,8,1) -> Half(64,1:8,8,1)": [("sm80_a", "0x0a", 0.02), ("sm80_b", "0x0b", 0.03)]}
TENSOR = {"Dimensions": [1, 8, 8, 8], "Format/Datatype": "Half"}
LAYER = {"Name": 'conv "1" <é>', "LayerType": "CaskConvolution"}
ENDS = {"Inputs": [{"Name": "x", **TENSOR}], "Outputs": [{"Name": "y", **TENSOR}]}
GRAPH = {"Layers": [{**LAYER, **ENDS, "TacticValue": "0x0a"}], "Bindings": ["x", "y"]}
LINES = [
    "&&&& RUNNING TensorRT.trtexec [TensorRT v8601] # trtexec --onnx=m.onnx --verbose",
    "[11/20/2026-10:00:05] [I] === Device Information ===",
    "[11/20/2026-10:00:05] [I] Selected Device: NVIDIA T4",
    *timed_layer(LAYER["Name"], "CaskConvolution", FORMATS, "8.6"),
    *verbose_layers(GRAPH, "8.6"),
    *one_line_layers(GRAPH),
    "",
    "[11/20/2026-10:00:09] [I] === Performance summary ===",
    "[11/20/2026-10:00:09] [I] Throughput: 12 qps",
    "&&&& PASSED TensorRT.trtexec [TensorRT v8601] # trtexec --onnx=m.onnx --verbose",
]
PLAIN = "\n".join(LINES) + "\n"


def _docker(lines, end="\n"):
    return "".join(json.dumps({"log": line + end, "stream": "stdout"}) + "\n" for line in lines).encode()


def _without_web(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").encode()


SAVED = {
    "UTF-16 LE": b"\xff\xfe" + PLAIN.replace("\n", "\r\n").encode("utf-16-le"),
    "UTF-16 BE": b"\xfe\xff" + PLAIN.encode("utf-16-be"),
    "UTF-16 without a mark": PLAIN.encode("utf-16-le"),
    "UTF-16 BE without a mark": PLAIN.encode("utf-16-be"),
    "docker": _docker(LINES),
    "docker, no ends": _docker(LINES, ""),
    "journald": "".join(json.dumps({"MESSAGE": line, "_PID": "1"}) + "\n" for line in LINES).encode(),
    "docker with another line": b"\n" + _docker(LINES[:3]) + b"other text\n" + _docker(LINES[3:]),
    "web page": _without_web(PLAIN),
    "twice": "".join(f"{line}\n{line}\n" for line in LINES).encode(),
    "four times": "".join(f"{line}\n" * 4 for line in LINES).encode(),
    "two handlers": "".join(f"{line}\n2026-11-20 10:00:05 {line}\n" for line in LINES).encode(),
}


def _tensors(engine):
    return [(layer.name, layer.inputs, layer.outputs) for layer in engine.layers]


def _engine(path, data):
    path.write_bytes(data)
    return read_engine(path)


@pytest.mark.parametrize("saved", SAVED)
def test_nothing_is_lost(tmp_path, saved):
    whole = _engine(tmp_path / "plain.log", PLAIN.encode())
    engine = _engine(tmp_path / "b.log", SAVED[saved])
    assert [layer.name for layer in whole.layers] == [LAYER["Name"]]
    assert whole.measurement.throughput_qps == 12
    assert _tensors(engine) == _tensors(whole)
    assert engine.setup == whole.setup
    assert engine.measurement == whole.measurement
    ours, theirs = ([(each.name, each.formats) for each in found.tactics.layers] for found in (engine, whole))
    assert ours == theirs
    assert engine.sources[0].data == SAVED[saved]


PREFIXES = {
    "container": "2026-11-20T10:00:{0:02d}.123456789+00:00 stdout F ",
    "kubectl --prefix": "[pod/build-7c9f/main] ",
    "stern": "build-7c9f main ",
    "journalctl": "Nov 20 10:00:{0:02d} orin trtexec[1234]: ",
    "GitHub, downloaded": "build\tRun trtexec\t2026-11-20T10:00:{0:02d}.1234567Z ",
    "logging": "2026-11-20 10:00:{0:02d},123 - build - INFO - ",
    "logging, short": "INFO:build:",
    "cat -n": "{0:6d}\t",
    "grep -n": "logs/build.log:{0}:",
    "mpirun": "[1,0]<stdout>:",
    "srun": "0: ",
    "ros2 launch": "[trt_node-1] ",
    "dmesg": "[   12.{0:06d}] ",
    "names with marks": "a+b (c) \\d ",
}
#: As programs write them whose logger has no stamps.
BARE = [line.replace("[11/20/2026-10:00:05] ", "").replace("[11/20/2026-10:00:09] ", "") for line in LINES]


@pytest.mark.parametrize("lines", [LINES, BARE], ids=["stamps", "bare"])
@pytest.mark.parametrize("prefix", PREFIXES)
def test_what_is_before_each_line_is_left_out(tmp_path, prefix, lines):
    whole = _engine(tmp_path / "whole.log", "\n".join(lines).encode())
    assert [layer.name for layer in whole.layers] == [LAYER["Name"]]
    text = "\n".join((PREFIXES[prefix].format(at) + line).rstrip() for at, line in enumerate(lines))
    # Colors are within, and the content alone shows that it is a log.
    for name, data in (("b.log", text), ("other.txt", text.replace("[I]", "\x1b[32m[I]\x1b[0m"))):
        engine = _engine(tmp_path / name, data.encode())
        assert _tensors(engine) == _tensors(whole)
        assert engine.setup == whole.setup
        assert engine.measurement == whole.measurement
        assert len(engine.tactics.layers) == len(whole.tactics.layers) == 1
    condensed = large_log.condense((f"{line}\n".encode() for line in text.split("\n")), "b.log")[0]
    assert plain_log(condensed, "b.log") == (condensed, [])


@pytest.mark.parametrize(
    "form",
    ["| {} |", "[32m{}[0m", "{}<br>", "  - '{}'", "{}\\n',", "{} |\r"],
    ids=["table", "colors", "page", "list", "Python", "cells"],
)
def test_what_is_behind_each_line_is_left_out(tmp_path, form):
    whole = _engine(tmp_path / "whole.log", PLAIN.encode())
    engine = _engine(tmp_path / "b.log", "\n".join(map(form.format, LINES)).encode())
    assert _tensors(engine) == _tensors(whole)
    assert engine.setup == whole.setup
    assert engine.measurement == whole.measurement
    assert "behind each line" in " ".join(note.message for note in engine.notes)


def test_no_break_spaces_are_spaces(tmp_path):
    whole = _engine(tmp_path / "whole.log", PLAIN.encode())
    engine = _engine(tmp_path / "b.log", PLAIN.replace(" ", "\u00a0").encode())
    assert engine.setup == whole.setup
    assert engine.measurement == whole.measurement


def test_lines_that_end_alike_by_chance_stay():
    for line in ("[I] min = 1 ms", "[I] layer 'a'", "[I] a,"):
        data = f"{line}\n[I] x\n{line}\n[I] y\n{line}".encode()
        assert plain_log(data, "a.log") == (data, [])


def test_text_before_some_lines_is_none_before_all():
    lines = [f"{'' if at % 3 else 'note: '}[I] line {at}" for at in range(30)]
    data = "\n".join(lines).encode()
    assert plain_log(data, "b.log") == (data, [])


def test_a_level_that_a_logger_states_is_kept(tmp_path):
    line = "2026-11-20 10:00:05 - ERROR - [TRT] no memory"
    data = "\n".join([line] * 3 + ["other"] * 9).encode()
    assert plain_log(data, "b.log") == (data, [])


@pytest.mark.parametrize("saved", ["docker", "web page", "twice", "two handlers"])
def test_what_was_undone_is_noted(tmp_path, saved):
    data, (note,) = plain_log(SAVED[saved], "b.log")
    assert note.severity == "repaired"
    assert note.message.startswith("b.log ")
    assert plain_log(data, "b.log") == (data, [])


def test_a_log_as_it_was_written_stays_as_it_is():
    data = PLAIN.encode()
    assert plain_log(data, "b.log")[0] is data


def test_what_powershell_appends_is_read(tmp_path):
    half = len(LINES) // 2
    mixed = "\n".join(LINES[:half]).encode() + b"\n\xff\xfe" + "\n".join(LINES[half:]).encode("utf-16-le")
    engine = _engine(tmp_path / "b.log", mixed)
    assert engine.measurement.throughput_qps == 12
    assert [layer.name for layer in engine.layers] == [LAYER["Name"]]


def test_lines_that_are_equal_by_chance_stay():
    lines = [f"[I] line {at // 2}" if at < 40 else f"[I] line {at}" for at in range(60)]
    data = "\n".join(lines).encode()
    assert plain_log(data, "b.log") == (data, [])


def test_long_lines_that_docker_divides_are_joined():
    parts = [{"log": "Name: conv, Layer"}, {"log": "Type: NoOp\n"}, {"log": "[I] end\n"}]
    data = "\n".join(json.dumps(part) for part in parts).encode()
    assert plain_log(data, "b.log")[0] == b"Name: conv, LayerType: NoOp\n[I] end\n"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n\n",
        b"\0",
        b"\0" * 600,
        b'{"log": 1}\n',
        b'{"Layers": []}',
        b"{" * 5000,
        b'{"log": "x"',
        b"\xff\xfe\x00",
    ],
)
def test_other_bytes_raise_nothing(data):
    assert isinstance(plain_log(data, "b.log")[0], bytes)


def test_records_of_a_large_log_are_unwrapped_line_by_line():
    assert list(plain_lines(_docker(LINES).splitlines(keepends=True))) == [
        f"{line}\n".encode() for line in LINES
    ]


@pytest.mark.parametrize("saved", ["UTF-16 LE", "UTF-16 BE", "UTF-16 without a mark", "docker"])
def test_a_large_log_in_another_form_is_condensed(tmp_path, monkeypatch, saved):
    monkeypatch.setattr(large_log, "LARGE_BYTES", 1)
    monkeypatch.setattr(files, "LARGE_BYTES", 1)
    (tmp_path / "b.build.log").write_bytes(SAVED[saved])
    engine = read_engine(tmp_path / "b.build.log")
    assert [layer.name for layer in engine.layers] == [LAYER["Name"]]
    assert [tactic.kernel for each in engine.tactics.layers for tactic in each.formats[0].tactics] == [
        "sm80_a",
        "sm80_b",
    ]


def test_names_in_records_are_redacted(tmp_path):
    (tmp_path / "b.log").write_bytes(SAVED["docker"].replace(b"conv ", b"secret "))
    redaction = Redaction(frozenset({"names"}))
    engine = read_engine(tmp_path / "b.log", change=lambda capture: redact_capture(capture, redaction))
    assert len(engine.layers) == 1
    assert b"secret" not in engine.sources[0].data


def test_names_of_a_list_close_alike_and_are_left_as_they_are():
    names = [f'  "/layer{number}/Conv",' for number in range(200)]
    data = "\n".join([*LINES, '{"Layers": [', *names, "]}", ""]).encode()
    assert plain_log(data, "b.log") == (data, [])


def _broken(text, width):
    lines = text.splitlines()
    return "\n".join(line[at : at + width] for line in lines for at in range(0, len(line) or 1, width)) + "\n"


OPTIONS = "--onnx=m.onnx --saveEngine=" + "long/" * 12 + "m.plan --fp16"
WITH_OPTIONS = PLAIN.replace("--onnx=m.onnx", OPTIONS)


def test_lines_that_a_terminal_broke_are_joined(tmp_path):
    whole = _engine(tmp_path / "whole.log", WITH_OPTIONS.encode())
    for end in ("\n", "\r\n"):
        engine = _engine(tmp_path / "b.log", _broken(WITH_OPTIONS, 100).replace("\n", end).encode())
        assert _tensors(engine) == _tensors(whole)
        assert engine.setup == whole.setup
        assert "lines broken after 100 characters" in " ".join(note.message for note in engine.notes)


def test_the_longest_lines_of_a_log_are_not_joined_with_messages_of_several_lines():
    banner, error = LINES[0], f"[11/20/2026-10:00:05] [E] {'e' * 90}"
    reason = "[8] Assertion failed"
    text = "\n".join([banner, error, reason, error, reason, f"{error[:-1]}x", reason, ""])
    assert plain_log(text.encode(), "b.log") == (text.encode(), [])
    # One line as long as the longest is none that a terminal broke.
    text = "\n".join([f"{LINES[0]} {'--verbose' * 9}", "a warning of a driver", *LINES[1:3], ""])
    assert plain_log(text.encode(), "b.log") == (text.encode(), [])


def test_carriage_returns_alone_end_lines(tmp_path):
    runs = f"{PLAIN}{PLAIN.replace('m.onnx', 'n.onnx --int8')}"
    whole = _engine(tmp_path / "whole.log", runs.encode())
    engine = _engine(tmp_path / "b.log", runs.replace("\n", "\r").encode())
    assert [note.slug for note in engine.notes] == [note.slug for note in whole.notes]
    assert engine.setup == whole.setup
