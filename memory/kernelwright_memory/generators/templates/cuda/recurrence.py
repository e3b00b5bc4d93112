"""One step of a recurrent layer a launch: a warp computes all gates of a hidden unit for a few rows of the batch."""

from typing import Any

from kernelwright_memory.generators.templates.cuda.emit import (
    Argument,
    Blocks,
    KernelText,
    Lines,
    Scope,
    Writer,
    index_text,
)
from kernelwright_memory.generators.templates.graph.graph import Value
from kernelwright_memory.generators.templates.graph.operators import CPP_TYPES, computation_type, typed
from kernelwright_memory.generators.templates.graph.schedule import Step
from kernelwright_memory.generators.templates.graph.size import Size

STEP = "step"
"""the kernel's parameter that says which step a launch is; the host counts it"""

_SIGMOID = "(1.0@ / (1.0@ + exp@(-({}))))"


def variants(step: Step) -> list[dict[str, Any]]:
    """The parameter space: threads a block, and rows of the batch that share what a warp reads of the weights."""
    return [
        {"block": block, "batch": batch}
        for block, batch in ((256, 8), (128, 8), (256, 4), (128, 4), (256, 16), (512, 8))
    ]


def emit(step: Step, parameters: dict[str, Any], prefix: str, scalars: dict[float, str]) -> KernelText:
    """All units and rows of one step."""
    return _Recurrence(step, parameters, Scope(prefix, scalars)).emit()


