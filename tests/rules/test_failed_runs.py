"""What a finding says where several runs of one folder failed."""

from __future__ import annotations

import pytest

from trexreport import api

ERROR = "Error[2]: [convBaseBuilder.cpp::create::259] Error Code 2: Internal Error (Assertion {} failed.)"
CHECK = "isOpConsistent(convolution.get())"


def _log(flags, *lines):
    command = f"TensorRT.trtexec [TensorRT v100300] # trtexec --onnx=m.onnx {flags}".rstrip()
    stamped = [f"[04/27/2026-18:38:45] {line}" for line in lines]
    return "\n".join([f"&&&& RUNNING {command}", *stamped, f"&&&& FAILED {command}", ""])


def _findings(folder, logs):
    for name, text in logs.items():
        (folder / f"{name}.log").write_text(text)
    return api.analyze(api.load(folder)).lint.findings


def _at(node):
    return f"[V] [TRT] =============== Computing costs for {node}", f"[E] {ERROR.format(CHECK)}"


def test_one_error_of_two_tries_is_one_finding(tmp_path):
    logs = {
        "first": _log(
            "--fp16 --saveEngine=a.plan --verbose", *_at("/decoder/Conv"), "[E] Building engine failed"
        ),
        "second": _log("--builderOptimizationLevel=0 --saveEngine=b.plan", f"[E] {ERROR.format(CHECK)}"),
    }
    (found,) = _findings(tmp_path, logs)
    assert found.code == "TRX921"
    assert len(found.places) == 1
    assert "kernels, at /decoder/Conv. Its error" in found.message
    assert found.message.endswith(
        " 2 runs failed with this error, so that what differs between their options "
        "(--builderOptimizationLevel=0, --fp16) is not its cause."
    )
    assert found.places[0].evidence["File"] == "first.log and second.log"
    assert "fixed shapes" in found.recommendation


def test_tries_with_the_same_options_show_nothing_of_them(tmp_path):
    logs = {name: _log("--fp16", f"[E] {ERROR.format(CHECK)}") for name in ("first", "second")}
    (found,) = _findings(tmp_path, logs)
    assert found.message.endswith(" 2 runs failed with this error.")


def test_the_head_states_an_error_of_two_tries_once_and_two_errors_both(tmp_path):
    (tmp_path / "a.log").write_text(_log("--verbose", *_at("/decoder/Conv")))
    for what, times in ((CHECK, 1), ("isReady(x)", 2)):
        (tmp_path / "b.log").write_text(_log("--fp16", f"[E] {ERROR.format(what)}"))
        head = str(api.summarize(api.load(tmp_path))).split("Median latency")[0]
        assert head.count("trtexec says that it failed") == times
        assert "at /decoder/Conv" in head


def test_other_errors_are_other_places(tmp_path):
    logs = {name: _log("", f"[E] {ERROR.format(what)}") for name, what in [("a", CHECK), ("b", "isReady(x)")]}
    (found,) = _findings(tmp_path, logs)
    assert len(found.places) == 2


@pytest.mark.parametrize(("flags", "advised"), [("", True), ("--verbose", False)])
def test_no_option_is_advised_that_the_command_has(tmp_path, flags, advised):
    (found,) = _findings(tmp_path, {"a": _log(flags, "[E] Building engine failed")})
    assert ("--verbose shows more" in found.recommendation) == advised


def test_nothing_is_to_be_exported_of_an_engine_that_was_not_built(tmp_path):
    (tmp_path / "a.log").write_text(_log("", f"[E] {ERROR.format(CHECK)}"))
    notes = {note.slug: note.hint for note in api.load(tmp_path).notes}
    assert notes["no-graph"] == ""


def test_what_the_command_and_the_log_show_of_the_next_build_is_checked_too(tmp_path):
    lines = (
        "[W] [TRT] Calibrator is not being used. Users must provide dynamic range for all tensors.",
        f"[E] {ERROR.format(CHECK)}",
    )
    found = _findings(tmp_path, {"a": _log("--best", *lines)})
    assert [each.code for each in found] == ["TRX921", "TRX410"]
    (tmp_path / "a.log").unlink()
    assert [each.code for each in _findings(tmp_path, {"b": _log("--fp16", *lines)})] == ["TRX921"]


def test_a_failed_run_has_a_heading_of_its_own(tmp_path):
    from trexreport.wording.findings import findings_sentence

    (tmp_path / "a.log").write_text(_log("", f"[E] {ERROR.format(CHECK)}"))
    engine = api.load(tmp_path)
    page = api.render(engine).html.decode()
    assert "Failed run" in page
    assert "Why there is no engine" in page
    assert "rules skipped: there is no engine)" in findings_sentence(api.analyze(engine))


def test_a_part_of_a_log_in_which_trtexec_gives_up_is_of_a_failed_run(tmp_path):
    lines = [
        "[E] Static model does not take explicit shapes since they are fixed",
        "[E] Engine set up failed",
        "[W] * GPU compute time is unstable, with coefficient of variance = 4.60091%.",
    ]
    (tmp_path / "a.log").write_text("".join(f"[10/14/2022-15:13:21] {line}\n" for line in lines))
    (found,) = api.analyze(api.load(tmp_path)).lint.findings
    assert found.code == "TRX921"
    assert "takes no shapes" in found.message


def test_a_build_that_failed_has_no_precision(tmp_path):
    (tmp_path / "a.log").write_text(_log("--fp16", f"[E] {ERROR.format(CHECK)}"))
    assert "FP16" not in str(api.summarize(api.load(tmp_path))).split("trtexec says")[0]


def test_a_failed_run_is_not_to_be_compared_in_another_type(tmp_path):
    command = "TensorRT.trtexec [TensorRT v100300] # trtexec --loadEngine=net_int8.engine"
    lines = [
        f"&&&& RUNNING {command}",
        "[04/27/2026-18:38:45] [I] === Performance summary ===",
        "[04/27/2026-18:38:45] [I] Throughput: 100 qps",
        "[04/27/2026-18:38:45] [I] GPU Compute Time: min = 9 ms, max = 9 ms, mean = 9 ms, median = 9 ms",
    ]
    error = "[04/27/2026-18:38:45] [E] Error[1]: [x.cpp::f::12] Error Code 1: Cuda Runtime (out of memory)"
    for last, compares in ((f"&&&& PASSED {command}", True), (error, False)):
        (tmp_path / "net.log").write_text("\n".join([*lines, last]))
        found = [each for each in api.analyze(api.load(tmp_path)).lint.findings if each.code == "TRX907"]
        advice = [place.evidence.get("Recommendation", "") for each in found for place in each.places]
        assert any("with that of FP16" in each for each in advice) is compares
