"""What the errors in a log of trtexec mean, and what to do about them."""

from __future__ import annotations

from trexreport.reader.error_cause import PLUGIN_LIBRARY, Cause
from trexreport.reader.loading_causes import LOADING_CAUSES

#: What changes a part of a network that the builder cannot compile; which of it helps, only a build shows.
OTHER_FORM = (
    "Let these operations stay in FP32 (up to TensorRT 10 without --fp16, --bf16, --int8 and --best, or with "
    "--layerPrecisions for them alone; in a strongly typed network with a Cast), fold constants and fixed "
    "conditions out of the model (polygraphy surgeon sanitize --fold-constants), or take a newer TensorRT."
)
#: The same where the builder was allowed FP32 alone.
OTHER_FORM_IN_FP32 = (
    "Fold constants and fixed conditions out of the model (polygraphy surgeon sanitize --fold-constants), "
    "export it with fixed shapes, or take a newer TensorRT."
)

#: For a network in which tensors are marked as outputs, which TensorRT would fuse otherwise.
ONLY_WANTED_OUTPUTS = (
    "Mark only the outputs that are wanted, some at a time (--trt-outputs and --onnx-outputs of Polygraphy): "
    "each marked tensor must be written, so that it is not fused away."
)


def other_kernel(option: str) -> str:
    """Return what a builder without a kernel for a layer needs, as far as the log does not show it.

    Args:
        option: The option of trtexec for a larger workspace.
    """
    return (
        f"Let the layer compute in FP32, allow a larger workspace with {option}, or take a newer TensorRT. "
        "A plugin has to support the requested types and layouts."
    )


