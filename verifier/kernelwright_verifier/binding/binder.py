"""Walks an entry's parameters and finds for each what the task gives it: as the directive lists them, else by the rules."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from kernelwright_backends.core.finding import Finding, Range, finding
from kernelwright_backends.core.kernel import ELEMENT_TYPES, Form, Function, Parameter
from kernelwright_backends.interfaces.toolchain import EntryCall
from kernelwright_verifier.binding.model import Binding, BindingFailed, BoundArgument, Role, slot_of
from kernelwright_verifier.binding.operator_arguments import OperatorArguments
from kernelwright_verifier.binding.scope import launch_value, lists_of, scope_of, tensors_of, words_of
from kernelwright_verifier.task import expression
from kernelwright_verifier.task.directive import Directive
from kernelwright_verifier.task.expression import ExpressionError, Node, Value
from kernelwright_verifier.task.task import TaskDescription, TensorSpec

_ELEMENT_COUNTS = ("n", "N", "size", "numel", "num_elements")
_ONE_BYTE = ("bool", "uint8", "int8")
_CONVERSIONS = (
    "float32",
    "float64",
    "float16",
    "bfloat16",
    "int8",
    "uint8",
    "int16",
    "int32",
    "int64",
    "bool",
)


def bind(
    entry: Function,
    directive: Directive | None,
    description: TaskDescription,
    path: str,
    written_name: str | None = None,
) -> Binding:
    """Bind an entry to its task.

    Args:
        entry: the function to call; its form decides how outputs come back.
        directive: says `args`, `grid`, `block`, `smem`; None binds by the rules alone.
        written_name: the entry as the directive spells it, with its template arguments.

    Raises:
        BindingFailed: with a `BIND_*` finding for each parameter that does not fit.
    """
    return _Binder(entry, directive, description, path, written_name or entry.qualified_name).bind()


class _Taken(NamedTuple):
    """What one parameter takes: a tensor, a list of them, or a number in memory."""

    names: tuple[str, ...]
    listed: bool = False
    number: bool = False


def _form_of(entry: Function) -> Form:
    """Of what the directive names, also where no launch was seen in it."""
    if entry.kind == "kernel" and entry.form != "ascendc":
        return "kernel"
    return entry.form or ("tensor" if any(p.tensor for p in entry.parameters) else "launcher")


class _Binder:
    def __init__(
        self,
        entry: Function,
        directive: Directive | None,
        description: TaskDescription,
        path: str,
        written_name: str,
    ) -> None:
        self._entry = entry
        self._directive = directive
        self._description = description
        self._path = path
        self._name = written_name
        self._form: Form = _form_of(entry)
        self._scope = scope_of(description)
        self._tensors = tensors_of(description)
        self._lists = lists_of(description)
        self._findings: list[Finding] = []
        self._notes: list[str] = []
        self._elements = _template_elements(entry, written_name)
        self._npu = OperatorArguments(
            directive,
            self._form,
            self._scope,
            self._problem,
            self._expression_problem,
            path,
            words_of(description),
        )

    def bind(self) -> Binding:
        parameters = list(self._entry.parameters)
        stream = parameters.pop() if parameters and parameters[-1].stream else None
        args = self._directive.get("args") if self._directive else None
        given = self._npu.given(parameters, args)
        listed = [p for p in parameters if p.name not in given]
        bound = self._bind_listed(listed, args) if args is not None else self._bind_by_rule(listed)
        if given and len(bound) == len(listed):
            told = dict(zip((p.name for p in listed), bound, strict=True))
            bound = [given.get(p.name) or told[p.name] for p in parameters]
        if args is None:
            bound = self._npu.with_shared(bound)
        bound = self._npu.with_zeroed([piece for one in bound for piece in one.members or (one,)])
        if stream is not None:
            bound.append(BoundArgument(slot=slot_of(stream, "stream", None), role="stream"))
        grid, block, smem = self._launch_values()
        returned: tuple[int, ...] = ()
        if not self._findings:
            returned = self._returned(bound)
        if self._findings:
            raise BindingFailed(tuple(self._findings))
        call = EntryCall(
            entry=self._name,
            form=self._form,
            slots=tuple(argument.slot for argument in bound),
            returns=len(returned),
        )
        return Binding(
            call=call,
            arguments=tuple(bound),
            returned=returned,
            grid=grid,
            block=block,
            smem=smem,
            notes=tuple(self._notes),
        )

    # ---- with args -------------------------------------------------------------------------------------------------

    def _bind_listed(self, parameters: list[Parameter], args: str) -> list[BoundArgument]:
        try:
            items = expression.parse_list(args)
        except ExpressionError as error:
            self._expression_problem("args", error)
            return []
        texts = expression.split_list(args)
        # What is not listed behind them has its default.
        while len(parameters) > len(items) and parameters[-1].default is not None and self._calls_c:
            parameters = parameters[:-1]
        if len(items) != len(parameters):
            self._problem(
                "BIND_COUNT",
                f"{self._entry.name} takes {len(parameters)} argument{'s' if len(parameters) != 1 else ''} "
                f"({', '.join(p.name or p.type for p in parameters)}), but args lists {len(items)}",
                self._place("args"),
            )
            return []
        bound = []
        next_output = 0
        for parameter, item, text in zip(parameters, items, texts, strict=True):
            argument = self._bind_item(parameter, item, text, next_output)
            if argument is not None:
                bound.append(argument)
                next_output += sum(one.role in ("output", "inout") for one in argument.members or (argument,))
        return bound

    def _bind_item(
        self, parameter: Parameter, item: Node, text: str, next_output: int
    ) -> BoundArgument | None:
        if isinstance(item, expression.FunctionCall) and item.function in expression.PASSINGS:
            return self._bind_passing(parameter, item, text, next_output)
        if self._calls_c and isinstance(item, expression.Name) and item.name == "None":
            return self._nothing(parameter, text)
        if parameter.pointer or parameter.tensor:
            if self._takes_numbers and not self._is_tensor(item):
                return self._number(parameter, item, text)
            if isinstance(item, expression.Name):
                return self._bind_tensor(parameter, item, text, None)
            self._problem(
                "BIND_PARAMETER",
                f"'{parameter.name}' is a {_what(parameter)}, but args gives the number '{text}'",
                parameter.range,
            )
            return None
        try:
            value = expression.evaluate(item, self._scope)
        except ExpressionError as error:
            self._expression_problem("args", error)
            return None
        return self._scalar(parameter, text, value)

    @property
    def _calls_c(self) -> bool:
        """Whether the entry is called as a function of the host, with defaults and values that may be left out."""
        return self._form in ("tensor", "launcher")

    def _nothing(self, parameter: Parameter, text: str) -> BoundArgument | None:
        """An optional that holds nothing, or a null pointer. PyTorch gives no undefined tensor to a function either."""
        if parameter.pointer or "optional" in parameter.type:
            return BoundArgument(slot=slot_of(parameter, "nothing", None), role="nothing", source=text)
        message = (
            f"'{parameter.name}' has type '{parameter.type}', which cannot be None; make it an optional or pass a "
            "value"
        )
        self._problem("BIND_PARAMETER", message, parameter.range)
        return None

    @property
    def _takes_numbers(self) -> bool:
        """Operators of Ascend C take a number as a tensor of one element."""
        return self._form == "ascendc" or self._npu.is_launcher

    def _is_tensor(self, item: Node) -> bool:
        """Whether the item names a tensor, or nothing that is known."""
        if not isinstance(item, expression.Name):
            return False
        return item.name in self._tensors or item.name in self._lists or item.name not in self._scope

    def _number(
        self, parameter: Parameter, item: Node, text: str, convert: str | None = None
    ) -> BoundArgument | None:
        """A number of the task in memory, of the element type that the operator's definition gives its port."""
        try:
            value = expression.evaluate(item, self._scope)
        except ExpressionError as error:
            self._expression_problem("args", error)
            return None
        if isinstance(value, tuple):
            message = f"'{parameter.name}' takes a tensor or a number, but '{text}' is a tuple"
            self._problem("BIND_PARAMETER", message, parameter.range)
            return None
        element = convert or parameter.element
        if element in (None, "void", "uint8"):
            first = next((a.tensor.dtype for a in self._description.forward if a.tensor), "")
            plain = "float32" if isinstance(value, float) else "int32"
            element = self._npu.element_of(parameter.name, first) or plain
        slot = slot_of(parameter, "number", element)
        return BoundArgument(slot=slot, role="scalar", source=text, text=text)

    def _bind_passing(
        self, parameter: Parameter, item: expression.FunctionCall, text: str, next_output: int
    ) -> BoundArgument | None:
        if not (parameter.pointer or parameter.tensor):
            self._problem(
                "BIND_PARAMETER",
                f"'{parameter.name}' is not a pointer, but args gives '{text}'",
                parameter.range,
            )
            return None
        if item.function == "workspace":
            try:
                expression.evaluate(item.arguments[0], self._scope)
            except ExpressionError as error:
                self._expression_problem("args", error)
                return None
            inside = text[text.index("(") + 1 : text.rindex(")")]
            return BoundArgument(
                slot=slot_of(parameter, "workspace", None), role="workspace", source=text, text=inside
            )
        convert: str | None = None
        tensor = item.arguments[-1]
        if item.function == "as":
            kind = item.arguments[0]
            convert = kind.name if isinstance(kind, expression.Name) else None
            if convert not in _CONVERSIONS:
                self._problem(
                    "BIND_EXPRESSION",
                    f"'{text}': as(TYPE, tensor) supports only the types {', '.join(_CONVERSIONS)}",
                    self._place("args", item.offset),
                )
                return None
            self._notes.append(f"{text} is converted for '{parameter.name}' before the call")
        if item.function == "as" and self._takes_numbers and not self._is_tensor(tensor):
            inner = text[text.index(",") + 1 : text.rindex(")")].strip()
            return self._number(parameter, tensor, inner, convert)
        if not isinstance(tensor, expression.Name):
            self._problem("BIND_EXPRESSION", f"'{text}' must name a tensor", self._place("args", item.offset))
            return None
        bound = self._bind_tensor(parameter, tensor, text, convert)
        if bound is None or item.function == "as":
            return bound
        if item.function == "zeros":
            if bound.role != "output":
                message = (
                    f"'{text}': zeros(...) takes an output, such as zeros(out), and clears it before the call"
                )
                self._problem("BIND_PARAMETER", message, parameter.range)
                return None
            return bound.model_copy(update={"role": "zeroed"})
        if bound.role == "output" or next_output >= len(self._description.outputs):
            self._problem(
                "BIND_PARAMETER",
                f"'{text}': inout(...) takes an input, such as inout(x), and compares it as the next output",
                parameter.range,
            )
            return None
        if not bound.members:
            return bound.model_copy(update={"role": "inout", "output": next_output})
        changed = tuple(
            one.model_copy(update={"role": "inout", "output": next_output + position})
            for position, one in enumerate(bound.members)
        )
        return changed[0].model_copy(update={"members": changed})

    def _bind_tensor(
        self, parameter: Parameter, name: expression.Name, text: str, convert: str | None
    ) -> BoundArgument | None:
        elements = self._lists.get(name.name)
        if elements is not None:
            return self._list(parameter, elements, text, convert)
        found = self._tensors.get(name.name)
        if found is None:
            tensors = ", ".join((*self._lists, *self._tensors))
            known = name.name in self._scope
            what = "is a number" if known else "is unknown"
            self._problem(
                "BIND_PARAMETER",
                f"'{parameter.name}' is a {_what(parameter)}, but '{name.name}' {what}; the task's tensors are "
                f"{tensors}",
                parameter.range if known else self._place("args", name.offset, len(name.name)),
            )
            return None
        role, output = self._role(name.name, found)
        if role == "output" and parameter.const:
            self._problem(
                "BIND_PARAMETER",
                f"'{parameter.name}' points to const, so it cannot take the output '{name.name}'",
                parameter.range,
            )
            return None
        return self._tensor(parameter, name.name, found, role, output, text, convert)

    def _list(
        self, parameter: Parameter, elements: Sequence[str], text: str, convert: str | None = None
    ) -> BoundArgument | None:
        """A list of tensors as one argument: a table of their shapes and addresses."""
        if self._form != "ascendc" and not self._npu.is_launcher:
            self._problem(
                "BIND_PARAMETER",
                f"'{parameter.name}' cannot take the list of tensors '{text}'; only Ascend C kernels take a list as "
                "one argument",
                parameter.range,
            )
            return None
        made: list[BoundArgument] = []
        for position, name in enumerate(elements):
            spec = self._tensors[name]
            role, output = self._role(name, spec)
            one = self._tensor(parameter, name, spec, role, output, name, convert)
            if one is None:
                return None
            slot = one.slot.model_copy(update={"member": position})
            made.append(one.model_copy(update={"slot": slot}))
        return made[0].model_copy(update={"members": tuple(made)})

    def _role(self, name: str, spec: TensorSpec) -> tuple[Role, int | None]:
        if any(spec is a.tensor for a in self._description.forward):
            return "input", None
        if any(spec is p for p in self._description.parameters):
            return "parameter", None
        if any(spec is b for b in self._description.buffers):
            return "buffer", None
        return "output", next(i for i, o in enumerate(self._description.outputs) if o is spec)

    # ---- by rule -----------------------------------------------------------------------------------------------------

    def _bind_by_rule(self, parameters: list[Parameter]) -> list[BoundArgument]:
        inputs = [
            *((a.name, a.tensor) for a in self._description.forward if a.tensor is not None),
            *((p.name, p) for p in self._description.parameters),
            *((b.name, b) for b in self._description.buffers if b.dtype.startswith(("float", "bfloat"))),
        ]
        outputs = [(f"out{i}" if i else "out", o) for i, o in enumerate(self._description.outputs)]
        if "out" in {a.name for a in self._description.forward}:
            outputs = [(f"out{i}", o) for i, o in enumerate(self._description.outputs)]
        assigned = self._assign(parameters, inputs, outputs)
        if assigned is None:
            return []
        bound = []
        for parameter in parameters:
            argument: BoundArgument | None
            if parameter.name in assigned:
                names, listed, number = assigned[parameter.name]
                if listed:
                    argument = self._list(parameter, names, parameter.name)
                elif number:
                    argument = self._number(parameter, expression.parse(names[0]), names[0])
                else:
                    spec = self._tensors[names[0]]
                    role, output = self._role(names[0], spec)
                    argument = self._tensor(parameter, names[0], spec, role, output, names[0], None)
            else:
                argument = self._scalar_by_rule(parameter)
            if argument is not None:
                bound.append(argument)
        return bound

    def _assign(
        self,
        parameters: list[Parameter],
        inputs: list[tuple[str, TensorSpec]],
        outputs: list[tuple[str, TensorSpec]],
    ) -> dict[str, _Taken] | None:
        """Tensors to pointer parameters, None (with a finding) where the counts do not agree."""
        if self._form == "ascendc" or self._npu.is_launcher:
            taking = [p for p in parameters if p.pointer]
            # the fixed order of an operator: inputs, then outputs
            groups = self._groups([n for n, _ in inputs], [n for n, _ in outputs], len(taking))
            if len(groups) < len(taking):
                numbers = self._groups(
                    [n for n, _ in inputs], [n for n, _ in outputs], len(taking), numbers=True
                )
                groups = numbers if len(numbers) == len(taking) else groups
            if len(taking) == len(groups):
                return {p.name: group for p, group in zip(taking, groups, strict=True)}
            self._count_problem(f"{len(taking)} pointers", [*inputs, *outputs], taking, parameters)
            return None
        if self._form == "tensor":
            taking = [p for p in parameters if p.tensor]
            returns_nothing = self._entry.return_type.strip() == "void"
            expected = inputs + (outputs if returns_nothing else [])
            if len(taking) == len(expected):
                return {p.name: _Taken((name,)) for p, (name, _) in zip(taking, expected, strict=True)}
            self._count_problem(
                f"{len(taking)} tensor{'s' if len(taking) != 1 else ''}", expected, taking, parameters
            )
            return None
        reading = [p for p in parameters if p.pointer and p.const]
        writing = [p for p in parameters if p.pointer and not p.const]
        if len(reading) == len(inputs) and len(writing) == len(outputs):
            pairs = [*zip(reading, inputs, strict=True), *zip(writing, outputs, strict=True)]
            return {p.name: _Taken((name,)) for p, (name, _) in pairs}
        self._count_problem(
            f"{len(reading)} const and {len(writing)} non-const pointers",
            [*inputs, *outputs],
            [*reading, *writing],
            parameters,
        )
        return None

    def _groups(
        self, inputs: list[str], outputs: list[str], pointers: int, *, numbers: bool = False
    ) -> list[_Taken]:
        """What an operator's pointers take, in order: tensors, lists of them, and, if asked for, forward's numbers.

        The elements of a list of forward are one, and a port that the operator's definition calls DYNAMIC takes a list, even of
        one. All outputs that no other port takes are the list of the one that is DYNAMIC, or of the one pointer that is left.
        """
        made: list[_Taken] = []
        member_of = {a.name: a.member_of for a in self._description.forward}
        if numbers:
            tensors = {a.name for a in self._description.forward if a.tensor is not None}
            others = [name for name in inputs if name not in tensors]
            inputs = [a.name for a in self._description.forward if a.kind in ("tensor", "scalar")] + others
        for name in inputs:
            if name not in self._tensors:
                made.append(_Taken((name,), number=True))
                continue
            whole = member_of.get(name)
            if whole is None:
                made.append(_Taken((name,)))
            elif name == self._lists[whole][0]:
                made.append(_Taken(self._lists[whole], listed=True))
        ports = self._npu.ports if len(self._npu.ports) == pointers else ()
        made = [
            group._replace(listed=True)
            if position < len(ports) and ports[position].dynamic and not group.number
            else group
            for position, group in enumerate(made)
        ]
        known = any(a.kind == "scalar" for a in self._description.forward)
        if known and len(made) < sum(port.is_input for port in ports):
            return made  # an input that is no tensor of the task: one of its numbers
        left = ports[len(made) :]
        dynamic = [position for position, port in enumerate(left) if port.dynamic]
        if len(dynamic) == 1 and len(left) <= len(outputs):
            before, behind = dynamic[0], len(left) - dynamic[0] - 1
            end = len(outputs) - behind
            listed = _Taken(tuple(outputs[before:end]), listed=True)
            return [
                *made,
                *(_Taken((n,)) for n in outputs[:before]),
                listed,
                *(_Taken((n,)) for n in outputs[end:]),
            ]
        if not ports and len(self._lists) > 1 and len(outputs) > 1 and pointers == len(made) + 1:
            return [*made, _Taken(tuple(outputs), listed=True)]
        return [*made, *(_Taken((name,)) for name in outputs)]

    def _count_problem(
        self,
        has: str,
        expected: list[tuple[str, TensorSpec]],
        taking: list[Parameter],
        parameters: list[Parameter],
    ) -> None:
        inputs = list(dict.fromkeys(n.partition("[")[0] for n, _ in expected if not n.startswith("out")))
        surplus = taking[len(expected)] if len(taking) > len(expected) else None
        at = surplus.range if surplus else (taking[-1].range if taking else self._entry.name_range)
        outputs = [n for n, _ in expected if n.startswith("out")]
        self._problem(
            "BIND_COUNT",
            f"{self._entry.name} takes {has}, but the task has {len(inputs)} inputs ({', '.join(inputs)})"
            + (f" and {len(outputs)} outputs" if outputs else "")
            + '; list the arguments with args="..." in a directive',
            at,
            data=self._fix(parameters, expected),
        )

    def _scalar_by_rule(self, parameter: Parameter) -> BoundArgument | None:
        for argument in (*self._description.forward, *self._description.init):
            if argument.name == parameter.name and isinstance(argument.value, (bool, int, float)):
                return self._scalar(parameter, parameter.name, argument.value)
        if parameter.name in _ELEMENT_COUNTS:
            counts = {
                s.numel
                for s in (
                    *(a.tensor for a in self._description.forward if a.tensor),
                    *self._description.outputs,
                )
            }
            tensor = next((a.name for a in self._description.forward if a.tensor), None)
            if len(counts) == 1 and tensor is not None:
                return self._scalar(parameter, f"{tensor}.numel()", counts.pop())
            reason = "the task's tensors differ in their number of elements"
        else:
            reason = "forward and __init__ have no scalar of this name"
        self._problem(
            "BIND_PARAMETER",
            f"no value is known for '{parameter.name}' ({reason}); pass one with args=\"...\" in a directive",
            parameter.range,
            data=self._fix(list(self._entry.parameters), []),
        )
        return None

    # ---- the pieces --------------------------------------------------------------------------------------------------

    def _tensor(
        self,
        parameter: Parameter,
        name: str,
        spec: TensorSpec,
        role: Role,
        output: int | None,
        text: str,
        convert: str | None,
    ) -> BoundArgument | None:
        dtype = convert or spec.dtype
        element = parameter.element or self._elements.get(parameter.name)
        if parameter.pointer and element not in (None, "void") and not _same_element(element, dtype):
            self._problem(
                "BIND_TYPE",
                f"'{parameter.name}' points to {element}, but the task's '{name}' has element type {dtype}"
                + (f"; convert it with as({element}, {name})" if role != "output" else ""),
                parameter.range,
            )
            return None
        return BoundArgument(
            slot=slot_of(parameter, "tensor", dtype),
            role=role,
            source=text,
            tensor=name,
            output=output,
            convert=convert,
        )

    def _scalar(self, parameter: Parameter, text: str, value: Value) -> BoundArgument | None:
        if isinstance(value, tuple):
            self._problem(
                "BIND_PARAMETER",
                f"'{parameter.name}' takes one number, but '{text}' is a tuple",
                parameter.range,
            )
            return None
        whole = (parameter.element or "").startswith(("int", "uint"))
        if whole and isinstance(value, float) and not value.is_integer():
            self._problem(
                "BIND_TYPE", f"'{parameter.name}' is an integer, but '{text}' is {value}", parameter.range
            )
            return None
        return BoundArgument(
            slot=slot_of(parameter, "scalar", parameter.element), role="scalar", source=text, text=text
        )

    def _launch_values(self) -> tuple[str | None, str | None, str | None]:
        if self._form == "ascendc":
            return self._block_dim(), None, None
        if self._form != "kernel":
            return None, None, None
        values: dict[str, str | None] = {}
        for key in ("grid", "block", "smem"):
            text = self._directive.get(key) if self._directive else None
            values[key] = text
            if text is None:
                continue
            try:
                launch_value(text, key, self._description)
            except ExpressionError as error:
                self._expression_problem(key, error)
        missing = [key for key in ("grid", "block") if values[key] is None]
        if missing:
            self._problem(
                "BIND_GRID",
                f"the directive of the kernel {self._entry.name} has no "
                f"{' and no '.join(f'{key}=' for key in missing)}; add a launch configuration such as "
                'grid="ceil_div(x.numel(), 256)" block="256"',
                self._directive.range if self._directive else self._entry.name_range,
            )
        return values["grid"], values["block"], values["smem"]

    def _block_dim(self) -> str | None:
        text = self._directive.get("block_dim") if self._directive else None
        if text is None and self._npu.has_host:
            return None
        if text is None:
            self._problem(
                "BIND_GRID",
                f"the directive of the kernel {self._entry.name} has no block_dim=; add the number of cores, such as "
                'block_dim="8"',
                self._directive.range if self._directive else self._entry.name_range,
            )
            return None
        try:
            launch_value(text, "block_dim", self._description)
        except ExpressionError as error:
            self._expression_problem("block_dim", error)
        return text

    def _returned(self, bound: list[BoundArgument]) -> tuple[int, ...]:
        filled = {argument.output for argument in bound if argument.output is not None}
        missing = [i for i in range(len(self._description.outputs)) if i not in filled]
        if self._form == "tensor" and self._entry.return_type.strip() != "void":
            return tuple(missing)
        if missing:
            self._problem(
                "BIND_COUNT",
                f"args gives {self._entry.name} no buffer for {', '.join(f'out{i}' for i in missing)}; list every "
                "output",
                self._place("args")
                if self._directive and self._directive.get("args")
                else self._entry.name_range,
            )
        return ()

    # ---- findings ----------------------------------------------------------------------------------------------------

    def _problem(self, code: str, message: str, at: Range, data: dict[str, object] | None = None) -> None:
        self._findings.append(finding(code, message, self._path, at, data=data))

    def _expression_problem(self, key: str, error: ExpressionError) -> None:
        self._problem("BIND_EXPRESSION", f"{key}: {error}", self._place(key, error.offset, error.length))

    def _place(self, key: str, offset: int | None = None, length: int = 1) -> Range:
        return self._directive.place(key, offset, length) if self._directive else self._entry.name_range

    def _fix(self, parameters: list[Parameter], expected: list[tuple[str, TensorSpec]]) -> dict[str, object]:
        """What the quick fix writes: args with every certain value, and `?` where the user must decide."""
        parameters = [p for p in parameters if not p.stream]
        tensors = [n for n, _ in expected] or list(self._tensors)
        args = []
        for parameter in parameters:
            if parameter.pointer or parameter.tensor:
                certain = parameter.name in tensors
                args.append(parameter.name if certain else "?")
            else:
                known = isinstance(self._scope.get(parameter.name), (bool, int, float))
                args.append(parameter.name if known else "?")
        return {"fix": "directive", "args": ", ".join(args), "entry": self._name}


def _same_element(element: str | None, dtype: str) -> bool:
    """Whole numbers of one size are the same bytes with a sign and without: CUDA's 64-bit atomics take unsigned ones, and a task's
    tensors are signed."""
    if element is None or dtype == "bool":
        return element in _ONE_BYTE
    return element.removeprefix("u") == dtype.removeprefix("u")


def _what(parameter: Parameter) -> str:
    return "tensor" if parameter.tensor else "pointer"


def _template_elements(entry: Function, written_name: str) -> dict[str, str]:
    """Element types of parameters whose type is a template's, where the directive instantiates it."""
    if "<" not in written_name:
        return {}
    arguments = [
        a.strip() for a in written_name[written_name.index("<") + 1 : written_name.rindex(">")].split(",")
    ]
    types = {}
    for declared, given in zip(entry.template_parameters, arguments, strict=False):
        match = re.match(r"(?:typename|class)\s+(\w+)", declared)
        if match and given in ELEMENT_TYPES:
            types[match[1]] = ELEMENT_TYPES[given]
    return {
        parameter.name: element
        for parameter in entry.parameters
        for name, element in types.items()
        if re.search(rf"\b{name}\b", parameter.type)
    }
