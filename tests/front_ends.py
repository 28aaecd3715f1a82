"""Files of other producers, written as the programs that define their formats write them.

The sources are named in the readers. Nothing here is copied from a real file.
"""

from __future__ import annotations

import json

CONV = "[CONVOLUTION]-[aten_ops.convolution.default]-[/features/0/convolution]"
RELU = "[RELU]-[aten_ops.relu.default]-[/features/1/relu]"
POOL = "[MAX]-[aten_ops.max_pool2d.default]-[/features/2/max_pool2d]"
LAYERS = (f"Reformatting CopyNode for Input Tensor 0 to {CONV} + {RELU}", f"{CONV} + {RELU}", POOL)


def torch_trace(times_us, name="_run_on_acc_0_engine"):
    """Return Torch-TensorRT's trace of the layers; names are not escaped, as there."""
    records, begin = [], 0.0
    for layer, time_us in times_us.items():
        fields = [f'"name": "{layer}"', '"ph": "X"', f'"ts": {begin:g}', f'"dur": {time_us:g}']
        fields += ['"tid": 1', f'"pid": "{name} Engine Execution"', '"args": {}']
        records.append("  {\n    " + ",\n    ".join(fields) + "\n  }")
        begin += time_us
    return ("[\n" + ",\n".join(records) + "\n]\n").encode()


def torch_layers(names=LAYERS):
    """Return layer information with tensors from each layer to the next."""
    tensors = [
        {"Name": f"t{at}", "Dimensions": [1, 8, 8, 8], "Format/Datatype": "Half NCHW"} for at in range(9)
    ]
    layers = [
        {
            "Name": name,
            "LayerType": "kgen",
            "Inputs": [tensors[at]],
            "Outputs": [tensors[at + 1]],
            "Metadata": "",
        }
        for at, name in enumerate(names)
    ]
    return {"Layers": layers, "Bindings": ["t0", f"t{len(names)}"]}


def ultralytics_engine(plan=b"ftrt" + bytes(60), **changes):
    """Return an engine of Ultralytics: length, metadata, plan."""
    metadata = {
        "description": "Ultralytics YOLO11n model trained on coco.yaml",
        "author": "Ultralytics",
        "date": "2025-01-16T21:05:27.412120",
        "version": "8.3.12",
        "stride": 32,
        "task": "detect",
        "batch": 2,
        "imgsz": [640, 480],
        "names": {"0": "person"},
        "args": {"batch": 2, "half": True, "int8": False},
    } | changes
    text = json.dumps(metadata).encode()
    return len(text).to_bytes(4, "little", signed=True) + text + plan


_PERF_ANALYZER = (
    "Inferences/Second,Client Send,Network+Server Send/Recv,Server Queue,Server Compute Input,"
    "Server Compute Infer,Server Compute Output,Client Recv,p50 latency,p90 latency,p95 latency,p99 latency"
)


def perf_analyzer(p50_us, *, by="Concurrency", avg_us=None):
    """Return perf_analyzer's CSV: a row for each concurrency or request rate.

    Args:
        p50_us: Median latency of each, in µs.
        by: What rows differ in.
        avg_us: Average of each, as --verbose-csv adds it.
    """
    head = f"{by},{_PERF_ANALYZER}" + (",Avg latency,request/response,response wait" if avg_us else "")
    rows = [
        f"{level},{1e6 / p50:g},2,3,4,5,6,7,8,{p50},{p50 + 1},{p50 + 2},{p50 + 3}"
        + (f",{avg_us[level]},9,9" if avg_us else "")
        for level, p50 in p50_us.items()
    ]
    return "\n".join([head, *rows, ""]).encode()


def model_analyzer(rows, latency="Avg latency (ms)"):
    """Return model_analyzer's CSV, a table of GPUs before that of models: (config, concurrency, ms) each."""
    gpus = ["Model,GPU ID,Batch,Concurrency,Model Config Path,GPU Memory Usage (MB)", "r,0,1,1,r_i0,1099.0"]
    head = f"Model,Batch,Concurrency,Model Config Path,Satisfies Constraints,Throughput (infer/sec),{latency}"
    models = [f"r,1,{concurrency},{config},Yes,195.0,{ms}" for config, concurrency, ms in rows]
    return "\n".join([*gpus, "", head, *models, ""]).encode()


def ort_event(name, ts, dur, *, operator="Conv", provider="CUDAExecutionProvider", index=0, tid=7):
    """Return the event of a node, or of the session where there is no provider."""
    if provider is None:
        category, args = "Session", {}
    else:
        shapes = [{"float": [1, 3, 8, 8]}]
        args = {"provider": provider, "op_name": operator, "node_index": str(index)}
        args |= {"input_type_shape": shapes, "output_type_shape": shapes, "thread_scheduling_stats": ""}
        category, name = "Node", f"{name}_kernel_time"
    values = {
        "cat": category,
        "pid": 5,
        "tid": tid,
        "dur": dur,
        "ts": ts,
        "ph": "X",
        "name": name,
        "args": args,
    }
    return json.dumps(values, separators=(",", " : "))


