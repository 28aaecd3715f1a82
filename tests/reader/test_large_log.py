"""Of a large log the readers get what they use of the whole."""

from __future__ import annotations

import pytest

from samples.generator.build_log import one_line_layers, timed_layer, timed_operation, verbose_layers
from trexreport.errors import InputError
from trexreport.reader import files, large_log, read_engine
from trexreport.reader.large_log import condense
from trexreport.reader.tactics import read_tactics
from trexreport.reader.trtexec_log import read_trtexec_log
from trexreport.reader.verbose_layers import read_verbose_layers

FORMATS = "Half(64,1:8,8,1) -> Half(64,1:8,8,1)"
MANY = [(f"sm80_k{at}", f"{at:#x}", 1 + (at * 37 % 100) / 100) for at in range(100)]
STAMP = "[11/20/2026-10:00:05] [V] [TRT] "
TENSOR = {"Dimensions": [1, 8, 8, 8], "Format/Datatype": "Half"}
GRAPH = {
    "Layers": [
        {
            "Name": "conv",
            "LayerType": "CaskConvolution",
            "TacticValue": "0x0",
            "Inputs": [{"Name": "x", **TENSOR}],
        }
        | {"Outputs": [{"Name": "y", **TENSOR}]}
    ],
    "Bindings": ["x", "y"],
}


def _lines(version):
    return [
        "&&&& RUNNING TensorRT.trtexec [TensorRT v101601] # trtexec --onnx=m.onnx --verbose",
        *(f"{STAMP}Registering tensor: t{at} for ONNX tensor: t{at}" for at in range(50)),
        *timed_layer("conv", "CaskConvolution", {FORMATS: MANY}, version),
        *timed_operation("gemm", MANY),
        *verbose_layers(GRAPH, "8.6"),
        *one_line_layers(GRAPH),
        "[11/20/2026-10:00:09] [I] Engine built in 12 sec.",
    ]


@pytest.mark.parametrize("version", ["8.4", "10"])
def test_every_reader_finds_in_it_what_it_finds_in_the_whole(version):
    whole = "\n".join(_lines(version)).encode()
    data, (note,) = condense(whole.splitlines(keepends=True), "b.log")
    assert note.message == (
        "b.log is large: 176 slower tactics and 50 verbose lines were left out; "
        "the fastest tactics are there."
    )
    assert len(data) < len(whole) / 2
    assert read_tactics(data) == read_tactics(whole)
    assert read_verbose_layers(data.decode()) == read_verbose_layers(whole.decode())
    ours, theirs = (read_trtexec_log(each.decode(), "b.log") for each in (data, whole))
    assert ours == theirs


def test_what_is_condensed_twice_stays_the_same():
    whole = "\n".join(_lines("10")).encode()
    once, _ = condense(whole.splitlines(keepends=True), "b.log")
    assert condense(once.splitlines(keepends=True), "b.log") == (once, [])


def test_lines_that_are_too_long_are_left_out(monkeypatch):
    monkeypatch.setattr(large_log, "_LONGEST_LINE", 100)
    data, (note,) = condense([b"x" * 101 + b"\n", b"[I] Engine built in 12 sec.\n"], "b.log")
    assert data == b"[I] Engine built in 12 sec.\n"
    assert "1 verbose line" in note.message


def test_what_is_kept_is_bounded_to_the_byte(monkeypatch):
    lines = [b"0123456789\n", b"0123456789\n", b"012345678\n", b"\n"]
    monkeypatch.setattr(large_log, "_MAX_KEPT_BYTES", 21)
    data, (note,) = condense(lines, "b.log")
    assert data == b"0123456789\n012345678\n"
    assert "2 verbose lines were left out" in note.message


def test_of_a_line_of_the_largest_length_nothing_is_lost_and_of_a_longer_one_nothing_is_kept(
    monkeypatch, tmp_path
):
    monkeypatch.setattr(large_log, "_LONGEST_LINE", 10)
    path = tmp_path / "b.log"
    path.write_bytes(b"123456789\n1234567890\nend\n")
    # The line of 11 bytes is read in one piece, which is longer than any line.
    assert large_log.read_large_log(path)[0] == b"123456789\nend\n"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
def test_a_log_of_powershell_is_read_as_text(encoding, tmp_path):
    path = tmp_path / "b.log"
    path.write_text("\n".join(_lines("10")), encoding=encoding)
    plain = tmp_path / "plain.log"
    plain.write_text("\n".join(_lines("10")))
    read, expected = (large_log.read_large_log(each)[0] for each in (path, plain))
    assert read.removeprefix(b"\xef\xbb\xbf") == expected


def test_the_limit_of_a_log_is_its_size(monkeypatch, tmp_path):
    path = tmp_path / "b.log"
    path.write_bytes(b"0123456789\n" * 10)
    monkeypatch.setattr(large_log, "LARGEST_LOG_BYTES", 110)
    assert large_log.read_large_log(path)[0] == path.read_bytes()
    monkeypatch.setattr(large_log, "LARGEST_LOG_BYTES", 109)
    with pytest.raises(ValueError, match="larger than"):
        large_log.read_large_log(path)


@pytest.mark.parametrize("alone", [True, False])
def test_a_large_log_is_read_in_pieces(alone, monkeypatch, tmp_path):
    monkeypatch.setattr(files, "LARGE_BYTES", 1000)
    (tmp_path / "build.log").write_text("\n".join(_lines("10")))
    engine = read_engine(tmp_path / "build.log" if alone else tmp_path)
    assert "log-condensed" in {note.slug for note in engine.notes}
    assert [layer.name for layer in engine.layers] == ["conv"]
    assert sum(each.timed for layer in engine.tactics.layers for each in layer.formats) == 200
    assert len(engine.sources[0].data) < (tmp_path / "build.log").stat().st_size / 2
    stated = read_engine(files={"log": tmp_path / "build.log"})
    assert "log-condensed" in {note.slug for note in stated.notes}


def test_a_log_larger_than_any_is_refused(monkeypatch, tmp_path):
    monkeypatch.setattr(files, "LARGE_BYTES", 1000)
    monkeypatch.setattr(large_log, "LARGEST_LOG_BYTES", 2000)
    (tmp_path / "build.log").write_text("\n".join(_lines("10")))
    with pytest.raises(InputError, match="larger than"):
        read_engine(tmp_path / "build.log")
