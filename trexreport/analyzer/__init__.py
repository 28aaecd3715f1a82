"""Compute from an `Engine` everything that a report shows, as an `Analysis`: facts without sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from trexreport.analyzer.alike import find_alike
from trexreport.analyzer.analysis import Analysis, Gpu, Group, LayerFacts, RooflineObstacle
from trexreport.analyzer.analysis.accuracy import AccuracyFacts
from trexreport.analyzer.analysis.blocks import Blocks
from trexreport.analyzer.analysis.contradictions import contradicted, of_the_counters, of_the_model
from trexreport.analyzer.analysis.counters import CountersFacts
from trexreport.analyzer.analysis.engine import Note, SourceFacts
from trexreport.analyzer.analysis.findings import Finding, LogFinding, with_consequences
from trexreport.analyzer.analysis.kernels import KernelTraceFacts
from trexreport.analyzer.analysis.onnx import OnnxFacts
from trexreport.analyzer.end_to_end import describe_latency
from trexreport.analyzer.execution import describe_execution
from trexreport.analyzer.gpu_watch import describe_gpu_watch
from trexreport.analyzer.grouping import LayerGroups, group_layers
from trexreport.analyzer.identity import describe_bindings, identify, option_sections
from trexreport.analyzer.layers import layer_facts
from trexreport.analyzer.memory import describe_memory
from trexreport.analyzer.module_paths import Path, stated_paths
from trexreport.analyzer.multiplications import sum_multiplications
from trexreport.analyzer.operation_names import listed_operations, operations_by_name
from trexreport.analyzer.other_models import other_models
from trexreport.analyzer.reformats import describe_reformats, group_by_origin
from trexreport.analyzer.roofline.classes import launch_time
from trexreport.analyzer.roofline.matching import GpuChoice, choose_gpu
from trexreport.analyzer.roofline.roofs import RoofModel, sum_roofline
from trexreport.analyzer.rules import LintSettings
from trexreport.analyzer.rules.lint import lint
from trexreport.analyzer.rules.registry import Registry, all_rules
from trexreport.analyzer.stability import describe_stability
from trexreport.analyzer.tactics import describe_tactics
from trexreport.analyzer.tensors import TensorTable
from trexreport.garbage import collection_paused
from trexreport.model import Engine, InputWarning
from trexreport.model.stated_shapes import differing_inputs, stated_shapes

#: That a log lists no layers is none of it alone. Precisions may be those of the logs beside it.
_INCOMPLETE_FILES, _UNSTABLE, _OF_PRECISION = "TRX907", "TRX801", "TRX4"
#: What informs of runs is in the table of logs.
_OF_RUNS = ("TRX8", "TRX9")


@collection_paused()
def analyze(
    engine: Engine,
    *,
    settings: LintSettings | None = None,
    registry: Registry | None = None,
    gpu: GpuChoice | None = None,
    with_blocks: bool = True,
    with_advice: bool = True,
) -> Analysis:
    """Return the analysis of one engine; the same engine and settings give the same analysis.

    Args:
        engine: What the reader returned.
        settings: Which rules run and which findings are suppressed; all rules as they are if not given.
        registry: The rules; all installed rules if not given.
        gpu: The GPU whose peaks the roofline uses; the one that the capture states if not given.
        with_blocks: Divide the engine into blocks, which only its graph shows.
        with_advice: State what to do about findings; comparisons only show which there are.

    Raises:
        UsageError: The chosen GPU is in no table, or the user's table can't be used.
    """
    tensors = TensorTable(engine)
    roofs = RoofModel(
        _gpu_of(engine, gpu),
        allows_tf32=not _forbids_tf32(engine),
        launch_ms=launch_time(engine.layers),
        explained_percent=(gpu or GpuChoice()).explained_percent,
    )
    layers = layer_facts(engine, tensors, roofs)
    reformats = describe_reformats(layers, tensors.facts)
    onnx = _describe_onnx(engine, layers, tensors, with_blocks=with_blocks)
    accuracy = _describe_accuracy(engine, layers, tensors, onnx)
    kernels = _describe_kernels(engine, layers)
    groups = LayerGroups(layers)
    stability = describe_stability(engine.queries, engine.setup.tensorrt_version)
    watch = describe_gpu_watch(engine.gpu)
    latency = describe_latency(engine, layers, stability, watch)
    shapes = stated_shapes(engine.setup.commands, engine.bindings, engine.optimization_profile)
    unchecked = Analysis(
        identity=identify(engine),
        latency=latency,
        stability=stability,
        memory=describe_memory(engine, tensors, layers),
        by_type=groups.by("type"),
        by_operation=_by_operation(engine, layers),
        by_precision=groups.by("precision"),
        by_output_precision=groups.by("output_precision"),
        by_type_and_precision=groups.by_type_and_precision(),
        by_tactic=groups.by("tactic"),
        by_stream=groups.by("stream"),
        multiplications=sum_multiplications(layers),
        reformats=reformats,
        reformats_by_origin=group_by_origin(reformats, layers),
        bindings=describe_bindings(engine),
        layers=layers,
        tensors=tensors.facts,
        settings=option_sections(engine),
        commands=engine.setup.commands,
        sources=[SourceFacts(each.role, each.name, len(each.data), each.sha256) for each in engine.sources],
        notes=[_note(each) for each in engine.notes],
        measurement_warnings=engine.measurement.warnings,
        alike=find_alike(layers, tensors.facts, modules := stated_paths(layers)),
        blocks=_divide(layers, tensors, onnx, modules) if with_blocks else Blocks(),
        roofline=sum_roofline(layers, roofs),
        gpu_watch=watch,
        contradictions=(*engine.contradictions, *other_models(engine, onnx, accuracy)),
        logs=engine.logs,
        log_findings=[
            found for each in engine.other_logs for found in _log_findings(each, settings, registry, gpu)
        ],
        execution=describe_execution(engine.execution),
        onnx=onnx,
        accuracy=accuracy,
        kernels=kernels,
        counters=_describe_counters(engine, layers, kernels),
        tactics=describe_tactics(
            engine.tactics,
            layers,
            engine.setup.build_facts,
            latency.gpu_compute.median_ms if latency.gpu_compute and not differing_inputs(shapes) else None,
        ),
    )
    rules = registry or all_rules()
    found = lint(unchecked, rules, settings, with_advice=with_advice)
    own = _only_in_logs(unchecked.log_findings, found.findings)
    if len(own) < len(unchecked.log_findings):
        unchecked = replace(unchecked, log_findings=own)
        found = lint(unchecked, rules, settings, with_advice=with_advice)
    return replace(unchecked, lint=found)


def _by_operation(engine: Engine, layers: Sequence[LayerFacts]) -> list[Group]:
    if engine.names_only:
        kinds = operations_by_name(layers)
        return group_layers(layers, lambda layer: kinds[layer.index])
    return [] if layers else listed_operations(engine.setup.listed_layers)


def _note(each: InputWarning) -> Note:
    return Note(each.severity, each.slug, each.message, each.source, each.affects, each.hint)


def _describe_onnx(
    engine: Engine, layers: Sequence[LayerFacts], tensors: TensorTable, *, with_blocks: bool
) -> OnnxFacts | None:
    if engine.onnx is None:
        return None
    # Imported late: few captures have a model.
    from trexreport.analyzer.onnx import describe_onnx
    from trexreport.analyzer.onnx.node_blocks import node_blocks

    has_other_ends = bool(of_the_model(engine.contradictions))
    found = describe_onnx(engine.onnx, layers, tensors.facts, has_other_ends=has_other_ends)
    return replace(found, blocks=node_blocks(found.nodes)) if with_blocks and found.nodes else found


def _describe_accuracy(
    engine: Engine, layers: Sequence[LayerFacts], tensors: TensorTable, onnx: OnnxFacts | None
) -> AccuracyFacts | None:
    if engine.accuracy is None:
        return None
    # Imported late: few captures have accuracy files.
    from trexreport.analyzer.accuracy import describe_accuracy

    return describe_accuracy(engine.accuracy, layers, tensors.facts, onnx)


def _describe_kernels(engine: Engine, layers: Sequence[LayerFacts]) -> KernelTraceFacts | None:
    if engine.kernels is None:
        return None
    # Imported late: few captures have a trace.
    from trexreport.analyzer.kernel_trace import describe_kernels

    return describe_kernels(engine.kernels, layers)


def _describe_counters(
    engine: Engine, layers: Sequence[LayerFacts], kernels: KernelTraceFacts | None
) -> CountersFacts | None:
    if engine.counters is None:
        return None
    from trexreport.analyzer.kernel_trace.counters import describe_counters

    is_other = bool(of_the_counters(engine.contradictions))
    return describe_counters(engine.counters, layers, kernels, is_other=is_other)


def _divide(
    layers: Sequence[LayerFacts],
    tensors: TensorTable,
    onnx: OnnxFacts | None,
    modules: Sequence[Path | None],
) -> Blocks:
    # Imported late: only a graph shows blocks.
    from trexreport.analyzer.blocks import divide

    if onnx is None:
        return divide(layers, tensors.facts, modules)
    from trexreport.analyzer.onnx.node_blocks import layer_modules

    return divide(layers, tensors.facts, modules, by_model=layer_modules(onnx))


def _gpu_of(engine: Engine, choice: GpuChoice | None) -> Gpu | RooflineObstacle:
    """Return the GPU of the roofline, or why it is not known; what the user says needs no file."""
    chosen = choice is not None and choice.name is not None
    if contradicted(engine.contradictions, ("roofline",)) and not chosen:
        return RooflineObstacle("contradictory-files", engine.setup.device.get("Selected Device", ""))
    if engine.times_are_sums:
        return RooflineObstacle("times-are-sums", engine.setup.device.get("Selected Device", ""))
    return choose_gpu(engine.setup.device, choice)


def _forbids_tf32(engine: Engine) -> bool:
    return any("--noTF32" in command.split() for command in engine.setup.commands)


def _only_in_logs(of_logs: Sequence[LogFinding], shown: Sequence[Finding]) -> list[LogFinding]:
    """Return the findings of logs that are not shown without those that the shown one has as well."""
    common = {(each.code, each.severity) for each in shown}
    return [each for each in of_logs if (each.code, each.severity) not in common]


def _log_findings(
    engine: Engine, settings: LintSettings | None, registry: Registry | None, gpu: GpuChoice | None
) -> Iterator[LogFinding]:
    """Yield the problems of the run in a log that is not shown."""
    analysis = analyze(engine, settings=settings, registry=registry, gpu=gpu, with_blocks=False)
    for finding in analysis.lint.findings:
        for each in with_consequences([finding]):
            is_minor = each.code == _UNSTABLE and each.severity == "warning"
            # What only informs, and goes with its cause, says nothing more.
            is_minor |= each.severity == "info" and (each.code.startswith(_OF_RUNS) or each is not finding)
            if not is_minor and each.code != _INCOMPLETE_FILES and not each.code.startswith(_OF_PRECISION):
                advice = finding.recommendation if each is finding else ""
                yield LogFinding(engine.name, each.code, each.severity, each.message, advice)


__all__ = ["Analysis", "GpuChoice", "analyze"]