TRT_NODE = "TensorrtExecutionProvider_TRTKernel_graph_main_graph_123_0_0"


def ort_events(runs=3):
    """Return the events of a session: two engines, nodes on CUDA and the CPU; the first run is slower."""
    events = [ort_event("model_loading_uri", 1, 300, provider=None)]
    for run in range(runs):
        ts, scale = 1000 * (run + 1), 3 if run == 0 else 1
        nodes = (
            (TRT_NODE, 200, "TRTKernel_graph_main_graph_123_0", "TensorrtExecutionProvider"),
            ("Memcpy", 4, "MemcpyToHost", "CUDAExecutionProvider"),
            ("/nms/NonMaxSuppression", 36, "NonMaxSuppression", "CPUExecutionProvider"),
            ("/resize/Resize", 10, "Resize", "CUDAExecutionProvider"),
            (
                TRT_NODE.replace("0_0", "1_1"),
                50,
                "TRTKernel_graph_main_graph_123_1",
                "TensorrtExecutionProvider",
            ),
        )
        begin = ts + 5
        for index, (name, dur, operator, provider) in enumerate(nodes):
            events.append(
                ort_event(name, begin, dur * scale, operator=operator, provider=provider, index=index)
            )
            begin += dur * scale + 1
        events.append(ort_event("SequentialExecutor::Execute", ts + 4, begin - ts, provider=None))
        events.append(ort_event("model_run", ts, begin - ts + 5, provider=None))
    return events


def ort_profile(events=None):
    """Return ONNX Runtime's profile of a session."""
    return ("[\n" + ",\n".join(ort_events() if events is None else events) + "\n]\n").encode()


def torch_dryrun(total=10, supported=9, engines=(4, 3), nodes=2, unsupported=None):
    """Return Torch-TensorRT's dryrun report."""
    lines = ["", f"{'+' * 50} Dry-Run Results for Graph {'+' * 50}", ""]
    share = round(supported * 100 / total, 2) if total else 0.0
    counts = f"{total} Total Operators, of which {supported} operators are supported, {share}% coverage"
    lines += [f"The graph consists of {counts}", ""]
    if unsupported:
        which = "The following ops are currently unsupported or excluded from conversion"
        lines += [f"{which}, and are listed with their op-count in the graph:"]
        lines += [f" {name}: {count}" for name, count in unsupported.items()] + [""]
    if nodes:
        operator = "torch.ops.aten.index.Tensor"
        lines += ["The following nodes are currently set to run in Torch:"]
        lines += [f"Node: {operator}, with layer location: /m/{at}/index_{at}" for at in range(nodes)]
        some = "Note: Some of the above nodes may be supported"
        lines += [f"{some}, but were not included in a TRT graph by the partitioner", ""]
    lines += ["Compiled with: CompilationSettings(min_block_size=2)", "", "  Graph Structure:", ""]
    for at, count in enumerate(engines):
        lines += [
            f"    TRT Engine #{at + 1} - Submodule name: _run_on_acc_{2 * at}",
            "     Engine Inputs: List[Tensor: (1, 8)@float32]",
            f"     Number of Operators in Engine: {count}",
            "    ...",
        ]
    return "\n".join([*lines, ""]).encode()


KERNEL = "sm80_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize32x32x64_stage6_warpsize2x2x1_tensor16x8x16"
EDGE_LAYERS = (
    ("__myl_FcAdd_myl0_1", "[ONNX Layer: /layers.0/mlp/up_proj/MatMul]", "gemm", 1.25),
    ("/layers.0/attention", "[ONNX Layer: /layers.0/attention]", "mha", 0.5),
    ("__myl_MulSum_myl0_3", "", "kgen_other", 0.25),
)


def edge_llm_layers(layers=EDGE_LAYERS, conditions=(("past_kv_len", 768),)):
    """Return the layer CSV of TensorRT Edge-LLM; names are quoted and not escaped."""
    head = (
        "layer_name,onnx_op,input_shapes,output_shapes,tactic_name,input_data_types,output_data_types,"
        "category,time_ms_mean,time_ms_std,time_ms_min,time_ms_max,batch_size"
    )
    lines = [",".join([head, *(name for name, _ in conditions)])]
    values = "".join(f",{value}" for _, value in conditions)
    for name, node, category, ms in layers:
        texts = (name, node, "[1x1x2048]", "[1x1x8192]", KERNEL, "Half,FP8", "Half")
        quoted = ",".join(f'"{text}"' for text in texts)
        lines.append(f"{quoted},{category},{ms:.4f},0.0100,{ms:.4f},{ms:.4f},1{values}")
    return "\n".join([*lines, ""]).encode()


