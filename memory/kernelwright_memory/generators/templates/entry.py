"""The entry that kernels are written for: what its parameters stand for, and how sizes are written in its host code."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from kernelwright_backends.core.kernel import Form, Function, SourceIndex
from kernelwright_memory.generators.base import CannotGenerate
from kernelwright_memory.generators.templates.cuda.emit import bare
from kernelwright_memory.generators.templates.graph.size import Atom, Size, product
from kernelwright_verifier.binding import Binding, BindingFailed, bind
from kernelwright_verifier.task import expression
from kernelwright_verifier.task.directive import Directive, read_directives
from kernelwright_verifier.task.expression import ExpressionError
from kernelwright_verifier.task.task import TaskDescription


@dataclass(frozen=True)
class Entry:
    """An entry and what its parameters stand for."""

    name: str
    form: Form
    # Text of the function up to its body, without a trailing blank.
    head: str
    return_type: str
    tensors: Mapping[str, str]
    outputs: Mapping[int, str]
    # Numbers of the task that arrive as parameters, by value; sizes by what they are.
    scalars: Mapping[float, str]
    sizes: tuple[tuple[str, Size], ...]
    stream: str | None = None
    parameter_types: Mapping[str, str] = field(default_factory=dict)

    def write(self, size: Size, known: Mapping[Atom, str] | None = None) -> str:
        """A size in the host code of this entry; `known` are variables that hold atoms.

        Raises:
            CannotGenerate: no parameter tells it.
        """
        if size.constant is not None:
            return str(size.constant)
        known = known or {}
        if self.form == "tensor":
            return self._of_tensors(size, known)
        text = self._of_parameters(size)
        if text is None:
            return size.written(lambda atom: self._atom(atom, known), "/")
        return text

    def write_in_directive(self, size: Size) -> str:
        return size.written()

    def _of_tensors(self, size: Size, known: Mapping[Atom, str]) -> str:
        def name(atom: Atom) -> str:
            if atom in known:
                return known[atom]
            if atom.quotient is not None:
                return _quotient(atom.quotient, name)
            number = next((text for text, own in self.sizes if own == Size.of(atom)), None)
            if number is not None:
                return number
            tensor, _, axis = atom.name.partition(".shape[")
            if tensor not in self.tensors:
                raise CannotGenerate(
                    f"the entry '{self.name}' does not take '{tensor}', whose size is needed"
                )
            return f"{self.tensors[tensor]}.size({axis.rstrip(']')})"

        return bare(size.written(name, "/"))

    def _of_parameters(self, size: Size) -> str | None:
        """One parameter, or a product or quotient of a few."""
        given = self.sizes
        for text, own in given:
            if own == size:
                return text
        for text, own in given:
            for other_text, other in given:
                if own * other == size:
                    return f"int64_t({text}) * {other_text}"
                if other.terms and own.over(other) == size:
                    return f"{text} / {other_text}"
        for text, own in given:
            for other_text, other in given:
                for third_text, third in given:
                    if own * other * third == size:
                        return f"int64_t({text}) * {other_text} * {third_text}"
                    if third.terms and (own * other).over(third) == size:
                        return f"int64_t({text}) * {other_text} / {third_text}"
                    if other.terms and third.terms and own.over(other * third) == size:
                        return f"{text} / (int64_t({other_text}) * {third_text})"
        return None

    def _atom(self, atom: Atom, known: Mapping[Atom, str]) -> str:
        if atom in known:
            return known[atom]
        text = self._of_parameters(Size.of(atom))
        if text is not None:
            return f"int64_t({text})" if text.isidentifier() else f"({text})"
        if atom.quotient is not None:
            return _quotient(atom.quotient, lambda inner: self._atom(inner, known))
        raise CannotGenerate(f"no parameter of '{self.name}' tells {atom.name}")


def _quotient(quotient: tuple[Size, int | Atom], name: Callable[[Atom], str]) -> str:
    inner, divisor = quotient
    text = inner.written(name, "/")
    if " " in text:
        text = f"({text})"
    by = str(divisor) if isinstance(divisor, int) else name(divisor)
    return text if by == "1" else f"({text} / {by})"


def directive_of(index: SourceIndex, name: str | None, path: str) -> Directive | None:
    """The directive of an entry; the only one where it names none."""
    directives = [d for c in index.comments for d in read_directives((c,), path).entries]
    for directive in directives:
        written = directive.get("entry")
        if written is not None and name is not None and _plain(written) == _plain(name):
            return directive
    unnamed = [d for d in directives if d.get("entry") is None]
    return unnamed[0] if len(unnamed) == 1 else None


def _plain(name: str) -> str:
    return name.split("<", 1)[0].strip().rsplit("::", 1)[-1]


def read_entry(
    function: Function, text: str, directive: Directive | None, description: TaskDescription,
    extents: Mapping[str, tuple[Size, ...]], outputs: tuple[tuple[Size, ...], ...], path: str,
) -> Entry:  # fmt: skip
    """What the parameters of a function of the file stand for.

    Raises:
        CannotGenerate: it cannot be bound to the task, or is a template.
    """
    if function.template_parameters:
        raise CannotGenerate(
            f"the entry '{function.name}' is a template; the built-in templates write plain functions"
        )
    try:
        binding = bind(function, directive, description, path)
    except BindingFailed as failed:
        raise CannotGenerate(f"the entry does not fit its task: {failed}") from failed
    raw = text.encode()
    head = raw[function.start_byte : function.end_byte].decode()
    head = head[: head.index("{", _close_of_parameters(head))].rstrip()
    tensors, out, scalars, sizes = _parameters(binding, description, {**extents, **_outputs(outputs)})
    stream = next((p.name for p in function.parameters if p.stream), None)
    types = {p.name: p.type for p in function.parameters}
    form: Form = "kernel" if function.kind == "kernel" else function.form or "launcher"
    return Entry(function.name, form, head, function.return_type, tensors, out, scalars, sizes, stream, types)


def _outputs(outputs: tuple[tuple[Size, ...], ...]) -> dict[str, tuple[Size, ...]]:
    named = {f"out{i}": shape for i, shape in enumerate(outputs)}
    return {**named, "out": outputs[0]} if outputs else named


def _close_of_parameters(head: str) -> int:
    """Where the parameter list of a function ends: at the parenthesis that closes the first one behind the name."""
    depth, opened = 0, False
    for position, character in enumerate(head):
        if character == "(":
            depth, opened = depth + 1, True
        elif character == ")":
            depth -= 1
        # __launch_bounds__(...) and the like close before the list itself, but no brace follows them.
        if opened and depth == 0 and head[position + 1 :].lstrip().startswith("{"):
            return position
    return 0


def _parameters(
    binding: Binding, description: TaskDescription, extents: Mapping[str, tuple[Size, ...]]
) -> tuple[dict[str, str], dict[int, str], dict[float, str], tuple[tuple[str, Size], ...]]:
    tensors: dict[str, str] = {}
    outputs: dict[int, str] = {}
    scalars: dict[float, str] = {}
    sizes: list[tuple[str, Size]] = []
    values = {a.name: a.value for a in (*description.init, *description.forward)}
    for argument in binding.arguments:
        name = argument.slot.name
        if argument.convert is not None or argument.role == "inout":
            raise CannotGenerate(f"'{argument.source}' of args is beyond the built-in templates")
        if argument.role == "output" and argument.output is not None:
            outputs[argument.output] = name
        elif argument.role in ("input", "parameter", "buffer") and argument.tensor is not None:
            tensors[argument.tensor] = name
        elif argument.role == "scalar" and argument.text is not None:
            value = values.get(argument.text)
            if isinstance(value, float):
                scalars[value] = name
            size = _size(argument.text, extents)
            if size is None and isinstance(value, int):
                size = Size.of(Atom(argument.text, value))
            if size is not None:
                sizes.append((name, size))
    return tensors, outputs, scalars, tuple(sizes)


def _size(text: str, extents: Mapping[str, tuple[Size, ...]]) -> Size | None:
    try:
        return _walk(expression.parse(text), extents)
    except ExpressionError:
        return None


def _walk(node: expression.Node, extents: Mapping[str, tuple[Size, ...]]) -> Size | None:
    if isinstance(node, expression.Literal) and isinstance(node.value, int):
        return Size.of(int(node.value))
    if isinstance(node, expression.Property) and node.tensor.name in extents:
        shape = extents[node.tensor.name]
        if node.property == "numel":
            return product(shape)
        if node.property == "shape" and isinstance(node.index, expression.Literal):
            position = int(node.index.value)
            return shape[position] if -len(shape) <= position < len(shape) else None
    if isinstance(node, expression.Operation) and len(node.operands) == 2:
        left, right = (_walk(o, extents) for o in node.operands)
        if left is not None and right is not None:
            if node.symbol in ("//", "/"):
                return left.over(right) if right.terms else None
            if node.symbol in ("+", "-", "*"):
                return {"+": left.__add__, "-": left.__sub__, "*": left.__mul__}[node.symbol](right)
    return None


def with_numbers(entry: Entry, numbers: list[Atom]) -> Entry:
    """A new entry that is given whole numbers of its task besides."""
    if not numbers:
        return entry
    taken = {*entry.tensors.values(), *entry.scalars.values(), "out"}
    sizes = []
    for atom in numbers:
        text = atom.name
        while text in taken:
            text += "_"
        taken.add(text)
        sizes.append((text, Size.of(atom)))
    more = "".join(f", int64_t {text}" for text, _ in sizes)
    return replace(entry, head=f"{entry.head.removesuffix(')')}{more})", sizes=tuple(sizes))


def new_tensor_entry(name: str, description: TaskDescription, needed: list[str], numbers: list[str]) -> Entry:
    """A `tensor` entry for a bare task: it takes the tensors that are needed, in the order of the default binding."""
    taken: dict[str, str] = {}
    for tensor in needed:
        taken[tensor] = tensor.replace(".", "_")
    values = {a.name: a.value for a in description.forward}
    scalars = {float(v): n for n, v in values.items() if n in numbers and isinstance(v, int | float)}
    parameters = [f"torch::Tensor {n}" for n in taken.values()] + [f"double {n}" for n in numbers]
    returned = "torch::Tensor" if len(description.outputs) == 1 else "std::vector<torch::Tensor>"
    head = f"{returned} {name}({', '.join(parameters)})"
    return Entry(name, "tensor", head, returned, taken, {}, scalars, ())
