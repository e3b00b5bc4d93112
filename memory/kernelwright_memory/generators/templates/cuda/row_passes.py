"""The reductions of a row: one pass over its elements for all that need no other's result."""

from dataclasses import dataclass

from kernelwright_memory.generators.templates.cuda.emit import Writer
from kernelwright_memory.generators.templates.cuda.one_pass import (
    Deviations,
    Exponentials,
    deviations,
    exponentials,
)
from kernelwright_memory.generators.templates.cuda.row_joining import NAMES, as_operand, identity
from kernelwright_memory.generators.templates.cuda.row_kernel import Place, RowKernel
from kernelwright_memory.generators.templates.cuda.row_partials import combined, join_threads
from kernelwright_memory.generators.templates.cuda.row_space import pass_levels
from kernelwright_memory.generators.templates.cuda.row_walk import Body, Cache, hoist, walk
from kernelwright_memory.generators.templates.graph.graph import Expression, Node
from kernelwright_memory.generators.templates.graph.operators import (
    FLOATING,
    computation_type,
    literal,
    typed,
)


@dataclass(frozen=True)
class State:
    """A reduction while it walks along the row: its sum, largest element and so on is `name`."""

    node: Node
    expression: Expression
    operation: str
    kind: str
    name: str
    centre: Expression | None = None
    follows: Node | None = None


def reduce_level(kernel: RowKernel, level: list[Node], cache: Cache | None) -> None:
    """Writes the pass of one level; the results are in `kernel.given`."""
    lines = kernel.lines
    states = [_state_of(kernel, node, cache is not None) for node in level]
    followed = {state.follows for state in states if state.follows is not None}
    states = [state for state in states if state.node not in followed]
    largest: dict[Node, str] = {}
    for state in states:
        _declare(kernel, state, largest)
    hoisted = hoist(kernel, [state.expression for state in states], kernel.place)
    together = {
        state.name: kernel.scope.fresh("element")
        for state in states
        if state.follows is not None or state.centre is not None
    }

    def begin(place: Place) -> None:
        for state in states:
            if state.name in together:
                lines.add(f"{state.kind} {together[state.name]}[{kernel.vector}];")

    def element(writer: Writer, wide: bool) -> None:
        for state in states:
            text = writer.write(state.expression, state.kind)
            if state.name in together:
                own = together[state.name]
                lines.add(f"{own}[l] = {text};" if wide else f"const {state.kind} {own} = {text};")
            else:
                _add_element(kernel, state, text)

    def end(place: Place, wide: bool) -> None:
        for state in states:
            if state.name not in together:
                continue
            own = together[state.name]
            elements = [f"{own}[{n}]" for n in range(kernel.vector)] if wide else [own]
            if state.follows is not None:
                _add_below_largest(kernel, state, largest[state.follows], elements)
            else:
                _add_deviations(kernel, state, elements)

    walk(
        kernel,
        kernel.place,
        [state.expression for state in states],
        hoisted,
        cache,
        Body(begin, element, end),
    )
    for state in states:
        if state.follows is not None:
            _join_growing(kernel, state, largest[state.follows])
            kernel.given[state.follows] = (largest[state.follows], state.kind)
        elif state.centre is not None:
            _move_to_centre(kernel, state)
        join_threads(kernel, state.operation, state.kind, state.name)
        is_place = state.operation.startswith("arg")
        kernel.given[state.node] = (
            f"{state.name}_at" if is_place else state.name,
            "int64_t" if is_place else state.kind,
        )


def _state_of(kernel: RowKernel, node: Node, cached: bool) -> State:
    value = kernel.step.inputs[kernel.step.nodes.index(node)][0]
    kind = computation_type(value.dtype)
    if node.operation == "sum" and node.dtype not in (*FLOATING, "bool"):
        kind = "int64_t"
    name = kernel.scope.fresh(NAMES[node.operation])
    spread: Deviations | None = deviations(kernel.step, node)
    growing: Exponentials | None = exponentials(kernel.step, node)
    if spread is not None:
        return State(node, spread.element, node.operation, kind, name, centre=spread.centre)
    level = next(own for own in pass_levels(kernel.step, cached) if node in own)
    if growing is not None and growing.largest in level:
        return State(node, growing.element, node.operation, kind, name, follows=growing.largest)
    return State(node, value.expression, node.operation, kind, name)


