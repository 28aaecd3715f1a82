"""Find the engines of one model in a folder that another producer wrote: phases, or parts of a graph.

TensorRT Edge-LLM writes a table of layers for each phase (`layer_prefill_inputlen128.csv`), Torch-TensorRT
the layer information of each engine (`_run_on_acc_0_engine_layer_information.json`).
"""

from __future__ import annotations

import re
from pathlib import Path

from trexreport.reader.edge_llm import LAYER_MARK, phase_name
from trexreport.reader.files import read_head
from trexreport.regex import regex

_TORCH_ENDING = "_layer_information.json"
#: In the order in which a request runs them.
_MODES = ("visual", "prefill", "eagle_draft_prefill", "eagle_draft_proposal", "eagle_verify", "decode")
_NUMBER = regex(r"(\d{1,18})", re.ASCII)


def engines_in(folder: Path) -> list[tuple[str, Path]]:
    """Return name and file of each engine, in the order of a request; none unless there are several."""
    try:
        # By name first, as few folders have any.
        named = [path for path in folder.iterdir() if path.name.endswith((".csv", _TORCH_ENDING))]
        files = sorted(path for path in named if path.is_file())
    except OSError:
        return []
    tables = [
        (phase_name(path.name), path)
        for path in files
        if path.suffix == ".csv" and read_head(path, len(LAYER_MARK)) == LAYER_MARK.encode()
    ]
    parts = [
        (path.name.removesuffix(_TORCH_ENDING), path) for path in files if path.name.endswith(_TORCH_ENDING)
    ]
    found = tables or [part for part in parts if part[0]]
    return sorted(found, key=lambda each: _place(each[0])) if len(found) > 1 else []


def _place(name: str) -> tuple[int, list[tuple[int, str]]]:
    """Sort by mode, then by numbers as numbers."""
    mode = next((at for at, mode in enumerate(_MODES) if name.startswith(mode)), len(_MODES))
    return mode, [(int(part), "") if part.isdecimal() else (-1, part) for part in _NUMBER.split(name)]
