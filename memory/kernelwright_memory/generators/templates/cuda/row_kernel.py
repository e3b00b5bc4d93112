"""A kernel of rows while it is written: who computes a row, its place, and what is known of it so far."""

from dataclasses import dataclass
from typing import Any

from kernelwright_memory.generators.templates.cuda.emit import (
    Lines,
    Scope,
    Space,
    Writer,
    collapse,
    decode,
    linear_index,
)
from kernelwright_memory.generators.templates.cuda.row_space import SHORT_ROW, axis_kinds, space_of
from kernelwright_memory.generators.templates.graph.graph import ZERO, Load, Node, Position, leaves
from kernelwright_memory.generators.templates.graph.schedule import Step
from kernelwright_memory.generators.templates.graph.size import Size, contiguous, product

# What the default limit of 48 KB of shared memory a block holds, less a little for the partial results of warps.
CACHE_BYTES = 40 * 1024
COLUMNS = 32


@dataclass(frozen=True)
class Place:
    """A space with the names of its coordinates, those of the row declared."""

    space: Space
    coordinates: list[str]
    reduced: list[int]


class RowKernel:
    """What the parts of a kernel of rows share: the step, who computes a row, the text so far, and the names in it."""

    place: Place
    """Of the row's elements; `stored_place` of those that are stored, where their order differs."""
    stored_place: Place
    length_name: str

    def __init__(
        self, step: Step, parameters: dict[str, Any], prefix: str, scalars: dict[float, str]
    ) -> None:
        self.step = step
        self.parameters = parameters
        self.who: str = parameters["row"]
        self.threads: int = parameters["threads"]
        self.prefix = prefix
        self.scope = Scope(prefix, scalars)
        self.lines = Lines()
        self.functions: dict[str, str] = {}
        self.given: dict[Node, tuple[str, str]] = {}
        self.shared: list[tuple[str, str]] = []
        self.vector: int = parameters.get("vector", 1)
        inputs = [inputs[0] for inputs in step.inputs]
        self.space = space_of(step, inputs)
        if not step.whole:
            self.stored = self.space
        elif self.along_rows and len(inputs) == len(step.inputs):
            self.stored = space_of(step, [*inputs, step.value], stored=True)
            if not self.nested(self.stored):
                self.space = self.stored
        else:
            self.space = self.stored = space_of(step, [*inputs, step.value], stored=True)
        self.rows = product(self.space.shape[a] for a in self.axes(self.space, False))
        self.length = product(self.space.shape[a] for a in self.axes(self.space, True))
        for name in ("r", "lane", "length", "inside", "warp", "v", "l", "part"):
            self.scope.fresh(name)

    def rows_name(self) -> str:
        return self.scope.size(self.rows, "rows")

    def axes(self, space: Space, reduced: bool) -> list[int]:
        kinds = axis_kinds(self.step)
        return [a for a, g in enumerate(space.groups) if (kinds[g[0]] == 1) == reduced]

    @property
    def along_rows(self) -> bool:
        return self.who in ("block", "warp", "part")

    def nested(self, space: Space) -> bool:
        """Whether several axes are reduced, the last of them by neighbouring threads and the others one by one."""
        reduced = self.axes(space, True)
        if len(reduced) < 2 or not self.along_rows or reduced[-1] != len(space.shape) - 1:
            return False
        return space.shape[-1].value >= SHORT_ROW and not any(
            n.operation.startswith("arg") for n in self.step.nodes
        )

    def row_coordinates(self, space: Space) -> Place:
        """Declares where the row is; how its elements are called."""
        kept, reduced = self.axes(space, False), self.axes(space, True)
        coordinates = [""] * len(space.shape)
        if len(kept) == 1:
            coordinates[kept[0]] = "row"
        elif kept:
            names = [self.scope.fresh(f"row{n}") for n in range(len(kept))]
            decode(self.lines, self.scope, [space.shape[a] for a in kept], names, "row", [True] * len(kept))
            for axis, name in zip(kept, names, strict=True):
                coordinates[axis] = name
        inner = ["r"] if len(reduced) == 1 else [f"r{n}" for n in range(len(reduced))]
        for axis, name in zip(reduced, inner, strict=True):
            coordinates[axis] = name
        return Place(space, coordinates, reduced)

    def index(self, place: Place) -> Any:
        return linear_index(self.scope, place.space, place.coordinates, None)

    def begin_of_row(self, place: Place, strides: tuple[Size, ...], offset: Size) -> str:
        """The index of the first element along the innermost axis."""
        last = place.space.groups[-1]
        text: str = self.index(place)(tuple(ZERO if a in last else x for a, x in enumerate(strides)), offset)
        return text

    def writer(self, lines: Lines, place: Place) -> Writer:
        return Writer(self.scope, lines, self.index(place), self.given)

    def row_writer(self) -> Writer:
        """For values that have one element a row: their shape is that of the kept axes."""
        step = self.step
        strides = [leaf.strides for leaf in leaves(step.value.expression) if isinstance(leaf, Load | Position)
                   and not (isinstance(leaf, Load) and leaf.buffer.node is not None)]  # fmt: skip
        space = collapse(step.value.shape, [*strides, contiguous(step.value.shape)])
        names = (
            ["row"] if len(space.shape) == 1 else [self.scope.fresh(f"k{a}") for a in range(len(space.shape))]
        )
        if len(names) > 1:
            decode(self.lines, self.scope, space.shape, names, "row", [True] * len(names))
        return Writer(self.scope, self.lines, linear_index(self.scope, space, names, "row"), self.given)

    def cached_rows(self) -> int:
        return int(self.parameters["rows"]) if self.who == "warp" else 1
