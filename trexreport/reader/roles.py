"""Find what a file is: by the naming convention of TREx, else by its content."""

from __future__ import annotations

import re

from trexreport.errors import InputError
from trexreport.reader.edge_llm import END_TO_END_MARK, LAYER_MARK
from trexreport.reader.execution import MARKS as EXECUTION_MARKS
from trexreport.reader.execution.onnx_runtime_log import states_failure
from trexreport.reader.graph_file import is_graph
from trexreport.reader.json_text import decode_text, parse_json
from trexreport.reader.log_text import embedded_log, without_line_prefix
from trexreport.reader.printed_times import prints_times
from trexreport.reader.profile_file import is_profile
from trexreport.reader.tegrastats import is_tegrastats
from trexreport.reader.torch_trace import MARK as TRACE_MARK
from trexreport.reader.trtexec_lines import LEADING_LEVEL, without_colors
from trexreport.regex import regex

#: The naming convention, longest ending first, as one ending may contain another.
ROLE_SUFFIXES: tuple[tuple[str, str], ...] = (
    (".profile.metadata.json", "profile-metadata"),
    (".build.metadata.json", "build-metadata"),
    (".metadata.json", "metadata"),
    (".graph.json", "graph"),
    (".profile.json", "profile"),
    (".samples.json", "samples"),
    (".timing.json", "timing"),
    (".capture.json", "manifest"),
    (".gpu.json", "gpu"),
    (".onnx-structure.json", "onnx"),
    (".kernels.json", "kernels"),
    (".counters.json", "counters"),
    (".accuracy.json", "accuracy"),
    (".accuracy.csv", "accuracy"),
    (".accuracy-reference.json", "accuracy-reference"),
    (".build.log", "log"),
    (".timing.log", "log"),
    (".profile.log", "log"),
)
#: Roles of which a capture has several files without contradiction.
REPEATABLE_ROLES = frozenset({"log", "manifest", "timing-run"})
#: Further measurements of the queries, numbered from 2 on: "X.timing.2.json", and their logs.
_RUN_ENDING = regex(r"\.timing\.(\d{1,6})\.(json|log)$", re.IGNORECASE | re.ASCII)
_RUN_ROLES = {"json": "timing-run", "log": "log"}

#: Words that only one kind of file has near its beginning.
_MARKS: tuple[tuple[str, str], ...] = (
    ('"LayerType"', "graph"),
    ('"Layers"', "graph"),
    ('"averageMs"', "profile"),
    (f'{TRACE_MARK}"', "profile"),
    *((mark, "execution") for mark in EXECUTION_MARKS),
    (LAYER_MARK, "layer-table"),
    (END_TO_END_MARK, "end-to-end"),
    ('"latencyMs"', "timing"),
    ('"computeMs"', "timing"),
    ('"trexreport-gpu-samples"', "gpu"),
    ('"trexreport-onnx-structure"', "onnx"),
    ('"trexreport-kernel-trace"', "kernels"),
    ('"trexreport-kernel-counters"', "counters"),
    ('"trexreport-accuracy"', "accuracy"),
    ('"polygraphy_class"', "accuracy"),
    ('"lst"', "accuracy"),
    ('"tuner_version"', "accuracy"),
    ('"statistics"', "accuracy"),
    ('"samples_ms"', "samples"),
    ('"performance_summary"', "profile-metadata"),
    ('"inference_options"', "profile-metadata"),
    ('"model_options"', "build-metadata"),
    ('"build_options"', "build-metadata"),
    ('"ComputeCapability"', "metadata"),
    ("&&&& RUNNING TensorRT", "log"),
    ("&amp;&amp;&amp;&amp; RUNNING TensorRT", "log"),
    ("=== Performance summary ===", "log"),
    ("=== Device Information ===", "log"),
    ("GPU Compute Time: min = ", "log"),
    (" runs - GPU latency: ", "log"),
    ("=== Profile (", "log"),
    (" Layer Performance Profile (", "log"),
    ("Avg. Time (ms)", "log"),
    ("Engine Layer Information:", "log"),
    ("] [V] ", "log"),
    ("] [I] ", "log"),
    ("] [W] ", "log"),
    ("] [E] ", "log"),
)
#: What a log has that was pasted without its first lines, or that another program than trtexec wrote.
_LOG_MARK = regex(
    r"^[ \t]*\[[VIWEF]\] |\[TensorRT\] (?:VERBOSE|INFO|WARNING|ERROR): |\[TRT\] |Layer\(\w{1,100}\): "
    r"|Name: [^\n]{1,4000}?, LayerType: |Timing Runner: |Fastest Tactic: |Autotuning op [^\n]{1,400}\(key: "
    r"|Sorted table of all evaluated tactics|TensorRT subgraph engine is enabled"
    r"|^Loading [^\n]{1,400} for TensorRT inference|" + LEADING_LEVEL,
    re.MULTILINE | re.ASCII,
)
MARKED_BYTES = 65_536
_TAKEN_OUT = frozenset({"json-in-text"})


