"""The summary of a build that stopped at an assertion."""

from __future__ import annotations

LOG = """\
&&&& RUNNING TensorRT.trtexec [TensorRT v8410] # trtexec --onnx=m.onnx --best
[01/10/2022-05:13:52] [V] [TRT] *** Autotuning format combination: Half(1) -> Half(1) ***
[01/10/2022-05:13:52] [V] [TRT] --------------- Timing Runner: {ForeignNode[a...If_6_OutputLayer]} (Myelin)
trtexec: /a/long/place/of/sources/myelin/src/compiler/ir/graph.cpp:1059: myelin::ir::tensor_t* \
myelin::ir::graph_t::host_tensor_const(myelin::util::value_t, myelin::lib::ptr_set_t<tensor_t*>&): \
Assertion `0 && "Unsupported type"' failed.
"""


def test_the_error_and_what_to_do_are_whole_and_no_layer_information_is_asked_for(run, tmp_path):
    log = tmp_path / "build.log"
    log.write_text(LOG, "utf-8")
    text = " ".join(run("summary", log).stdout.split())
    head = text[: text.index("Median latency")]
    assert "…" not in head
    assert "failed. Let these operations stay in FP32" in head
    assert "--exportLayerInfo" not in text
