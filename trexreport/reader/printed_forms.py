"""How programs print the times of layers that TensorRT's IProfiler reports to them: one entry for each form.

Sources: `Profiler` of the Python bindings (pyCore.cpp); `Profiler::printLayerTimes` and `SimpleProfiler` of
NVIDIA's samples, which hundreds of programs copied; jetson-inference; Torch-TensorRT (TRTEngineProfiler.cpp);
TensorRT-LLM (layerProfiler.cpp); Autoware (profiler.cpp); YOLOv8-TensorRT; tutorials.
"""

from __future__ import annotations

import re

from trexreport.lazy_dataclass import dataclass
from trexreport.regex import regex

_NUMBER = r"\d{1,9}(?:\.\d{1,18})?(?:e-?\d{1,3})?"
_NAME = r"(?P<name>\S(?:.{0,20000}\S)?)"
_US = 1e-3


@dataclass(frozen=True)
class Form:
    """One way to print the times of layers.

    Attributes:
        example: A line of it, for messages.
        line: What a line of a layer is, with the groups "name" and "ms", or "total" and "count" of a table.
        heading: What is before the lines of a table; None where each line is by itself.
        ending: What the last line of a printout is, with the group "ms" if it states the time of all layers.
        is_certain: Whether only layers are printed like this; else the names must be those of layers.
        says_layer: Whether names that are like those of layers are enough.
        is_aligned: Whether programs fill or cut the names to one width.
        is_average: Whether a line is an average over runs of which the number is not stated.
        is_sum: Whether it is the sum over them.
        unit_ms: The unit of the times.
    """

    example: str
    line: re.Pattern[str]
    heading: re.Pattern[str] | None = None
    ending: re.Pattern[str] | None = None
    is_certain: bool = False
    says_layer: bool = False
    is_aligned: bool = False
    is_average: bool = False
    is_sum: bool = False
    unit_ms: float = 1.0


#: The last line of SimpleProfiler and what descends from it.
_TOTAL_RUNTIME = regex(rf"=+ (?:.{{1,200}} )?total runtime = (?P<ms>{_NUMBER}) ms =+", re.ASCII)
_WORDS = r"(?:time|latency|duration|cost|costs|took|takes|taking|consumes|consumed|consuming|elapsed)"

#: The first that a line fits is its form.
FORMS = (
    Form(
        "[TRT]  layer conv1 - 0.1 ms",
        regex(
            rf"(?:.{{0,60}}\] +)?layer (?!network time - ){_NAME} - (?P<ms>\d{{1,9}}\.\d{{1,9}}) ms", re.ASCII
        ),
        ending=regex(rf"(?:.{{0,60}}\] +)?layer network time - (?P<ms>{_NUMBER}) ms", re.ASCII),
        is_certain=True,
    ),
    Form(
        "layer conv1 took 0.1 ms",
        regex(
            rf"\[?layer(?: ?name)?\]?(?: ?[:=] ?| )(?:\d{{1,6}} ?[:,] ?)?(?P<name>\S.{{0,20000}}?)"
            rf"(?:(?:[,;|]? {{1,40}}|[,;|]|\t{{1,9}})(?:- )?{_WORDS}(?: ?time)?(?: ?[:=] ?| )|: ?)"
            rf"(?P<ms>{_NUMBER}) ?(?P<unit>ms|us|µs)(?: to execute)?\.?",
            re.IGNORECASE,
        ),
        says_layer=True,
    ),
    Form("conv1: 0.1ms", regex(rf"(?P<name>\S.{{0,20000}}): ?(?P<ms>{_NUMBER}) ?ms", re.ASCII)),
    Form(
        "conv1          0.100ms",
        # "got cached result: KIND, tactic 0x1f, 0.1 ms" is what the builder timed.
        regex(
            rf"\s{{0,40}}(?!.{{1,20000}}, tactic 0x){_NAME}(?P<gap>[ \t]{{1,400}})(?P<ms>{_NUMBER}) ?ms",
            re.ASCII,
        ),
        ending=regex(
            rf"(?:=== )?(?:Time over all layers|All layers) {{0,4}}: (?P<ms>{_NUMBER})"
            r"(?: ?ms)?(?: per iteration)?(?: ===)?",
            re.ASCII,
        ),
        says_layer=True,
        is_aligned=True,
        is_average=True,
    ),
    Form(
        "conv1  12.5%  100  10.00",
        regex(
            rf"\s{{0,20000}}{_NAME}\s+(?P<share>{_NUMBER})%\s+(?P<count>\d{{1,12}})\s+(?P<total>{_NUMBER})",
            re.ASCII,
        ),
        regex(r"\s*TensorRT layer name\s+Runtime, *%\s+Invocations\s+Runtime, ms", re.ASCII),
        _TOTAL_RUNTIME,
        is_certain=True,
    ),
    Form(
        "0,   conv1,  12.5%,  100,  10.00,  0.10,  0.09",
        regex(
            rf"\s*\d{{1,6}}[,:]\s*{_NAME}(?<!,),?\s+(?P<share>{_NUMBER})%,?\s*(?P<count>\d{{1,12}}),?"
            rf"\s+(?P<total>{_NUMBER})(?:,?\s+{_NUMBER}){{1,2}}",
            re.ASCII,
        ),
        regex(r"(?:index, )?\s*Operation\s+Runtime,? *%,?\s+Invocations\s.*Runtime\[ms\].*", re.ASCII),
        _TOTAL_RUNTIME,
        is_certain=True,
    ),
    Form(
        "10.00   conv1",
        regex(rf"\s*(?P<ms>{_NUMBER})   (?!Total$){_NAME}", re.ASCII),
        regex(r"\s*Time\(ms\)   Layer", re.ASCII),
        regex(rf"\s*(?P<ms>{_NUMBER})   Total", re.ASCII),
        is_certain=True,
        is_sum=True,
    ),
    Form(
        "conv1          100.0000",
        regex(rf"\s*{_NAME}\s+(?P<ms>{_NUMBER})", re.ASCII),
        regex(r"\s*layername\s+cost\(us\)", re.ASCII),
        regex(rf"Total Inference Time: (?P<ms>{_NUMBER})\(us\)", re.ASCII),
        is_certain=True,
        is_sum=True,
        unit_ms=_US,
    ),
)
#: What only names of TensorRT's layers have; programs print other times in these forms, too.
OF_LAYERS = regex(
    r" \+ |PWN\(|Reformatting CopyNode |\{ForeignNode\[|\(Unnamed Layer\* |_myl\d| reformatter \d"
)
#: What names of layers often have, and those of other steps of a program rarely.
LIKE_LAYERS = regex(
    r"conv|relu|pool|(?:^|[/_.])b?n\d|norm|softmax|reshape|shuffle|concat|matmul|gemm|(?:^|[/_.])fc\d|linear"
    r"|resize|upsampl|sigmoid|elementwise|reduce|layer\d|transpose|slice|gather|quantiz|\[Constant\]"
    r"|__\d|eltwise|prob$|attention|(?:^|/)(?:add|mul|sub|div|cast|clip|pad|split|exp|sqrt)(?:_\d+)?$",
    re.IGNORECASE,
)
#: What programs call other times that they print among those of the layers, such as "Total time".
OTHER_TIMES = regex(
    r"(?=.*\b(?:total|overall|time|latency|inference|elapsed|took|fps|throughput|done)\b)[a-z][a-z0-9 ()#-]*",
    re.IGNORECASE,
)
