"""From expressions to lines of CUDA C++."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from kernelwright_memory.generators.templates.graph.graph import (
    ZERO,
    Apply,
    Buffer,
    Constant,
    Expression,
    Extent,
    Load,
    Node,
    Position,
    Unsupported,
)
from kernelwright_memory.generators.templates.graph.operators import (
    CPP_TYPES,
    OPERATIONS,
    PREDICATES,
    computation_type,
    converted,
    function_text,
    literal,
    typed,
)
from kernelwright_memory.generators.templates.graph.size import Size, contiguous, product

Index = Callable[[tuple[Size, ...], Size], str]
_LONGEST_INLINE = 72


@dataclass(frozen=True)
class Blocks:
    """A number of blocks: `size` divided by `each`, rounded up, at most `limit`."""

    size: Size
    each: int = 1
    limit: int | None = None

    @property
    def sizes(self) -> tuple[Size, ...]:
        """What the number is made of."""
        return (self.size,)

    def written(self, size: Callable[[Size], str], directive: bool) -> str:
        text = size(self.size)
        if self.each != 1:
            if directive:
                text = f"ceil_div({text}, {self.each})"
            else:
                text = f"({text} + {self.each - 1}) / {self.each}"
        if self.limit is not None:
            text = f"min({text}, {self.limit})" if directive else f"std::min<int64_t>({text}, {self.limit})"
        return text


class Tiles(Blocks):
    """A number of blocks that is a product of several: of the tiles that cover each axis."""

    def __init__(self, factors: Sequence[Blocks]) -> None:
        first, *others = factors
        super().__init__(first.size, first.each)
        object.__setattr__(self, "others", tuple(others))

    @property
    def sizes(self) -> tuple[Size, ...]:
        others: tuple[Blocks, ...] = self.others  # type: ignore[attr-defined]
        return (self.size, *(blocks.size for blocks in others))

    def written(self, size: Callable[[Size], str], directive: bool) -> str:
        others: tuple[Blocks, ...] = self.others  # type: ignore[attr-defined]
        texts = [super().written(size, directive), *(blocks.written(size, directive) for blocks in others)]
        return " * ".join(
            text if directive or text.isidentifier() or text.isdigit() else f"({text})" for text in texts
        )


@dataclass(frozen=True)
class Argument:
    """An argument of a kernel: a buffer, a size, or a number of the task."""

    name: str
    type: str
    buffer: Buffer | None = None
    size: Size | None = None
    scalar: str | None = None
    written: bool = False


@dataclass(frozen=True)
class SharedMemory:
    """Dynamic shared memory: `each` bytes for every element of `size`, or nothing where there are more than `limit`."""

    size: Size
    each: int
    limit: int

    def written(self, size: Callable[[Size], str], directive: bool) -> str:
        text = size(self.size)
        if directive:
            return f"({text} <= {self.limit}) * ({text}) * {self.each}"
        return f"{text} <= {self.limit} ? {text} * {self.each} : 0"


@dataclass(frozen=True)
class KernelText:
    """A kernel, and how it is launched."""

    name: str
    parameters: tuple[Argument, ...]
    bounds: str
    body: str
    functions: tuple[str, ...]
    grid: tuple[Blocks, ...]
    block: tuple[int, ...]
    shared: SharedMemory | None = None
    comment: str = ""
    dynamic_bytes: int = 0
    """dynamic shared memory of a fixed size, which may be more than a kernel has without asking"""
    rounds: Size | None = None
    """launched as often, with the number of the launch in a parameter `step`"""


class Scope:
    """The parameters of one kernel, by what they stand for, and the device functions that it calls."""

    def __init__(self, prefix: str, scalars: dict[float, str]) -> None:
        # Functions are the same in all kernels of an entry.
        self.kernel = prefix
        self._prefix = re.sub(r"_kernel\d*$", "", prefix)
        self._scalars = scalars
        self._arguments: dict[str, Argument] = {}
        self._buffers: dict[Buffer, str] = {}
        self._sizes: dict[Size, str] = {}
        self._functions: dict[tuple[str, str], str] = {}
        self._taken: set[str] = {"i", "v", "row", "thread", "stride", "first"}

    def fresh(self, wanted: str) -> str:
        name, counter = wanted, 2
        while name in self._taken:
            name, counter = f"{wanted}{counter}", counter + 1
        self._taken.add(name)
        return name

    def buffer(self, buffer: Buffer, *, written: bool = False) -> str:
        """The pointer parameter of a buffer."""
        if buffer not in self._buffers:
            if buffer.node is not None:
                raise Unsupported(f"the result of '{buffer.node.operation}' at another place than its own")
            name = self.fresh(buffer.name.replace(".", "_"))
            self._buffers[buffer] = name
            kind = CPP_TYPES[buffer.dtype]
            type_text = f"{kind}* __restrict__" if written else f"const {kind}* __restrict__"
            self._arguments[name] = Argument(name, type_text, buffer=buffer, written=written)
        return self._buffers[buffer]

    def size(self, size: Size, wanted: str = "size") -> str:
        """A size in device code: a literal where it is a constant of the model, else a parameter."""
        if size.constant is not None:
            return str(size.constant)
        if size not in self._sizes:
            negative = size * -1
            if negative in self._sizes:
                return f"-{self._sizes[negative]}"
            if all(factor < 0 for _, factor in size.terms):
                return f"-{self.size(negative, wanted)}"
            name = self.fresh(wanted)
            self._sizes[size] = name
            self._arguments[name] = Argument(name, "int64_t", size=size)
        return self._sizes[size]

    def number(self, value: int | float | bool, cpp_type: str) -> str:
        """A literal, or the parameter that carries this number of the task."""
        if isinstance(value, float) and cpp_type in ("float", "double") and value in self._scalars:
            source = self._scalars[value]
            if source not in self._arguments:
                self._taken.add(source)
                self._arguments[source] = Argument(source, cpp_type, scalar=source)
            return source
        return literal(value, cpp_type)

    def function(self, operation: str, cpp_type: str) -> str:
        key = (operation, cpp_type)
        if key not in self._functions:
            self._functions[key] = f"{self._prefix}_{operation}" + ("_double" if cpp_type == "double" else "")
        return self._functions[key]

    def function_name(self, wanted: str) -> str:
        return f"{self._prefix}_{wanted}"

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """Inputs, outputs, sizes, numbers."""
        order = lambda a: (a.buffer is None, a.written, a.size is None)  # noqa: E731
        return tuple(sorted(self._arguments.values(), key=order))

    @property
    def functions(self) -> tuple[str, ...]:
        return tuple(
            function_text(operation, name, kind) for (operation, kind), name in self._functions.items()
        )


_DECLARATION = re.compile(r"\s*const (?:int64_t|int|float|double) (\w+) = [^;]*;")


def _is_unused(line: str, text: str) -> bool:
    match = _DECLARATION.fullmatch(line)
    return match is not None and len(re.findall(rf"\b{match[1]}\b", text)) == 1


@dataclass
class Lines:
    """Text being written, with its indentation."""

    depth: int = 1
    lines: list[str] = field(default_factory=list)

    def add(self, text: str) -> None:
        self.lines.append("    " * self.depth + text if text and not text.startswith("#") else text)

    def open(self, text: str) -> None:
        self.add(text + " {")
        self.depth += 1

    def close(self, text: str = "}") -> None:
        self.depth -= 1
        self.add(text)

    @property
    def text(self) -> str:
        """The text, without declarations of numbers that nobody uses."""
        lines = self.lines
        while True:
            text = "\n".join(lines)
            used = [line for line in lines if not _is_unused(line, text)]
            if used == lines:
                return text
            lines = used


class Writer:
    """Writes expressions at one place of the code: what is used more than once becomes a variable."""

    def __init__(
        self, scope: Scope, lines: Lines, index: Index, given: dict[Node, tuple[str, str]] | None = None
    ) -> None:
        """`index` writes an affine index at this place; `given` names results of nodes that are at hand, with their types."""
        self._scope = scope
        self._lines = lines
        self._index = index
        self._given = given or {}
        self._named: dict[int, str] = {}
        self._uses: dict[int, int] = {}
        self._alive: list[Expression] = []
        # Elements that were loaded by other means, such as a vector at a time.
        self.loaded: dict[int, str] = {}

    def write(self, expression: Expression, target: str | None = None) -> str:
        """The text of an expression, as a value of its computation type or of the C++ type `target`."""
        self._count(expression)
        self._alive.append(expression)
        text = bare(self._text(expression, guarded=False))
        return converted(text, self.type_of(expression), target) if target else text

    def named(self, expression: Expression, wanted: str) -> str:
        """A variable that holds an expression."""
        self._count(expression)
        self._alive.append(expression)
        text = self._text(expression, guarded=False)
        return self._named.get(id(expression)) or self._name(expression, text, wanted)

    def know(self, named: dict[int, str]) -> None:
        """Variables that hold expressions already, by the expressions' ids."""
        self._named.update(named)

    def type_of(self, expression: Expression) -> str:
        if isinstance(expression, Load) and expression.buffer.node in self._given:
            return self._given[expression.buffer.node][1]
        return computation_type(expression.dtype)

    def _count(self, expression: Expression) -> None:
        self._uses[id(expression)] = self._uses.get(id(expression), 0) + 1
        if (
            id(expression) not in self._named
            and self._uses[id(expression)] == 1
            and isinstance(expression, Apply)
        ):
            for argument in expression.arguments:
                self._count(argument)

    def _text(self, e: Expression, guarded: bool) -> str:
        """`guarded`: inside of a branch, where nothing may be computed ahead."""
        if id(e) in self._named:
            return self._named[id(e)]
        if isinstance(e, Constant):
            return self._scope.number(e.value, computation_type(e.dtype))
        if isinstance(e, Extent):
            return converted(self._scope.size(e.size, "extent"), "int64_t", computation_type(e.dtype))
        if isinstance(e, Position):
            return f"({self._index(e.strides, e.offset)})"
        if isinstance(e, Load):
            return self._load(e, guarded)
        assert isinstance(e, Apply)
        text = self._apply(e, guarded)
        if not guarded and (self._uses.get(id(e), 0) > 1 or len(text) > _LONGEST_INLINE):
            return self._name(e, text)
        return text

    def _name(self, e: Expression, text: str, wanted: str = "t") -> str:
        name = self._scope.fresh(wanted)
        self._lines.add(f"const {self.type_of(e)} {name} = {bare(text)};")
        self._named[id(e)] = name
        return name

    def _load(self, e: Load, guarded: bool) -> str:
        if e.buffer.node in self._given:
            return self._given[e.buffer.node][0]
        if id(e) in self.loaded:
            return self.loaded[id(e)]
        pointer = self._scope.buffer(e.buffer)
        index = self._index(e.strides, e.offset)
        for place, stride in e.gathered:
            inner = self._text(place, guarded)
            term = inner if stride == Size.of(1) else f"{inner} * {self._scope.size(stride, 'pitch')}"
            index = term if index == "0" else f"{index} + {term}"
        text = converted(f"{pointer}[{index}]", CPP_TYPES[e.buffer.dtype], computation_type(e.dtype))
        # A value that is used once, or an element that is cheap to name, stays in its place.
        if guarded or (self._uses.get(id(e), 0) <= 1 and len(text) <= _LONGEST_INLINE // 2):
            return text
        return self._name(e, text, f"{pointer}_value")

    def _apply(self, e: Apply, guarded: bool) -> str:
        result = computation_type(e.dtype)
        if e.operation == "convert":
            (argument,) = e.arguments
            return converted(self._text(argument, guarded), self.type_of(argument), result)
        branches = guarded or e.guarded
        if e.operation == "where":
            condition, yes, no = e.arguments
            texts = [converted(self._text(condition, guarded), self.type_of(condition), "bool")]
            texts += [converted(self._text(a, branches), self.type_of(a), result) for a in (yes, no)]
            return OPERATIONS["where"].inline.format(*texts)
        kind = result
        if e.operation in PREDICATES:
            kinds = [self.type_of(a) for a in e.arguments]
            kind = next((k for k in ("double", "float", "int64_t", "int") if k in kinds), kinds[0])
        texts = [converted(self._text(a, guarded), self.type_of(a), kind) for a in e.arguments]
        operation = OPERATIONS[e.operation]
        if operation.body is not None:
            return f"{self._scope.function(e.operation, kind)}({', '.join(bare(t) for t in texts)})"
        if not operation.inline.startswith("("):
            texts = [bare(text) for text in texts]
        return typed(operation.inline, kind).format(*texts)


def bare(text: str) -> str:
    """Without a pair of parentheses around all of it."""
    if not (text.startswith("(") and text.endswith(")")):
        return text
    depth = 0
    for position, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0 and position < len(text) - 1:
            return text
    return text[1:-1]


# ---- index spaces -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Space:
    """A shape with as few axes as the strides of its leaves allow: axis `a` holds the old axes `groups[a]`."""

    shape: tuple[Size, ...]
    groups: tuple[tuple[int, ...], ...]

    def strides(self, old: tuple[Size, ...]) -> tuple[Size, ...]:
        return tuple(old[group[-1]] for group in self.groups)


def collapse(
    shape: tuple[Size, ...], all_strides: Sequence[tuple[Size, ...]], kinds: Sequence[int] | None = None
) -> Space:
    """Merge neighbouring axes (of one kind) that every leaf walks over as if they were one; axes of extent 1 vanish."""
    kinds = kinds or [0] * len(shape)
    groups: list[list[int]] = []
    for axis, extent in enumerate(shape):
        if extent == Size.of(1):
            continue
        previous = groups[-1][-1] if groups else None
        if (
            previous is not None
            and kinds[previous] == kinds[axis]
            and all(s[previous] == s[axis] * extent for s in all_strides)
        ):
            groups[-1].append(axis)
        else:
            groups.append([axis])
    return Space(tuple(product(shape[a] for a in g) for g in groups), tuple(tuple(g) for g in groups))


def linear_index(scope: Scope, space: Space, coordinates: Sequence[str], whole: str | None) -> Index:
    """Writes indices from one coordinate an axis of the space; `whole` is the number of the element itself, where known."""
    in_order = contiguous(space.shape)

    def index(strides: tuple[Size, ...], offset: Size) -> str:
        merged = space.strides(strides)
        if whole is not None and merged == in_order and merged:
            terms = [whole]
        else:
            terms = []
            for coordinate, stride, extent in zip(coordinates, merged, space.shape, strict=True):
                if stride == ZERO or extent == Size.of(1):
                    continue
                terms.append(term(scope, coordinate, stride))
        if offset != ZERO:
            terms.append(scope.size(offset, "offset"))
        return joined(terms)

    return index


def term(scope: Scope, coordinate: str, stride: Size) -> str:
    """coordinate * stride, with the sign in front."""
    if stride == Size.of(1):
        return coordinate
    if stride == Size.of(-1):
        return f"-{coordinate}"
    factor = scope.size(stride, "pitch")
    return f"-{coordinate} * {factor[1:]}" if factor.startswith("-") else f"{coordinate} * {factor}"


def joined(terms: Sequence[str]) -> str:
    """A sum, positive terms first."""
    if not terms:
        return "0"
    return " + ".join(sorted(terms, key=lambda text: text.startswith("-"))).replace("+ -", "- ")


def index_text(
    scope: Scope,
    coordinates: Sequence[str],
    shape: tuple[Size, ...],
    names: Sequence[str],
    strides: tuple[Size, ...],
    offset: Size,
) -> str:
    """An index from coordinates: nested, with the extents alone, where the tensor lies in order."""
    if offset == ZERO and strides == contiguous(shape):
        text = bare(coordinates[0])
        for coordinate, extent, name in zip(coordinates[1:], shape[1:], names[1:], strict=True):
            inner = f"({text})" if " " in text else text
            text = coordinate if text == "0" else f"{inner} * {scope.size(extent, name)} + {coordinate}"
        return text
    terms = [term(scope, c, s) for c, s in zip(coordinates, strides, strict=True) if s != ZERO]
    if offset != ZERO:
        terms.append(scope.size(offset, "offset"))
    return joined(terms)


def decode(
    lines: Lines,
    scope: Scope,
    shape: Sequence[Size],
    names: Sequence[str],
    source: str,
    needed: Sequence[bool],
) -> None:
    """Declare the coordinates of element `source` of a shape, innermost last; those that nobody needs are left out."""
    rest = source
    for axis in range(len(shape) - 1, -1, -1):
        outermost = axis == 0
        extent = scope.size(shape[axis], "extent") if not outermost else ""
        if needed[axis]:
            lines.add(f"const int64_t {names[axis]} = {rest}{'' if outermost else f' % {extent}'};")
        if not outermost and any(needed[:axis]):
            rest = f"{rest} / {extent}"
