"""Torch-TensorRT's dryrun reports: engines, and what runs in PyTorch."""

from __future__ import annotations

import pytest
from front_ends import torch_dryrun

from trexreport.errors import InputError
from trexreport.reader import read_engine
from trexreport.reader.execution import read_execution


def of(data):
    execution, notes = read_execution(data.decode(), "d.txt")
    nodes = [(node.name, node.operator, node.provider, node.operators) for node in execution.nodes]
    return execution, nodes, [note.slug for note in notes]


def test_engines_and_nodes():
    execution, nodes, notes = of(torch_dryrun())
    assert nodes == [
        ("_run_on_acc_0", "TRT engine", "TensorRT", 4),
        ("_run_on_acc_2", "TRT engine", "TensorRT", 3),
        ("/m/0/index_0", "torch.ops.aten.index.Tensor", "PyTorch", 1),
        ("/m/1/index_1", "torch.ops.aten.index.Tensor", "PyTorch", 1),
    ]
    assert (execution.operators, execution.supported_operators, execution.runs) == (10, 9, None)
    assert notes == []


def test_unsupported_operators_stand_for_nodes_that_are_not_listed():
    _, nodes, _ = of(torch_dryrun(nodes=0, unsupported={"torch.ops.aten.index.Tensor": 3, "x<y>": 1}))
    assert nodes[2:] == [
        ("", "torch.ops.aten.index.Tensor", "PyTorch", 3),
        ("", "x<y>", "PyTorch", 1),
    ]


def test_graphs_are_taken_together():
    execution, nodes, notes = of(torch_dryrun() + torch_dryrun(5, 5, (5,), 0))
    assert (execution.operators, execution.supported_operators, len(nodes)) == (15, 14, 5)
    assert notes == ["execution-graphs"]


def test_a_graph_without_counts_is_noted():
    _, _, notes = of(torch_dryrun() + torch_dryrun().replace(b"consists of", b"has"))
    assert notes == ["execution-counts"]


def test_in_a_comment_and_in_a_log():
    commented = b"\n".join(b"#   " + line for line in torch_dryrun().split(b"\n"))
    assert of(commented)[1] == of(torch_dryrun())[1]


def test_a_report_that_is_cut_off_is_an_error():
    with pytest.raises(InputError, match="without counts of operators"):
        of(torch_dryrun()[:140])


def test_it_is_recognized_by_its_content(tmp_path):
    (tmp_path / "dryrun.txt").write_bytes(torch_dryrun())
    assert len(read_engine(tmp_path / "dryrun.txt").execution.nodes) == 4
    assert len(read_engine(tmp_path).execution.nodes) == 4


def test_settings_and_builds_are_read():
    settings = (
        "CompilationSettings(enabled_precisions={<dtype.f32: 7>, <dtype.f16: 6>}, min_block_size=1, "
        "torch_executed_ops={'torch.ops.aten.add.Tensor'}, timing_cache_path='/tmp/a.bin', dryrun=False)"
    )
    built = "INFO:torch_tensorrt.dynamo.conversion._TRTInterpreter:Build TRT engine elapsed time: 0:01:02.5\n"
    text = torch_dryrun().replace(b"CompilationSettings(min_block_size=2)", settings.encode())
    execution, _, _ = of(built.encode() + text)
    assert execution.builds == (("", 62_500.0),)
    stated = {"enabled_precisions": "f32, f16", "min_block_size": "1", "dryrun": "False"}
    assert stated.items() <= execution.options.items()
    assert execution.options["torch_executed_ops"] == "torch.ops.aten.add.Tensor"
    older = torch_dryrun().replace(b"(min_block_size=2)", b"(precision=torch.float16)")
    assert of(older)[0].options == {"precision": "torch.float16"}
    assert of(torch_dryrun())[0].options == {"min_block_size": "2"}