def edge_llm_end_to_end(mode="decode", ms=27.4, conditions=(("past_kv_len", 768),)):
    """Return the end-to-end CSV of TensorRT Edge-LLM."""
    head = ",".join(["mode,batch_size,osl,e2e_time_ms,per_token_ms,throughput_tps", *dict(conditions)])
    values = "".join(f",{value}" for _, value in conditions)
    return f"{head}\n{mode},1,1,{ms:.4f},{ms:.4f},{1000 / ms:.4f}{values}\n".encode()


def ort_log(placed, *, stated=None):
    """Return a verbose log of ONNX Runtime: the operators and names of nodes by provider.

    Args:
        placed: Provider to nodes.
        stated: Number of nodes that it states of each provider, if not that of its nodes.
    """
    begin = "2025-01-02 03:04:05.678901234 [V:onnxruntime:, session_state.cc:1260"
    where = f"{begin} VerifyEachNodeIsAssignedToAnEp]"
    other = "2025-01-02 03:04:05.678901234 [I:onnxruntime:, inference_session.cc:533 TraceSessionOptions] x"
    lines = [other, f"{where} Node placements"]
    for provider, nodes in placed.items():
        count = f"Number of nodes: {len(nodes) if stated is None else stated}"
        if len(placed) == 1:
            lines.append(f"{where}  All nodes placed on [{provider}]. {count}")
        else:
            lines.append(f"{where}  Node(s) placed on [{provider}]. {count}")
            lines += [f"{where}   {operator} ({name})" for operator, name in nodes]
    return "\n".join([*lines, other, ""]).encode()


#: How programs state times of an inference and of what is around it, with places for them.
SPEED = "Speed: {}ms preprocess, {}ms inference, {}ms postprocess per image at shape (1, 3, 640, 640)"
STAGES_IN_A_LINE = "pre-process cost {} ms, INFERENCE COST {} ms, post_process cost {} ms"
TIMING_REPORT = "\n".join(
    f"[TRT]    {stage:<13} CPU   {{}}ms  CUDA   0.40000ms"
    for stage in ("Pre-Process", "Network", "Post-Process")
)


def application_log(form, times_ms):
    """Return a log of an application that loads an engine and states times, a line or report for each."""
    loaded = "[11/26/2023-23:04:58] [I] [TRT] Loaded engine size: 25 MiB"
    return "\n".join([loaded, *(form.format(*each) for each in times_ms), ""]).encode()


def nvidia_smi(rows=5):
    """Return the CSV of nvidia-smi of one GPU, a row a second."""
    columns = {
        "timestamp": "2024/10/03 10:47:{:02}.000",
        "name": "NVIDIA A100-SXM4-80GB",
        "clocks.current.sm [MHz]": "1410 MHz",
        "power.draw [W]": "250.5 W",
        "temperature.gpu": "6{}",
        "utilization.gpu [%]": "98",
        "clocks_event_reasons.active": "0x0000000000000004",
    }
    lines = [", ".join(columns), *(", ".join(columns.values()).format(at, at) for at in range(rows))]
    return "\n".join([*lines, ""]).encode()


def tegrastats(rows=5):
    """Return a log of tegrastats, a line a second."""
    state = "RAM 2448/7620MB (lfb 8x4MB) SWAP 0/3810MB CPU [12%@729,9%@729,off] EMC_FREQ 30%@2133"
    rails = "GR3D_FREQ 9{at}%@[1007] CPU@48C GPU@4{at}C VDD_IN 5021mW/5021mW VDD_CPU_GPU_CV 921mW/921mW"
    lines = (f"10-03-2024 10:47:0{at} {state} {rails.format(at=at)}" for at in range(rows))
    return "\n".join([*lines, ""]).encode()


def edge_llm_log(*stages, layers=EDGE_LAYERS):
    """Return what TensorRT Edge-LLM prints of the layers of each stage, slowest first."""
    lines = ["[INFO] x"]
    for stage in stages:
        total = 10 * sum(ms for *_, ms in layers)
        lines += ["", f"=== {stage} Layer Performance Profile (10 iterations) ==="]
        lines += ["   Time(ms)     Avg.(ms)   Median(ms)   Time(%)   Layer"]
        lines += [
            f"{10 * ms:12.2f}{ms:12.4f}{ms:12.4f}{1000 * ms / total:12.1f}   {name}"
            for name, _, _, ms in layers
        ]
        lines += [f"{total:12.2f}{total / 10:12.4f}{total / 10:12.4f}{100:12.1f}   Stage Total"]
    return "\n".join([*lines, ""]).encode()