#: JSON that trexreport itself wrote quotes its inputs, but is none.
_OWN_MARK = regex(rb'"generator":\s*"trexreport')
_OWN_HEAD_BYTES = 400


def split_name(name: str) -> tuple[str | None, str | None]:
    """Split "X.engine.graph.json" into "X.engine" and "graph"; (None, None) if no convention fits."""
    for suffix, role in ROLE_SUFFIXES:
        if name.lower().endswith(suffix):
            return name[: -len(suffix)], role
    numbered = _RUN_ENDING.search(name)
    if numbered:
        return name[: numbered.start()], _RUN_ROLES[numbered[2].lower()]
    return None, None


def run_number(name: str) -> int:
    """Return which measurement of the queries a file holds or describes; 1 unless its name has a number."""
    numbered = _RUN_ENDING.search(name)
    return int(numbered[1]) if numbered else 1


def role_of_name(name: str) -> str | None:
    """Return the role that the file's name states, else None."""
    return split_name(name)[1]


def _is_nvidia_smi(text: str) -> bool:
    if "timestamp" not in text:
        return False
    # Imported late: few captures have such a table.
    from trexreport.reader.nvidia_smi import is_nvidia_smi

    return is_nvidia_smi(text)


def role_of_content(data: bytes) -> str | None:
    """Return the role that the file's content shows, else None."""
    return role_of_marks(data) or role_of_shape(data) or ("log" if embedded_log(data) else None)


def is_own_json(data: bytes) -> bool:
    """Return whether trexreport wrote this as JSON."""
    return bool(_OWN_MARK.search(data[:_OWN_HEAD_BYTES]))


def role_of_marks(data: bytes) -> str | None:
    """Return the role that words near the beginning identify, else None."""
    if is_own_json(data):
        return None
    text = decode_text(data[:MARKED_BYTES], "")[0]
    if is_tegrastats(text) or _is_nvidia_smi(text):
        return "gpu"
    head = without_line_prefix(text)
    is_log = bool(_LOG_MARK.search(without_colors(head)))
    if states_failure(text, data):
        return "log"
    if prints_times(head):
        # A log has more than the times.
        return "log" if is_log else "profile"
    found = [(head.find(mark), role) for mark, role in _MARKS if mark in head]
    if not found and is_log:
        return "log"
    # A log may quote layer information; what comes first is what the file is.
    return min(found)[1] if found else None


def role_of_shape(data: bytes) -> str | None:
    """Return the role whose shape the content has, though nothing in it names that role, else None.

    A list of texts may be the names of layers, and a table of numbers their times; or neither.
    """
    text, _ = decode_text(data, "")
    try:
        document, notes = parse_json(text, "", lambda value: is_graph(value) or is_profile(value))
    except InputError:
        return None
    if isinstance(document, list) and isinstance(document[0], str) and _TAKEN_OUT & {n.slug for n in notes}:
        return None  # A page may have any text in quotation marks and brackets.
    return "graph" if is_graph(document) else "profile"
