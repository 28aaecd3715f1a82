"""Sentences about memory, in which a sum with unknown parts never reads as complete."""

from __future__ import annotations

from trexreport.analyzer.analysis import Analysis
from trexreport.analyzer.analysis.engine import Memory
from trexreport.model.stated_sizes import ENGINE_SIZES, WEIGHTS, stated_bytes
from trexreport.numbers import MISSING, counted, format_bytes, format_count, format_shape
from trexreport.regex import regex
from trexreport.wording.identity import logged_value
from trexreport.wording.layers import NAMES_ONLY

UNKNOWN, ABOUT = "unknown", "about"
_BY_LOG, _OF_ENGINE = "stated by TensorRT’s log", "size of the engine"
#: How a figure writes how exact a size is.
_SIGNS = {ABOUT: "≈ ", "at least": "≥ ", "at most": "≤ "}
_FIGURE = regex(rf"({'|'.join(_SIGNS)})? ?([^ ]+)")
#: Logs round sizes to whole MiB.
_ROUNDING = 2**20
#: Weights are shared by two layers at most; an engine that is smaller yet was built without its weights.
_MOST_TIMES = 2


def memory_sentence(analysis: Analysis) -> str:
    """Return the size of the weights and of the tensors between the layers."""
    if analysis.identity.names_only:
        return NAMES_ONLY
    memory, amounts = analysis.memory, memory_amounts(analysis.memory)
    text = f"The layers hold {amounts['weights']} of weights"
    if amounts["weights"].startswith(UNKNOWN):
        few = bool(memory.weights_bytes)
        text = (
            f"The size of the weights is unknown: {'few layers state theirs' if few else 'no file states it'}"
        )
    elif memory.layers_without_weights or amounts["weights"].startswith(ABOUT):
        text = f"Weights: {amounts['weights']}"
    if not analysis.tensors:
        return f"{text}; no tensors are known."
    if amounts["activations"] == UNKNOWN:
        count = counted(memory.activations_unknown, "tensor")
        verb = "has" if memory.activations_unknown == 1 else "have"
        return f"{text}; {count} between the layers {verb} an unknown size."
    beside = f" {beside_bindings(memory)}".rstrip()
    if has_only_bindings(memory):
        return f"{text}; no tensor is between the layers{beside}."
    return (
        f"{text}; the tensors between the layers need {amounts['peak']} at the peak, and "
        f"{amounts['activations']} without memory reuse{beside and ','}{beside}."
    )


def memory_amounts(memory: Memory) -> dict[str, str]:
    """Return each figure of memory as text, which states how many parts of it are unknown."""
    sizes = memory.activations_bytes, memory.peak_live_bytes, memory.activations_unknown
    has_tensors = any((memory.activations, memory.bindings, *sizes))
    return {
        "weights": _weights(memory),
        "peak": _size(memory.peak_live_bytes, memory.activations_unknown) if has_tensors else UNKNOWN,
        "activations": (
            _size(memory.activations_bytes, memory.activations_unknown) if has_tensors else UNKNOWN
        ),
        "bindings": _size(memory.bindings_bytes, memory.bindings_unknown) if memory.bindings else UNKNOWN,
    }


def weights_figure(memory: Memory) -> tuple[str, str]:
    """Return the size of the weights and, where the layers do not state it, what does: "≤ 5.00 MiB"."""
    text = _weights(memory)
    found = _FIGURE.match(text)
    if found is None or text.startswith(UNKNOWN):
        return MISSING, ""
    source = next((each for each in (_BY_LOG, _OF_ENGINE) if text.endswith(f"({each})")), "")
    return _SIGNS.get(found[1], "") + found[2], source


def has_only_bindings(memory: Memory) -> bool:
    """Return whether inputs and outputs are all the tensors that are known."""
    return not (memory.activations or memory.activations_bytes) and memory.bindings_bytes > 0


def beside_bindings(memory: Memory) -> str:
    """Return what inputs and outputs take, which no peak includes; empty where the peak is larger."""
    is_larger = memory.bindings_bytes > memory.peak_live_bytes
    if not is_larger or (memory.activations_unknown and not memory.peak_live_bytes):
        return ""
    return f"beside {memory_amounts(memory)['bindings']} of inputs and outputs"