OTHER_KERNEL = other_kernel("--memPoolSize=workspace:MIB")
NO_MEMORY = (
    "Free some (nvidia-smi shows who holds the GPU's), or lower it with smaller shapes and batches; "
    "--memPoolSize=workspace:MIB limits that of a build."
)
UNKNOWN_OPTION = "Is it spelled right, and does this version have it? `trtexec --help` lists its flags."
_ON_DLA = (
    "Allow the GPU for such layers with --allowGPUFallback, or change them as NVIDIA's list of DLA's "
    "supported layers states."
)
_FOLD = (
    "Fold constants (polygraphy surgeon sanitize --fold-constants), export the model with fixed shapes or "
    "another opset, or take a newer TensorRT."
)
MORE_IN_LOG = "--verbose shows more of it in the log."
#: What explains most comes first. Texts of trtexec, of TensorRT 8.4 to 11, of its ONNX parser and of CUDA.
CAUSES = (
    Cause(
        r"Unknown option: (?P<option>\S+)",
        "trtexec does not know {option}.",
        UNKNOWN_OPTION,
    ),
    Cause(
        r"driver version is insufficient",
        "The GPU driver is too old for this CUDA, or there is none.",
        "nvidia-smi shows the driver and the newest CUDA that it can serve.",
    ),
    Cause(
        r"no CUDA-capable device|Cannot find any available devices|CUDA_ERROR_NO_DEVICE|"
        r"could not select device",
        "There is no GPU that trtexec could use.",
        "Check nvidia-smi; a container needs --gpus all.",
    ),
    Cause(
        r"Cannot find device ID (?P<device>\d+)",
        "There is no GPU {device}.",
        "nvidia-smi -L lists the GPUs, which --device counts from 0; CUDA_VISIBLE_DEVICES hides some.",
    ),
    Cause(
        r"No space left on device|Disk quota exceeded",
        "The disk is full.",
        "Make room, or give a folder on another disk.",
    ),
    *LOADING_CAUSES,
    Cause(
        r"plugin node (?P<node>.{1,400}?) requires \d{1,15} bytes of scratch space, but only \d",
        "The plugin {node} needs more workspace than there is.",
        "Build for a smaller batch or shorter inputs. A larger workspace (--memPoolSize=workspace:MIB) helps "
        "only as far as the GPU has the memory.",
    ),
    Cause(
        r"out of memory|OutOfMemory|bad_alloc|could not be allocated|cudaErrorMemoryAllocation",
        "There was not enough memory.",
        NO_MEMORY,
        at_work="timed",
    ),
    Cause(
        r"Error opening engine file|Could not open file|Failed to open file",
        "trtexec could not open a file.",
        "A container or another machine must see it under the same path.",
    ),
    Cause(
        r"(?:No importer registered for op|Op type not supported|Unsupported operator):? *(?P<op>\w+)",
        "TensorRT knows no operator {op}, which the model uses.",
        f"Export the model without it, or replace it in the file. If it is that of a plugin: "
        f"{PLUGIN_LIBRARY[0].lower()}{PLUGIN_LIBRARY[1:]}",
    ),
    Cause(
        r"(?:[Cc]ould not find|Unable to find|Cannot find) plugin:? *(?P<plugin>[A-Za-z_]\w*)",
        "The plugin {plugin}, which the model or the engine needs, was not found.",
        PLUGIN_LIBRARY,
    ),
    Cause(
        r"Plugin not found|Cannot find plugin|could not find plugin|plugin creator .* not found",
        "A plugin that the model or the engine needs was not found.",
        PLUGIN_LIBRARY,
    ),
    Cause(
        r"Network must have at least one output",
        "The network has no output: the ONNX model was not parsed, or no tensor was marked as one.",
        "Look at what the parser says before this error, whose result a program has to check. A network that "
        "is built in code marks its outputs (markOutput).",
    ),
    Cause(
        r"Static model does not take explicit shapes",
        "The inputs of this model have fixed sizes, so it takes no shapes.",
        "Leave --shapes, --minShapes, --optShapes and --maxShapes out.",
    ),
    Cause(
        r"Required optimization profile is invalid",
        "The shapes make no valid optimization profile.",
        "Each size of --minShapes may at most be that of --optShapes, and that at most that of --maxShapes.",
    ),
    Cause(
        r"Cannot create DLA engine, (?P<core>\d+) not available",
        "There is no DLA core {core}.",
        "Leave --useDLACore out; only Jetson and DRIVE have DLA cores.",
    ),
    Cause(
        r"Selected profile index (?P<index>\d+) exceeds",
        "The engine has no optimization profile {index}.",
        "Profiles count from 0; give another --useProfile.",
    ),
    Cause(
        r"Set optimization profile failed|setOptimizationProfile.*(?:profileIndex|Profile index)",
        "The engine has no such optimization profile, or it can't be used.",
        "Profiles count from 0; give another --useProfile.",
    ),
    Cause(
        r"illegal memory access|misaligned address|illegal instruction|unspecified launch failure"
        r"|Final synchronize failed",
        "A kernel failed on the GPU: it accessed memory that is not its own, or executed an invalid "
        "instruction.",
        "A plugin may be the cause: compute-sanitizer names the kernel. Without plugins try another version "
        "of TensorRT.",
    ),
    Cause(
        r"Saving engine to file failed|Cannot write to FileStreamWriter|Cannot open .* for writing"
        r"|Could not write",
        "trtexec could not write a file.",
        "Check the room on the disk and the permissions of the folder.",
    ),
    Cause(
        r"Unable to open library|Could not load library",
        "A library could not be loaded.",
        "Check its path, and that it was built for this version of TensorRT.",
    ),
    Cause(
        r"no optimization profile has been defined|dynamic or shape inputs",
        "The model has dynamic shapes and none were given.",
        "Give --shapes=INPUT:1x3x224x224, or --minShapes, --optShapes and --maxShapes.",
    ),
    Cause(
        r"(?:Static dimension mismatch|does not satisfy any optimization profiles|"
        r"supplied .* dimensions|Cannot find input tensor with name|does not exist in the network|"
        r"input shapes? .* (?:invalid|inconsistent))",
        "The shapes do not fit the model or the engine.",
        "Check the names and sizes in --shapes; an engine takes those of its optimization profile.",
    ),
    Cause(
        r"\((?P<node>[^()]{1,300}?): could not find any supported formats consistent",
        "The plugin of {node} supports none of the types and layouts that the build allows.",
        "Give its inputs and outputs a type that the plugin supports (--inputIOFormats; up to TensorRT 10 "
        "--layerPrecisions), or add the types to its supportsFormatCombination.",
    ),
    Cause(
        r"Unsupported SM:? |Target GPU SM \d+ is not supported|no kernel image is available",
        "This TensorRT does not support the GPU.",
        "The release notes state which GPUs a version supports: take a newer one for a new GPU, and an "
        "earlier one for an old GPU.",
    ),
    Cause(
        r"Calibration failure occurred with no scaling factors|no scaling factors detected",
        "INT8 was requested without scales.",
        "Add Q/DQ nodes to the model, or give trtexec a calibration cache with --calib=FILE.",
    ),
    Cause(
        r"(?P<node>\S+) is not supported on DLA",
        "{node} does not run on the DLA.",
        _ON_DLA,
    ),
    Cause(
        r"DLA validation failed|DLA fallback|not supported on DLA",
        "A layer does not run on the DLA.",
        _ON_DLA,
    ),
    Cause(
        r"data-dependent shape",
        "Sizes in the network depend on data, which this TensorRT does not support there.",
        "Give results a fixed size (TopK or the EfficientNMS plugin instead of NonZero and "
        "NonMaxSuppression), or take a newer TensorRT.",
    ),
    Cause(
        r"\((?P<node>[^()]{1,300}?): [^()]{0,80}must have (?:the )?same (?:input )?types?",
        "The inputs of {node} have different types.",
        "A strongly typed network gets no casts: add a Cast node to the model, or let ModelOpt's AutoCast "
        "set the types.",
    ),
    Cause(
        r"\((?P<node>[^()]{1,300}?): [^()]{0,160}(?:shape tensor|shape computation)",
        "{node} computes a shape in a way that TensorRT does not support.",
        "Give the model this size as a constant: expand or repeat with fixed counts in place of counts from "
        f"data, as repeat_interleave exports them. {_FOLD}",
    ),
    Cause(
        r"Unsupported ONNX data type: (?P<type>\w+)",
        "The model has tensors of type {type}, which TensorRT does not support.",
        "Change their type in the model, such as UINT8 and DOUBLE to FLOAT.",
    ),
    Cause(
        r"Could not find any implementation for node (?P<node>\{ForeignNode\[.{1,2000}?\]\})",
        "TensorRT's compiler Myelin could not build {node}.",
        OTHER_FORM,
    ),
    Cause(
        r"Could not find any implementation for node (?P<node>.{1,2000}?)(?:\.\)?$|\.\)|$)",
        "TensorRT found no kernel for {node}.",
        OTHER_KERNEL,
    ),
    Cause(
        r"(?P<library>cublas|cudnn)(?:Status == |_STATUS_SUCCESS failed)",
        "A call of a library of CUDA failed ({library}).",
        "Install the release of it that this TensorRT was built for, and free memory of the GPU. Up to "
        "TensorRT 9: --tacticSources=-CUBLAS,-CUBLAS_LT,-CUDNN builds without it.",
        at_work="timed",
    ),
    Cause(
        r"isOpConsistent|isConsistent check failed",
        "A convolution did not pass a check of TensorRT's own kernels.",
        "Let its sizes be known before the run: export with fixed shapes, or compute lengths from shapes "
        "rather than from data. Fold constants (polygraphy surgeon sanitize --fold-constants), or take a "
        "newer TensorRT.",
        at_work="timed or costed",
    ),
    Cause(
        r"myelin\S*(?:: |/).{0,2000}(?:Assertion|assert)|Assertion.{0,2000}myelin",
        "TensorRT's compiler Myelin stopped at an assertion.",
        OTHER_FORM,
        at_work="timed",
    ),
    Cause(
        r"\[myelin|Error Code \d{1,2}: Myelin \(|Myelin Error exists",
        "TensorRT's compiler Myelin could not build a part of the network.",
        OTHER_FORM,
    ),
    Cause(
        r"tensors\.count\(input_name\)",
        "The ONNX parser knows no input of a node: it is older than the model, whose weights are not inputs.",
        "Take a newer TensorRT, or export the model with keep_initializers_as_inputs=True.",
    ),
    Cause(
        r"While parsing node number (?P<number>\d+) \[(?P<op>\w+)(?: -> \"(?P<output>[^\"]{1,300})\")?",
        "The ONNX parser stopped at node {number}, {op}.",
        _FOLD,
    ),
    Cause(
        r"Failed to parse onnx file|Failed to parse ONNX|ModelImporter|onnx2trt",
        "The ONNX model can't be parsed.",
        "Check it with onnx.checker; the errors in the log say where.",
    ),
    Cause(
        r"Attempting to access an empty engine|Engine could not be created|Building engine failed|"
        r"Created engine with size: 0 MiB",
        "The engine could not be built.",
        MORE_IN_LOG,
    ),
    Cause(
        r"error while loading shared libraries: (?P<library>\S+):",
        "trtexec lacks a library: {library}.",
        "Put TensorRT's folder of libraries into LD_LIBRARY_PATH.",
    ),
    Cause(
        r"docker: |Error response from daemon|Cannot connect to the Docker daemon",
        "The container could not be started.",
    ),
    Cause(r"ssh: |Permission denied \(publickey", "The other machine could not be reached over ssh."),
    Cause(r"Model missing", "trtexec was given no model.", "Give one with --onnx=FILE or --loadEngine=FILE."),
    Cause(r"^(?:stoi|stof)$", "trtexec could not read a number in a value.", "Check the flags."),
)
