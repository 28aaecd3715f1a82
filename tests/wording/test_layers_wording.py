"""The count of layers and of items is one figure: on the page, in its sentences, in the summary."""

from __future__ import annotations

import json
import re

from click.testing import CliRunner

from trexreport.cli import main

LAYERS = {"a": "CaskConvolution", "b": "NoOp", "c": "shape_call", "d": "CaskConvolution"}
LOG = """\
&&&& RUNNING TensorRT.trtexec [TensorRT v101300] # trtexec --loadEngine=a.plan --shapes=x:32x3x8x8
[01/02/2026-10:00:00] [I] === Performance summary ===
[01/02/2026-10:00:00] [I] Throughput: 1248.76 qps
&&&& PASSED TensorRT.trtexec [TensorRT v101300] # trtexec --loadEngine=a.plan --shapes=x:32x3x8x8
"""


def test_layers_and_items_are_counted_alike_everywhere(tmp_path):
    tensor = {"Name": "x", "Dimensions": [32, 3, 8, 8], "Format/Datatype": "Half"}
    layers = [
        {"Name": name, "LayerType": kind, "Inputs": [tensor], "Outputs": [{**tensor, "Name": f"{name}-out"}]}
        for name, kind in LAYERS.items()
    ]
    times = [{"name": name, "timeMs": 10.0, "averageMs": 0.01, "percentage": 25.0} for name in LAYERS]
    written = {"graph.json": {"Layers": layers, "Bindings": ["x", "d-out"]}, "profile.json": times}
    for ending, document in written.items():
        (tmp_path / f"e.{ending}").write_text(json.dumps(document))
    (tmp_path / "e.log").write_text(LOG)
    page = tmp_path / "e.html"
    run = CliRunner().invoke
    made = run(main, ["report", str(tmp_path), "-o", str(page), "--charts", "static", "--isolated"])
    assert made.exit_code == 0, made.output
    html = page.read_text(encoding="utf-8")
    assert re.search(r"<dt>Layers</dt>\s*<dd>2</dd>\s*<dd[^>]*>plus 2 structural</dd>", html)
    assert "2 layers and 2 structural layers (no-ops, constants, shape calls, synchronization)" in html
    printed = run(main, ["summary", str(tmp_path), "--isolated"]).stdout
    assert re.search(r"^Layers +2  plus 2 structural$", printed, re.MULTILINE)
    items = re.search(r"[\d,]+ items/s", printed)[0]
    assert items == "39,960 items/s"
    assert items in html