def memory_headline(analysis: Analysis) -> tuple[str, str]:
    """Return the memory for the overview and what it is: the peak of live tensors, else what the log states.

    Where the sizes of tensors are unknown, the peak is a lower bound, often by orders of magnitude.
    """
    memory, amounts = analysis.memory, memory_amounts(analysis.memory)
    known = bool(analysis.tensors) and not analysis.identity.names_only
    engine = next((memory.stated[name] for name in ENGINE_SIZES if name in memory.stated), "")
    weights = f"engine: {logged_value(engine)}" if engine and not known else ""
    if known:
        # What is estimated or lacks layers is explained in the section, beside the same figure.
        figure = weights_figure(memory)[0]
        weights = f"weights: {amounts['weights'] if figure == MISSING else figure}"
    stated = memory.stated_activation_bytes
    if stated and (not known or memory.activations_unknown):
        value, note = format_bytes(stated), f"activation memory {stated_by_log(memory)}"
    elif not known:
        value, note = MISSING, "tensors unknown"
    elif amounts["peak"] == UNKNOWN:
        value, note = MISSING, "peak of live tensors unknown"
    elif memory.activations_unknown:
        value = f"≥ {format_bytes(memory.peak_live_bytes)}"
        note = f"peak of live tensors ({format_count(memory.activations_unknown)} of unknown size)"
    else:
        value, note = (
            format_bytes(memory.peak_live_bytes),
            f"peak of live tensors {beside_bindings(memory)}".rstrip(),
        )
    return value, "; ".join(filter(None, (note, weights)))


def stated_by_log(memory: Memory) -> str:
    """Return where stated activation memory is from, and for which shapes if the run had smaller ones."""
    largest = ", ".join(f"{name} {format_shape(shape)}" for name, shape in memory.stated_for.items())
    return _BY_LOG + (f" for the largest shapes ({largest})" if largest else "")


def _weights(memory: Memory) -> str:
    hidden, engine = memory.layers_without_weights, _engine_bytes(memory)
    stated = stated_bytes(memory.stated.get(WEIGHTS, ""))
    if stated and (hidden or memory.weights_unknown or _exceed(memory, stated)):
        return f"{format_bytes(int(stated))} ({_BY_LOG})"
    if not memory.weights_bytes or hidden > memory.layers_with_weights:
        size = memory.hidden_weights_bytes
        if size and (not engine or size <= engine + _ROUNDING):
            products = counted(memory.products_with_hidden_weights, "matrix multiplication")
            return f"{ABOUT} {format_bytes(size)} in {products}, by their extents"
        # No file says of an engine that it has none, and what a few layers state does not show the size.
        return f"{UNKNOWN} (engine: {format_bytes(int(engine))})" if hidden and engine else UNKNOWN
    if engine and _exceed(memory, engine) and memory.weights_bytes <= _MOST_TIMES * engine:
        return f"at most {format_bytes(int(engine))} ({_OF_ENGINE})"
    if not hidden:
        return _size(memory.weights_bytes, memory.weights_unknown, "part")
    unknown = [f"{counted(memory.weights_unknown, 'part')} of unknown size"] if memory.weights_unknown else []
    unknown.append(f"{counted(hidden, 'layer')} {'does' if hidden == 1 else 'do'} not state theirs")
    return f"at least {format_bytes(memory.weights_bytes)} ({'; '.join(unknown)})"


def _engine_bytes(memory: Memory) -> float | None:
    """Return the size of the engine that a log states."""
    return next((stated_bytes(memory.stated[name]) for name in ENGINE_SIZES if name in memory.stated), None)


def _exceed(memory: Memory, stated: float) -> bool:
    """Return whether what layers state adds up to more than a log states, which is rounded."""
    return memory.weights_bytes > stated + _ROUNDING


def _size(size_bytes: int, unknown: int, noun: str = "tensor") -> str:
    """Return a size with how far it is known: "at least 37.5 MiB (12 tensors of unknown size)"."""
    if not unknown:
        return format_bytes(size_bytes)
    if not size_bytes:
        return UNKNOWN
    return f"at least {format_bytes(size_bytes)} ({counted(unknown, noun)} of unknown size)"
