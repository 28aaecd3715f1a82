"""TRX701 shapes.unresolved."""

from __future__ import annotations

from trexreport.analyzer.analysis.enqueue import has_data_dependent
from trexreport.analyzer.rules import Context, Hit, Hits, LayerFacts, built_in_rule
from trexreport.analyzer.rules.run_shapes import shapes_of_run
from trexreport.model.unknown_extents import has_dynamic_extent, keeps_unknown_extents
from trexreport.numbers import counted, format_count


@built_in_rule("warning", section="notes")
def unresolved(context: Context) -> Hits:
    """Tensors have dimensions that are known only at run time.

    Cost:
        Without dimensions there are no sizes, so memory, traffic and operations of these layers are unknown,
        and the rules that need them report nothing. It does not slow the engine down.

    Recommendation:
        [unless of-myelin: Write the layer information in the run that profiles, with shapes: trtexec
        --loadEngine=ENGINE --shapes={Shapes|INPUT:1x3x224x224} --exportLayerInfo=FILE --exportProfile=FILE.]
        [..8.5, unless of-myelin: A run with --buildOnly has no shapes yet.] [8.6.., unless of-myelin: A run
        with --skipInference has no shapes yet.] [unless of-myelin: In code give the inspector an execution
        context whose input shapes are set.] [if of-myelin: Build once with fixed shapes to see them: these
        kernels keep unknown ones whatever the run has.]

    False alarm:
        Myelin kernels (names in lower case, such as kgen) keep -1 for any shape; those alone are information,
        and not reported where the run's command states its shapes. The list of layers in a log of the build
        has no shapes of a run; its own are information, too. Where all inputs have fixed sizes and sizes
        depend on data, TRX705 reports it, and no option states them.

    Est. savings:
        Not estimated: it concerns the report, not the engine.
    """
    found = [layer for layer in context.layers if not layer.structural and _has_unknown_extent(layer)]
    if not found or (has_data_dependent(context.layers) and _are_inputs_fixed(context)):
        return
    of_myelin = all(keeps_unknown_extents(layer.type) for layer in found)
    if of_myelin and shapes_of_run(context):
        return  # The run had its shapes: nothing that it could state more would show theirs.
    work = sum(not layer.structural for layer in context.layers)
    of_build = any(note.slug == "layers-from-log" for note in context.analysis.notes)
    where = ", all of them in Myelin kernels" if of_myelin else ""
    where = where or (", as a log of the build lists them" if of_build else "")
    verb = "has" if len(found) == 1 else "have"
    yield Hit(
        f"{format_count(len(found))} of {counted(work, 'layer')} {verb} tensors of unknown shape{where}.",
        tuple(found),
        evidence={"Shapes": shapes} if (shapes := shapes_of_run(context)) else {},
        severity="info" if of_myelin or of_build else None,
    )


def _are_inputs_fixed(context: Context) -> bool:
    inputs = [tensor for tensor in context.tensors if tensor.role == "input"]
    return bool(inputs) and all(min(tensor.dimensions, default=0) >= 0 for tensor in inputs)


def _has_unknown_extent(layer: LayerFacts) -> bool:
    # Whose tensors have known sizes, as those of nearly all, has no unknown extent.
    return (layer.input_bytes is None or layer.output_bytes is None) and has_dynamic_extent(
        layer.attributes, layer.inputs, layer.outputs
    )