class _Recurrence:
    def __init__(self, step: Step, parameters: dict[str, Any], scope: Scope) -> None:
        self.node = step.nodes[0]
        self.block, self.rows = parameters["block"], parameters["batch"]
        self.scope, self.lines = scope, Lines()
        self.kind = computation_type(self.node.dtype)
        self.gates = int(self.node.attributes["gates"])
        self.target, inputs = step.target, step.inputs[0]
        for name in (
            STEP,
            "lane",
            "unit",
            "begin",
            "row",
            "time",
            "inner",
            "sum",
            "given",
            "weight",
            "offset",
            "r",
            "g",
        ):
            scope.fresh(name)
        self.given, self.across, self.initial = inputs[0], inputs[1], inputs[2]
        self.cell = inputs[3] if self.node.operation == "lstm" else None
        self.bias = inputs[-1] if self.node.attributes["bias"] else None
        _, steps, batch, hidden = self.node.shape
        self.steps, self.batch = scope.size(steps, "steps"), scope.size(batch, "batch")
        self.hidden = scope.size(hidden, "hidden")
        self.hidden_size, self.batch_size, self.steps_size = hidden, batch, steps

    def emit(self) -> KernelText:
        lines, backwards = self.lines, self.node.attributes["backwards"]
        self.out = self.scope.buffer(self.target, written=True)
        lines.add("const int lane = threadIdx.x % 32;")
        lines.add(f"const int64_t unit = int64_t(blockIdx.x) * {self.block // 32} + threadIdx.x / 32;")
        lines.add(f"const int64_t begin = int64_t(blockIdx.y) * {self.rows};")
        lines.open(f"if (unit >= {self.hidden})")
        lines.add("return;")
        lines.close()
        lines.add(f"const int64_t time = {f'{self.steps} - 1 - {STEP}' if backwards else STEP};")
        self.last = f"(time {'+' if backwards else '-'} 1)"
        self._products()
        self._states()
        grid = (Blocks(self.hidden_size, self.block // 32), Blocks(self.batch_size, self.rows))
        arguments = (*self.scope.arguments, Argument(STEP, "int64_t", scalar=STEP))
        return KernelText(
            self.scope.kernel, arguments, str(self.block), lines.text, self.scope.functions, grid, (self.block,),
            comment="One step for all hidden units: a warp sums what the last states give to the gates of a unit.",
            rounds=self.steps_size,
        )  # fmt: skip

    def _element(self, value: Value, names: list[str]) -> str:
        def index(strides: tuple[Size, ...], offset: Size) -> str:
            return index_text(self.scope, names, value.shape, ["extent"] * len(names), strides, offset)

        return Writer(self.scope, self.lines, index).write(value.expression, self.kind)

    def _state(self, time: str, row: str, unit: str, *, cell: bool = False) -> str:
        at = f"({self.steps} + {time})" if cell else time
        return f"{self.out}[({at} * {self.batch} + {row}) * {self.hidden} + {unit}]"

    def _products(self) -> None:
        """sum[gate][row]: the last states times the weights, over all lanes."""
        lines = self.lines
        lines.add(f"{self.kind} sum[{self.gates}][{self.rows}] = {{}};")
        lines.open(f"for (int64_t inner = lane; inner < {self.hidden}; inner += 32)")
        lines.add(f"{self.kind} given[{self.rows}];")
        lines.add("#pragma unroll")
        lines.open(f"for (int r = 0; r < {self.rows}; ++r)")
        lines.add("const int64_t row = begin + r;")
        lines.add("given[r] = 0;")
        lines.open(f"if (row < {self.batch})")
        self._last("given[r]", self.initial, "row", "inner", False)
        lines.close()
        lines.close()
        lines.add("#pragma unroll")
        lines.open(f"for (int g = 0; g < {self.gates}; ++g)")
        lines.add(f"const int64_t line = g * {self.hidden} + unit;")
        lines.add(f"const {self.kind} weight = {self._element(self.across, ['line', 'inner'])};")
        lines.add("#pragma unroll")
        lines.open(f"for (int r = 0; r < {self.rows}; ++r)")
        lines.add("sum[g][r] += weight * given[r];")
        lines.close()
        lines.close()
        lines.close()
        lines.add("#pragma unroll")
        lines.open("for (int offset = 16; offset > 0; offset /= 2)")
        lines.add("#pragma unroll")
        lines.open(f"for (int g = 0; g < {self.gates}; ++g)")
        lines.add("#pragma unroll")
        lines.open(f"for (int r = 0; r < {self.rows}; ++r)")
        lines.add("sum[g][r] += __shfl_xor_sync(0xffffffffu, sum[g][r], offset);")
        lines.close()
        lines.close()
        lines.close()

    def _last(self, to: str, initial: Value, row: str, unit: str, cell: bool) -> None:
        lines = self.lines
        lines.open(f"if ({STEP} == 0)")
        lines.add(f"{to} = {self._element(initial, [row, unit])};")
        lines.close("} else {")
        lines.depth += 1
        lines.add(f"{to} = {self._state(self.last, row, unit, cell=cell)};")
        lines.close()

    def _states(self) -> None:
        """The new states, each row's by a lane of its own."""
        lines, kind, target = self.lines, self.kind, CPP_TYPES[self.target.dtype]
        lines.add("#pragma unroll")
        lines.open(f"for (int r = 0; r < {self.rows}; ++r)")
        lines.add("const int64_t row = begin + r;")
        lines.open(f"if (lane == r && row < {self.batch})")
        names = {"lstm": ["enter", "keep", "fresh", "leave"], "gru": ["reset", "keep", "fresh"]}.get(
            self.node.operation, ["fresh"]
        )
        for number, name in enumerate(names):
            place = f"{name}_at"
            lines.add(f"const int64_t {place} = {f'{number} * {self.hidden} + ' if number else ''}unit;")
            given = self._element(self.given, ["time", "row", place])
            own = f"sum[{number}][r]"
            if self.bias is not None:
                own = f"{own} + {self._element(self.bias, [place])}"
            if name == "fresh" and self.node.operation == "gru":
                own = f"reset * ({own})"
            lines.add(f"const {kind} {name} = {self._typed(self._activated(name, f'{given} + {own}'))};")
        state = self._state("time", "row", "unit")
        if self.node.operation == "lstm":
            assert self.cell is not None
            lines.add(f"{kind} cell;")
            self._last("cell", self.cell, "row", "unit", True)
            lines.add("cell = keep * cell + enter * fresh;")
            lines.add(f"{self._state('time', 'row', 'unit', cell=True)} = static_cast<{target}>(cell);")
            lines.add(f"{state} = static_cast<{target}>(leave * {self._typed('tanh@(cell)')});")
        elif self.node.operation == "gru":
            lines.add(f"{kind} last;")
            self._last("last", self.initial, "row", "unit", False)
            lines.add(f"{state} = static_cast<{target}>((last - fresh) * keep + fresh);")
        else:
            lines.add(f"{state} = static_cast<{target}>(fresh);")
        lines.close()
        lines.close()

    def _activated(self, name: str, text: str) -> str:
        if name != "fresh":
            return _SIGMOID.format(text)
        return f"fmax@({text}, 0.0@)" if self.node.operation == "rnn_relu" else f"tanh@({text})"

    def _typed(self, text: str) -> str:
        return typed(text, self.kind)
