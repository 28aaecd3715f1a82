"""The commands that record an engine with Nsight Systems, and count in its kernels with Nsight Compute.

Both start trtexec with few queries, as their files grow with each kernel: 30 queries, and at most 2,000
runs of kernels. Source: options of nsys profile and ncu, docs.nvidia.com.
"""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Sequence
from typing import Literal

from trexreport.collector.arguments import Argument
from trexreport.errors import MissingToolError

NsightTool = Literal["nsys", "ncu"]
#: How long a run under a tool is, in the words of trtexec; --avgRuns only keeps the log short.
LENGTHS: dict[NsightTool, tuple[Argument, ...]] = {
    "nsys": (
        Argument("warmUp", "0"),
        Argument("duration", "0"),
        Argument("iterations", "30"),
        Argument("avgRuns", "30"),
    ),
    "ncu": (
        Argument("warmUp", "0"),
        Argument("duration", "0"),
        Argument("iterations", "1"),
        Argument("avgRuns", "1"),
    ),
}
#: Each makes one file of the capture.
ENDINGS: dict[NsightTool, str] = {"nsys": ".nsys.sqlite", "ncu": ".ncu.csv"}
_NAMES: dict[NsightTool, str] = {"nsys": "Nsight Systems", "ncu": "Nsight Compute"}
_MOST_KERNELS = 2_000
#: Those that every GPU since Volta has: ncu refuses a metric that the GPU does not have.
_METRICS = (
    "dram__bytes_read.sum",
    "dram__bytes_write.sum",
    "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active",
    # Operations of Tensor Cores by type, since Ampere: the expression is replaced by those that the GPU has.
    "regex:^sm__ops_path_tensor_src_[a-z0-9]+(_dst_[a-z0-9]+)?[.]sum$",
)


def check_tools(tools: Sequence[NsightTool], program: Sequence[str]) -> None:
    """Raise a MissingToolError for a tool that is not there; a container or another machine has its own."""
    for tool in tools if len(program) == 1 else ():
        if shutil.which(tool) is None:
            raise MissingToolError(
                f"{tool} was not found.",
                f"It comes with {_NAMES[tool]}. Put it on PATH, or leave --{tool} out.",
            )


def under_tool(
    tool: NsightTool, words: Sequence[str], place: int, path: str, *, is_remote: bool
) -> tuple[str, ...]:
    """Return the words that start trtexec under a tool.

    Args:
        tool: Which.
        words: They start trtexec.
        place: Position of trtexec in them: the tool is where trtexec is, behind ssh or docker.
        path: Of the file that the tool makes.
        is_remote: A shell on another machine reads the words.
    """
    if tool == "nsys":
        output = path.removesuffix(".sqlite")
        own = [
            *("nsys", "profile", "--trace=cuda,nvtx", "--cuda-graph-trace=node", "--sample=none"),
            *("--cpuctxsw=none", "--force-overwrite=true", "--export=sqlite", f"--output={output}"),
        ]
    else:
        own = [
            *("ncu", "--csv", "--page", "raw", "--force-overwrite", f"--launch-count={_MOST_KERNELS}"),
            *(f"--metrics={','.join(_METRICS)}", f"--log-file={path}"),
        ]
    quoted = [shlex.quote(word) for word in own] if is_remote else own
    return (*words[:place], *quoted, *words[place:])