def _declare(kernel: RowKernel, state: State, largest: dict[Node, str]) -> None:
    add, kind, name = kernel.lines.add, state.kind, state.name
    add(f"{kind} {name} = {identity(state.operation, kind)};")
    if state.operation.startswith("arg"):
        add(f"int64_t {name}_at = INT64_MAX;")
    if state.follows is not None:
        own = kernel.scope.fresh(NAMES["max"])
        largest[state.follows] = own
        # Finite, so that a row that begins with -infinity has a difference to it.
        lowest = -3.4028234663852886e38 if kind == "float" else -1.7976931348623157e308
        add(f"{kind} {own} = {literal(lowest, kind)};")
    if state.centre is not None:
        add(
            "// Squares of deviations from the mean so far, seen from the thread's first element; moved to the row's mean below."
        )
        add(
            f"{kind} {name}_first = {literal(0, kind)}, {name}_mean = {literal(0, kind)}, {name}_count = {literal(0, kind)};"
        )


def _add_element(kernel: RowKernel, state: State, text: str) -> None:
    lines, kind, name = kernel.lines, state.kind, state.name
    if state.operation.startswith("arg"):
        element = kernel.scope.fresh("candidate")
        lines.add(f"const {kind} {element} = {text};")
        better = ">" if state.operation == "argmax" else "<"
        lines.open(f"if ({name}_at == INT64_MAX || {element} {better} {name})")
        lines.add(f"{name} = {element};")
        lines.add(f"{name}_at = r;")
        lines.close()
    elif state.operation == "sum":
        lines.add(f"{name} += {text};")
    else:
        lines.add(f"{name} = {combined(kernel, state.operation, kind, name, text)};")


def _add_below_largest(kernel: RowKernel, state: State, largest: str, elements: list[str]) -> None:
    """The sum of exponentials below the largest so far, and then below the largest of these elements too."""
    lines, kind, name = kernel.lines, state.kind, state.name
    exp = typed("exp@({0})", kind)
    top = kernel.scope.fresh("top")
    text = largest
    for element in elements:
        text = combined(kernel, "max", kind, text, element)
    lines.add(f"const {kind} {top} = {text};")
    terms = " + ".join(exp.format(f"{element} - {top}") for element in elements)
    lines.add(f"{name} = {name} * {exp.format(f'{largest} - {top}')} + {terms};")
    lines.add(f"{largest} = {top};")


def _add_deviations(kernel: RowKernel, state: State, elements: list[str]) -> None:
    """The mean of the elements so far, and the squares of deviations from it, with these elements too."""
    add, kind, name = kernel.lines.add, state.kind, state.name
    count = literal(len(elements), kind)
    add(f"{name}_first = {name}_count == {literal(0, kind)} ? {elements[0]} : {name}_first;")
    for n, element in enumerate(elements):
        elements[n] = kernel.scope.fresh("shifted")
        add(f"const {kind} {elements[n]} = {element} - {name}_first;")
    away = kernel.scope.fresh("away")
    if len(elements) == 1:
        add(f"const {kind} {away} = {elements[0]} - {name}_mean;")
        add(f"{name}_count += {count};")
        quotient = f"__fdividef({away}, {name}_count)" if kind == "float" else f"{away} / {name}_count"
        add(f"{name}_mean += {quotient};")
        add(f"{name} += {away} * ({elements[0]} - {name}_mean);")
        return
    centre, share = kernel.scope.fresh("mean_here"), kernel.scope.fresh("share")
    add(f"const {kind} {centre} = ({' + '.join(elements)}) / {count};")
    add(f"const {kind} {away} = {centre} - {name}_mean;")
    squares = " + ".join(f"({e} - {centre}) * ({e} - {centre})" for e in elements)
    add(f"{name} += {squares};")
    total = f"{name}_count + {count}"
    # A mean that is a little off is made up for when it is moved; an exact quotient would branch in the loop.
    quotient = f"__fdividef({count}, {total})" if kind == "float" else f"{count} / ({total})"
    add(f"const {kind} {share} = {quotient};")
    add(f"{name}_mean += {away} * {share};")
    add(f"{name} += {away} * {away} * {share} * {name}_count;")
    add(f"{name}_count += {count};")


def _join_growing(kernel: RowKernel, state: State, largest: str) -> None:
    own = kernel.scope.fresh("largest_seen")
    kernel.lines.add(f"const {state.kind} {own} = {largest};")
    join_threads(kernel, "max", state.kind, largest)
    kernel.lines.add(f"{state.name} *= {typed('exp@({0})', state.kind).format(f'{own} - {largest}')};")


def _move_to_centre(kernel: RowKernel, state: State) -> None:
    """sum (x - c)^2 = sum (x - m)^2 + n (m - c)^2 for the mean m of the thread's own n elements."""
    lines, kind, name = kernel.lines, state.kind, state.name
    assert state.centre is not None
    # Rows that lie outside of a column must not be read; they have no elements either.
    writer = kernel.writer(lines, kernel.place)
    centre = writer.write(state.centre, kind)
    away = kernel.scope.fresh("away")
    lines.add(f"const {kind} {away} = {name}_mean + ({name}_first - {as_operand(centre)});")
    lines.add(f"{name} += {name}_count * {away} * {away};")
