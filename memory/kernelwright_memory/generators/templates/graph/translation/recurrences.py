"""Recurrent layers: LSTM, GRU and plain ones. What the inputs give to the gates of all steps is one product; what is left are
steps that need each other's states."""

from kernelwright_memory.generators.templates.graph.graph import (
    ONE,
    Node,
    Unsupported,
    Value,
    permute,
    sliced,
    squeeze,
)
from kernelwright_memory.generators.templates.graph.size import Size
from kernelwright_memory.generators.templates.graph.translation.builder import (
    Builder,
    Call,
    Result,
    Translation,
)
from kernelwright_memory.generators.templates.graph.translation.pointwise import apply
from kernelwright_memory.generators.templates.graph.translation.products import multiplied
from kernelwright_memory.generators.templates.graph.translation.rearranging import stacked
from kernelwright_memory.generators.templates.graph.translation.views import concatenated, plain, reshaped

# How many gates an operator has, and how many states it keeps from step to step.
_GATES = {"lstm": (4, 2), "gru": (3, 1), "rnn_tanh": (1, 1), "rnn_relu": (1, 1)}


def _recurrence(builder: Builder, call: Call) -> Result:
    """The states of all steps, then the last ones of each layer and direction."""
    states = _GATES[call.name][1]
    if call.get("dropout", 0.0) and call.get("train", False):
        raise Unsupported(f"'{call.name}' with dropout between its layers")
    values = call.inputs()
    value, initial, weights = values[0], values[1 : 1 + states], values[1 + states :]
    layers, biased = int(call.attributes["num_layers"]), bool(call.attributes["has_biases"])
    directions = 2 if call.attributes["bidirectional"] else 1
    first = bool(call.attributes["batch_first"])
    each = len(weights) // (layers * directions)
    if each != 2 + 2 * biased:
        raise Unsupported(f"'{call.name}' with projections")
    # Values are time, batch, features from here on; a batch that stands first is only read in another order.
    value = permute(value, [1, 0, 2]) if first else value
    ends: list[list[Value]] = [[] for _ in range(states)]
    for layer in range(layers):
        sides = []
        for direction in range(directions):
            place = layer * directions + direction
            own = weights[place * each : (place + 1) * each]
            before = [_at(state, 0, Size.of(place)) for state in initial]
            made = _layer(builder, call, value, first and layer == 0, own, before, direction == 1)
            sides.append(_at(made, 0, Size.of(0)))
            for number in range(states):
                steps = _at(made, 0, Size.of(number))
                ends[number].append(_at(steps, 0, Size.of(0) if direction else steps.shape[0] - 1))
        value = concatenated(sides, 2, call.dtype) if directions == 2 else sides[0]
    value = permute(value, [1, 0, 2]) if first else value
    return [value, *(stacked(own, 0, call.dtype) for own in ends)]


def _layer(
    builder: Builder,
    call: Call,
    value: Value,
    turned: bool,
    weights: list[Value],
    before: list[Value],
    backwards: bool,
) -> Value:
    """States, time, batch, features of one direction of one layer."""
    count, states = _GATES[call.name]
    into, across, *biases = weights
    time, batch, features = value.shape
    hidden = across.shape[1]
    builder.unify(features, into.shape[1])
    # The product takes the rows in the order in which they lie.
    lying = permute(value, [1, 0, 2]) if turned else value
    matrix = reshaped(lying, (lying.shape[0] * lying.shape[1], features))
    gates = multiplied(builder, matrix, permute(into, [1, 0]), call.dtype)
    inner: list[Value] = []
    for number, bias in enumerate(biases):
        if number == 1 and call.name == "gru":
            # One gate of a GRU scales what the states give, their bias included.
            inner = [bias]
        else:
            gates = apply(builder, "add", call.dtype, gates, bias)
    gates = reshaped(plain(gates), (*lying.shape[:2], gates.shape[1]))
    gates = permute(gates, [1, 0, 2]) if turned else gates
    attributes = {"backwards": backwards, "gates": count, "bias": bool(inner)}
    node = Node(
        "recurrence", call.name, (gates, plain(across), *before, *inner), (Size.of(states), time, batch, hidden),
        call.dtype, attributes,
    )  # fmt: skip
    return node.result()


def _at(value: Value, axis: int, place: Size) -> Value:
    return squeeze(sliced(value, axis, place, ONE, 1), [axis])


TRANSLATIONS: dict[str, Translation] = dict.fromkeys(_GATES, _recurrence)
