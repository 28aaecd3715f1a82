"""A capture with everything that the commands read, and what they write when nothing disturbs them."""

from __future__ import annotations

import json
import sys

import pytest
from writers import WRITERS, command, contents, in_child

from trexreport.cli import main

LAYERS = [
    {
        "Name": f"layer{index}",
        "LayerType": "CaskConvolution",
        "ParameterType": "Convolution",
        "Kernel": [3, 3],
        "Inputs": [{"Name": f"t{index}", "Dimensions": [1, 8, 8, 8], "Format/Datatype": "Half"}],
        "Outputs": [{"Name": f"t{index + 1}", "Dimensions": [1, 8, 8, 8], "Format/Datatype": "Half"}],
    }
    for index in range(6)
]
LOG = """&&&& RUNNING TensorRT.trtexec [TensorRT v100400] # trtexec --onnx=m.onnx --saveEngine=m.engine
[03/01/2025-10:00:00] [I] Engine built in 12.5 sec.
&&&& PASSED TensorRT.trtexec [TensorRT v100400] # trtexec --onnx=m.onnx
"""


@pytest.fixture(scope="session")
def places(tmp_path_factory):
    """What commands read: name to place."""
    if sys.platform == "win32":
        pytest.skip("it forks")
    folder = tmp_path_factory.mktemp("read")
    it = folder / "it"
    it.mkdir()
    (it / "m.graph.json").write_text(json.dumps({"Layers": LAYERS}))
    rows = [{"name": layer["Name"], "averageMs": 1, "timeMs": 3} for layer in LAYERS]
    (it / "m.profile.json").write_text(json.dumps([{"count": 3}, *rows]))
    (folder / "t.toml").write_text("[budget]\nlayers = 3\n")
    (folder / "m.log").write_text(LOG)
    page, trexa = folder / "page.html", folder / "x.trexa"
    main.main(["report", str(it), "-o", str(page), "--charts", "static", "-q"], standalone_mode=False)
    main.main(["archive", str(it), "--no-report", "-o", str(trexa)], standalone_mode=False)
    return {"it": it, "toml": folder / "t.toml", "log": folder / "m.log", "page": page, "trexa": trexa}


@pytest.fixture(autouse=True)
def same_time(monkeypatch):
    """Have a mail and a manifest state the same time whenever they are made."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1740823200")


@pytest.fixture(scope="session")
def whole(places, tmp_path_factory):
    """Return a function that gives what a command writes when nothing disturbs it: name to content."""
    made: dict[str, dict[str, bytes]] = {}

    def of(name: str) -> dict[str, bytes]:
        if name not in made:
            out = tmp_path_factory.mktemp("whole")
            ended = in_child(command(name, out, **places), lambda: None)
            assert ended.code in (0, 1), ended
            made[name] = contents(out)
            assert set(WRITERS[name][1]) <= set(made[name]), made[name].keys()
        return made[name]

    return of
